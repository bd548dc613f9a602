// Child processes that never outlive this one.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface KeptProcess {
  /** Resolves with the exit code when the command has ended on its own, with 1 when `end` ended it. */
  readonly ended: Promise<number>
  /** Ends the command and everything it started; resolves when it is gone. */
  end(): Promise<void>
}

interface Surroundings {
  cwd?: string
  env?: NodeJS.ProcessEnv
}

interface KeepOptions extends Surroundings {
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

/** Runs a command to its end in silence. When it fails, throws an error that holds the end of its output. */
export async function runQuietly(
  command: string,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plan-mode-'))
  const log = join(folder, 'log')
  try {
    const code = await keep(command, args, { ...surroundings, output: log }).ended
    if (code !== 0)
      throw new Error(`"${[command, ...args].join(' ')}" failed with exit code ${code}:\n${lastLines(log)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The last 100 lines of a file. */
export function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-100).join('\n')
}

/** Resolves with the exit code, 1 when a signal ended it; rejects when the command cannot be started. */
function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code => resolve(code ?? 1))
  })
}
