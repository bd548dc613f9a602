import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { copySessions, replaceRoot } from '../persistence/convert.ts'
import type { Request } from './arguments.ts'
import { LogRoot, persistenceOf } from './log-root.ts'

interface Output {
  readonly out: (text: string) => void
}

/**
 * Copies a root into another form, reading every copy back. With one folder for both, the copy takes the root's place
 * once all of it is proven, and the old root stays beside it.
 */
export async function convert(request: Extract<Request, { kind: 'convert' }>, { out }: Output): Promise<0 | 1> {
  const source = resolve(request.from)
  const target = resolve(request.to)
  const inPlace = source === target
  const written = inPlace ? `${target}.converting` : target
  const root = await LogRoot.open(source, request.fromForm)
  const from = persistenceOf(source, root.form)
  if (inPlace) await rm(written, { recursive: true, force: true })
  const to = persistenceOf(written, { ...root.form, ...request.toForm })
  try {
    const result = await copySessions(from, to)
    await to.dispose()
    const backup =
      inPlace && result.left.length === 0 ? await replaceRoot(target, written, stampOf(new Date())) : undefined
    if (request.json) out(`${JSON.stringify({ ...result, backup: backup ?? null })}\n`)
    else {
      for (const { file, why } of result.left) out(`left: ${file}  ${why}\n`)
      if (backup !== undefined) out(`The old root is kept as ${backup}\n`)
      out(`${result.copied.length} copied and read back, ${result.left.length} left\n`)
    }
    return result.left.length === 0 ? 0 : 1
  } finally {
    await Promise.all([from.dispose(), to.dispose(), root.dispose()])
  }
}

function stampOf(date: Date): string {
  return date.toISOString().replace(/[:.]/g, '-')
}
