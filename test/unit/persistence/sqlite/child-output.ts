import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { endOf } from '../child.ts'

export { endOf }

/** Runs a script of `children/` in a process of its own; behind a shell line, or as another user, where given. */
export function startChild(script: string, args: readonly string[], shell?: string, uid?: number): ChildProcess {
  const command = [process.execPath, join(import.meta.dirname, 'children', script), ...args]
  const [program = '', ...rest] = shell === undefined ? command : ['sh', '-c', shell, ...command]
  return spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'], ...(uid === undefined ? {} : { uid }) })
}

/** Everything the child says until it ends; `heard` is told of all so far, each time there is more. */
export async function textOf(child: ChildProcess, heard: (text: string) => void = () => {}): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    heard(text)
  }
  return text
}
