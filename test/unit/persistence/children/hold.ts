import { nodeFileSystem } from '../../../../src/persistence/file-system.ts'
import { claimWriter } from '../../../../src/persistence/jsonl/writer-lock.ts'

/** Claims a folder's lock, says so, and holds it until it is killed. */
const [folder = ''] = process.argv.slice(2)
const lock = await claimWriter(nodeFileSystem, folder)
process.stdout.write(`${lock.epoch}\n`)
setInterval(() => {}, 1000)
