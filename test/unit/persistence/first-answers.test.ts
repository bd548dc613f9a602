import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FirstAnswers } from '../../../src/persistence/first-answers.ts'

describe('the first answer of all windows', () => {
  let home = ''
  let root = ''
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'plan-mode-first-'))
    root = join(home, '.plan-mode', 'sessions')
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  it('counts for everybody and for good, whoever asks at once', async () => {
    for (let round = 0; round < 20; round++) {
      const given = Array.from({ length: 6 }, (_, window) =>
        new FirstAnswers(root).settle(`question ${round}`, `window ${window}`),
      )
      const answers = new Set(await Promise.all(given))
      assert.equal(answers.size, 1)
      assert.deepEqual([await new FirstAnswers(root).settle(`question ${round}`, 'late')], [...answers])
    }
  })

  it('is one small file of the person’s own, in a root that ignores itself', async () => {
    await new FirstAnswers(root).settle('a', 'b')
    const folder = join(root, '.first-answers')
    const [name = '', ...others] = await readdir(folder)
    assert.deepEqual(others, [], 'nothing half is left behind')
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600)
    assert.equal(await readFile(join(home, '.plan-mode', '.gitignore'), 'utf8'), '*\n')
  })

  it('that is damaged is an error which names its file, and is never answered anew', async () => {
    const answers = new FirstAnswers(root)
    await answers.settle('a', 'b')
    const [name = ''] = await readdir(join(root, '.first-answers'))
    await writeFile(join(root, '.first-answers', name), '{}')
    await assert.rejects(answers.settle('a', 'c'), (error: unknown) => String(error).includes(name))
  })
})
