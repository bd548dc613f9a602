import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Conversion, convertInPlace, copyAttachments, copySessions, stampOf } from '../persistence/convert.ts'
import { persistenceOf, type RootForm } from '../persistence/root-form.ts'
import type { Request } from './arguments.ts'
import { LogRoot } from './log-root.ts'

interface Output {
  readonly out: (text: string) => void
}

/**
 * Copies a root into another form, reading every copy back. With one folder for both, the copy takes the root's place
 * once all of it is proven, and the old root stays beside it. Resolves with the exit code.
 */
export async function convert(request: Extract<Request, { kind: 'convert' }>, { out }: Output): Promise<0 | 1> {
  const source = resolve(request.from)
  const target = resolve(request.to)
  const root = await LogRoot.open(source, request.fromForm)
  const from = root.form
  const to = { ...from, ...request.toForm }
  await root.dispose()
  const result =
    source === target
      ? await convertInPlace(source, { from, to }, stampOf(new Date()))
      : await copyInto(source, from, target, to)
  if (request.json) out(`${JSON.stringify(result)}\n`)
  else out(summary(result))
  return result.left.length === 0 ? 0 : 1
}

async function copyInto(source: string, from: RootForm, target: string, to: RootForm) {
  await mkdir(target, { recursive: true })
  const byTheLogsAlone = { indexFrom: Number.POSITIVE_INFINITY }
  const reading = persistenceOf(source, from, byTheLogsAlone)
  const writing = persistenceOf(target, to, byTheLogsAlone)
  try {
    await copyAttachments(source, target)
    return { ...(await copySessions(reading, writing)), backup: null }
  } finally {
    await Promise.all([reading.dispose(), writing.dispose()])
  }
}

function summary({ copied, left, backup }: Conversion & { readonly backup?: string | null | undefined }): string {
  const rows = left.map(({ file, why }) => `left: ${file}  ${why}\n`)
  const kept = backup == null ? '' : `The old root is kept as ${backup}\n`
  return `${rows.join('')}${kept}${copied.length} copied and read back, ${left.length} left\n`
}
