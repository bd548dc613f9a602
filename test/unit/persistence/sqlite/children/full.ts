import { SqliteBackend } from '../../../../../src/persistence/sqlite/sqlite-backend.ts'
import { PlanModeError } from '../../../../../src/session/errors.ts'
import { header, modes } from '../../scratch.ts'

/** Appends until the system refuses three times on end; says how it did, and how many events were acknowledged. */
const [root = ''] = process.argv.slice(2)
const backend = new SqliteBackend({ root })
const writer = await backend.createWriter(header())
let stored = 0
let refused: unknown
for (let failures = 0; failures < 3; ) {
  try {
    await writer.append(modes(stored, stored + 200))
    stored += 200
    failures = 0
  } catch (error) {
    refused = error
    failures++
  }
}
if (!(refused instanceof PlanModeError)) throw refused
console.log(`${refused.code}\n${refused.message}\n${stored}`)
