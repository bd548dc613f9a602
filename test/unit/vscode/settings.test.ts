import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { defaultPolicy } from '../../../src/plan/policy.ts'
import {
  approvalSetting,
  endpointSetting,
  isInside,
  logRootSetting,
  policySetting,
  toolsModeSetting,
} from '../../../src/vscode/settings.ts'

const folder = resolve('/work space/demo')
const home = resolve('/home/dev')
const code = (expected: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === expected

describe('planMode.policy', () => {
  it('is the shipped text when no scope sets it', () => {
    assert.equal(policySetting({}, true), defaultPolicy)
    assert.equal(policySetting(undefined, true), defaultPolicy)
  })

  it('takes the most specific scope as a whole', () => {
    const scopes = {
      globalValue: { section: 'user' },
      workspaceValue: { section: 'workspace' },
      workspaceFolderValue: { section: 'folder' },
    }
    assert.deepEqual(policySetting(scopes, true), { section: 'folder' })
    assert.deepEqual(policySetting({ ...scopes, workspaceFolderValue: undefined }, true), { section: 'workspace' })
    assert.deepEqual(policySetting({ globalValue: { section: 'user' } }, true), { section: 'user' })
    assert.throws(
      () => policySetting({ globalValue: { section: 'user' }, workspaceValue: {} }, true),
      code('BAD_POLICY'),
    )
    assert.throws(() => policySetting({ ...scopes, workspaceFolderValue: null }, true), code('BAD_POLICY'))
  })

  it('ignores the workspace while it is not trusted', () => {
    const scopes = { globalValue: { section: 'user' }, workspaceValue: { section: 'cloned' } }
    assert.deepEqual(policySetting(scopes, false), { section: 'user' })
    assert.equal(policySetting({ workspaceFolderValue: { bad: 1 } }, false), defaultPolicy)
  })

  it('keeps the text exactly', () => {
    const section = '  Plan first.\n\n'
    assert.deepEqual(policySetting({ globalValue: { section } }, true), { section })
  })

  for (const value of [
    null,
    'text',
    [],
    {},
    { section: '' },
    { section: ' \n' },
    { section: 5 },
    { section: 'a', more: 1 },
  ]) {
    it(`refuses ${JSON.stringify(value)} and names the setting`, () => {
      assert.throws(
        () => policySetting({ globalValue: value }, true),
        (error: unknown) =>
          code('BAD_POLICY')(error) && error instanceof Error && error.message.includes('planMode.policy'),
      )
    })
  }
})

describe('planMode.log.root', () => {
  const root = (scopes: object, trusted = true) => logRootSetting(scopes, trusted, folder, home)

  it('is inside the workspace by default', () => {
    assert.equal(root({}), resolve(folder, '.plan-mode/sessions'))
  })

  it('stays inside when the workspace sets it', () => {
    assert.equal(root({ workspaceValue: 'logs/plan' }), resolve(folder, 'logs/plan'))
    for (const value of ['..', '../elsewhere', '/elsewhere', '~/logs', 'a/../../b', '.']) {
      assert.throws(() => root({ workspaceValue: value }), code('BAD_LOG_ROOT'), value)
    }
  })

  it('goes anywhere the user says', () => {
    assert.equal(root({ globalValue: '~/logs' }), resolve(home, 'logs'))
    assert.equal(root({ globalValue: resolve('/elsewhere') }), resolve('/elsewhere'))
    assert.equal(root({ globalValue: '~/logs', workspaceValue: '../elsewhere' }, false), resolve(home, 'logs'))
  })

  it('refuses what is no path', () => {
    for (const value of [5, '', '  ', {}]) assert.throws(() => root({ globalValue: value }), code('BAD_LOG_ROOT'))
  })
})

describe('planMode.model', () => {
  it('is the demo without a base URL', () => {
    assert.equal(endpointSetting({ baseUrl: '', id: 'x', contextWindow: null }), undefined)
  })

  it('is an endpoint with one', () => {
    assert.deepEqual(endpointSetting({ baseUrl: ' https://a.example/v1 ', id: 'm', contextWindow: 64000 }), {
      baseUrl: 'https://a.example/v1',
      id: 'm',
      contextWindow: 64000,
    })
  })

  it('says which setting is wrong', () => {
    assert.throws(
      () => endpointSetting({ baseUrl: 'https://a.example', id: '', contextWindow: null }),
      /planMode\.model\.id/,
    )
    assert.throws(() => endpointSetting({ baseUrl: 'https://a.example', id: 'm', contextWindow: -1 }), /contextWindow/)
    const images = (value: unknown) =>
      endpointSetting({ baseUrl: 'https://a.example', id: 'm', contextWindow: null, images: value })
    assert.equal(images(false)?.images, false)
    for (const value of [true, null, undefined]) assert.ok(!('images' in (images(value) ?? {})))
    assert.throws(() => images('no'), /images/)
    assert.throws(() => endpointSetting({ baseUrl: 7, id: 'm', contextWindow: null }), /baseUrl/)
  })
})

describe('planMode.approval.policy', () => {
  it('asks by default, and refuses everything when it cannot be read or the workspace is not trusted', () => {
    assert.equal(approvalSetting(undefined, true), 'ask')
    assert.equal(approvalSetting('never', true), 'never')
    assert.equal(approvalSetting('always', true), 'never')
    assert.equal(approvalSetting('ask', false), 'never')
  })
})

describe('planMode.tools.mode', () => {
  it('runs no programs unless it says so in so many words', () => {
    for (const mode of ['native', 'code', 'both'] as const) assert.equal(toolsModeSetting(mode), mode)
    for (const odd of [undefined, null, '', 'Code', 1, ['code']]) assert.equal(toolsModeSetting(odd), 'native')
  })
})

describe('isInside', () => {
  it('is about names, not prefixes', () => {
    assert.ok(isInside('/a/b', '/a/b/c'))
    assert.ok(isInside('/a/b', '/a/b/..c'))
    assert.ok(!isInside('/a/b', '/a/bc'))
    assert.ok(!isInside('/a/b', '/a/b'))
    assert.ok(!isInside('/a/b', '/a/b/../c'))
  })
})
