import assert from 'node:assert/strict'
import fc from 'fast-check'
import { logPath, projectKey, sessionSegment } from '../../../src/persistence/jsonl/paths.ts'

describe('log paths', () => {
  it('name the project by its folder', () => {
    const names: [string | undefined, string][] = [
      [undefined, '_no-cwd'],
      ['/', '--root--'],
      ['/home/dev/demo', '--home-dev-demo--'],
      ['/home/dev/demo/', '--home-dev-demo---'],
      ['//a//b', '--a-b--'],
      ['C:\\w\\x', '--C-w-x--'],
      ['/a b/~c', '--a~0020b-~007Ec--'],
      ['/\u{1f642}', '--~D83D~DE42--'],
      ['/--x', '--x--'],
    ]
    for (const [cwd, name] of names) assert.equal(projectKey(cwd), name, cwd)
    assert.equal(projectKey(`/${'x'.repeat(300)}`), `--${'x'.repeat(251)}--`)
    assert.equal(projectKey(`/${'x'.repeat(249)}é`), `--${'x'.repeat(249)}~0--`, 'an escape may be split')
    assert.throws(() => projectKey(''), RangeError)
  })

  it('name the session by its id', () => {
    assert.equal(sessionSegment('.'), '~002E')
    assert.equal(sessionSegment('..'), '~002E~002E')
    assert.equal(sessionSegment('...'), '...')
    assert.equal(sessionSegment('a/b~'), 'a~002Fb~007E')
    assert.throws(() => sessionSegment(''), RangeError)
    assert.equal(logPath('a', '/w'), '--w--/a/session.jsonl')
  })

  it('tell any two ids apart: the id can be read from the name', () => {
    const idOf = (name: string) =>
      name.replace(/~([0-9A-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), id => assert.equal(idOf(sessionSegment(id)), id)),
    )
    assert.equal(sessionSegment('\ud800'), '~D800')
  })
})
