import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFileSystem } from '../../../../src/persistence/file-system.ts'
import { claimWriter } from '../../../../src/persistence/jsonl/writer-lock.ts'
import { PlanModeError } from '../../../../src/session/errors.ts'

/** Claims and releases one folder's lock until a file `stop` is there; a file that two holders would both create tells of a clash. */
const [folder = '', name = ''] = process.argv.slice(2)
const held = join(folder, 'held')
const history = join(folder, 'history')

while (!existsSync(join(folder, 'stop'))) {
  try {
    const lock = await claimWriter(nodeFileSystem, folder)
    await lock.assertHeld()
    writeFileSync(held, name, { flag: 'wx' })
    appendFileSync(history, `${lock.epoch} ${name}\n`)
    await lock.assertHeld()
    rmSync(held)
    await lock.release()
  } catch (error) {
    if (!(error instanceof PlanModeError && error.code === 'WRITER_BUSY')) throw error
  }
}
