import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Runs a script of `children/` in a process of its own. */
export function startChild(script: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'children', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Resolves to the exit code, or the signal's name. */
export async function endOf(child: ChildProcess): Promise<number | string> {
  if (child.exitCode !== null) return child.exitCode
  if (child.signalCode !== null) return child.signalCode
  const [code, signal] = await once(child, 'exit')
  return code ?? signal
}

/** The child's next line of output. */
export async function lineOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output')
  const [chunk] = await once(child.stdout, 'data')
  return String(chunk).trim()
}
