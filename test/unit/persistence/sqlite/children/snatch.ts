import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { SqliteBackend } from '../../../../../src/persistence/sqlite/sqlite-backend.ts'
import { PlanModeError } from '../../../../../src/session/errors.ts'
import { mode } from '../../scratch.ts'
import { fileIn } from '../database-file.ts'

/**
 * Takes the writer's place by force, as "Continue here" does, whoever holds it, and appends until it is lost; says what
 * was acknowledged. Ends when the file `stop` is there.
 */
const [root = '', stop = '', name = ''] = process.argv.slice(2)
const database = new DatabaseSync(fileIn(root), { timeout: 5000 })

while (!existsSync(stop)) {
  database.prepare('UPDATE writers SET epoch = epoch + 1, owner = ?, released = 1').run(crypto.randomUUID())
  const backend = new SqliteBackend({ root })
  try {
    const { writer, log } = await backend.openWriter('s')
    for (let seq = log.events.length; ; seq++) {
      const event = { ...mode(seq), time: Number(name) }
      await writer.append([event])
      process.stdout.write(`${JSON.stringify(event)}\n`)
      if (Math.random() < 0.05 || existsSync(stop)) break
    }
    await writer.release()
  } catch (error) {
    if (!(error instanceof PlanModeError && ['WRITER_BUSY', 'WRITER_LOST'].includes(error.code))) throw error
  }
  await backend.dispose()
}
