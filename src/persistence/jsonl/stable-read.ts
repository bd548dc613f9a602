import type { FileSystem } from '../file-system.ts'

const ATTEMPTS = 5

/**
 * A file's bytes and its revision, read again while others write. Where they never pause it is not settled, and the
 * revision is one from before the bytes, so that it is found stale. @throws the system's error.
 */
export async function readStable(
  fs: FileSystem,
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly bytes: Buffer; readonly revision: string; readonly settled: boolean }> {
  let { revision } = await fs.stat(path)
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const bytes = await fs.read(path)
    const after = (await fs.stat(path)).revision
    if (after === revision || attempt === ATTEMPTS) return { bytes, revision, settled: after === revision }
    revision = after
  }
}
