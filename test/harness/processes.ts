// Child processes: quiet ones whose output only matters when they fail, and kept ones that never outlive us.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface QuietOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

/** Runs a command to its end in silence. When it fails, throws an error that ends with its last 60 lines. */
export async function runQuietly(command: string, args: readonly string[], options: QuietOptions = {}): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-100_000)
    })
  }
  const code = await exitCode(child)
  if (code === 0) return
  const tail = output.trimEnd().split('\n').slice(-60).join('\n')
  throw new Error(`"${[command, ...args].join(' ')}" failed with exit code ${code}:\n${tail}`)
}

export interface KeptProcess {
  /** Resolves with the exit code when the command has ended on its own, with 1 when `end` ended it. */
  readonly ended: Promise<number>
  /** Ends the command and everything it started; resolves when it is gone. */
  end(): Promise<void>
}

interface KeepOptions {
  cwd?: string
  env: NodeJS.ProcessEnv
  /** A file to append the output to, or this process's own output. */
  output: string | 'inherit'
}

/**
 * Starts a command in a process group of its own that dies with this process, also when this one is killed
 * (keeper.mjs).
 */
export function keep(command: string, args: readonly string[], { output, ...options }: KeepOptions): KeptProcess {
  const keeper = fileURLToPath(new URL('keeper.mjs', import.meta.url))
  const sink = output === 'inherit' ? 'inherit' : openSync(output, 'a')
  const child = spawn(process.execPath, [keeper, command, ...args], {
    ...options,
    detached: true,
    stdio: ['ignore', sink, sink, 'ipc'],
  })
  if (typeof sink === 'number') closeSync(sink)
  // The keeper reports the code first and then ends its own group, itself included, by a signal.
  let reported = 1
  child.on('message', code => {
    reported = Number(code)
  })
  const ended = exitCode(child).then(() => reported)
  return {
    ended,
    async end() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** Resolves with the exit code, 1 when a signal ended it; rejects when the command cannot be started. */
function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code => resolve(code ?? 1))
  })
}
