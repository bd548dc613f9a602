import { SqliteBackend } from '../../../../../src/persistence/sqlite/sqlite-backend.ts'
import { PlanModeError } from '../../../../../src/session/errors.ts'
import { header } from '../../scratch.ts'

/** Says what a user without rights gets. */
const [root = ''] = process.argv.slice(2)
const backend = new SqliteBackend({ root })

async function outcome(act: () => Promise<number | string>): Promise<number | string> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof PlanModeError) return error.code
    throw error
  }
}

const read = await outcome(async () => (await backend.read('s')).events.length)
const listed = (await backend.list()).sessions.length
const opened = await outcome(async () => (await backend.openWriter('s')).log.events.length)
const created = await outcome(async () => (await backend.createWriter(header({ id: 't' }))) && 'made')
console.log(`read ${read}, list ${listed}, open ${opened}, create ${created}`)
