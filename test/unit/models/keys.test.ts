import assert from 'node:assert/strict'
import { originOf } from '../../../src/models/base-url.ts'
import { ApiKeys } from '../../../src/models/keys.ts'

function memorySecrets() {
  const values = new Map<string, string>()
  return {
    values,
    get: async (name: string) => values.get(name),
    store: async (name: string, value: string) => void values.set(name, value),
    delete: async (name: string) => void values.delete(name),
  }
}

describe('API keys', () => {
  it('belong to one origin: scheme, host and port', async () => {
    const keys = new ApiKeys(memorySecrets())
    await keys.set('https://api.example.com/v1', ' key-one \n')
    await keys.set('https://other.example.com', 'key-two')
    assert.equal(await keys.forOrigin('https://api.example.com'), 'key-one')
    assert.equal(await keys.forOrigin('https://API.example.com:443/elsewhere'), 'key-one')
    for (const origin of [
      'http://api.example.com',
      'https://api.example.com:8443',
      'https://api.example.com.evil.test',
      'https://example.com',
    ]) {
      assert.equal(await keys.forOrigin(origin), undefined, origin)
    }
    await keys.clear('https://api.example.com')
    assert.equal(await keys.forOrigin('https://api.example.com'), undefined)
    assert.equal(await keys.forOrigin('https://other.example.com'), 'key-two')
  })

  it('are refused, and nothing is stored, when a request could not carry them', async () => {
    const secrets = memorySecrets()
    const keys = new ApiKeys(secrets)
    for (const key of ['', '  ', 'two words', 'line\nbreak', 'schlüssel']) {
      await assert.rejects(keys.set('https://api.example.com', key), { code: 'BAD_KEY' })
    }
    await assert.rejects(keys.set('not a url', 'key'), { code: 'BAD_BASE_URL' })
    assert.equal(secrets.values.size, 0)
  })
})

describe('originOf', () => {
  it('is the scheme, host and port of a base URL', () => {
    assert.equal(originOf('https://api.example.com/v1/'), 'https://api.example.com')
    assert.equal(originOf('http://localhost:11434/v1'), 'http://localhost:11434')
    assert.throws(() => originOf('api.example.com'), { code: 'BAD_BASE_URL' })
  })
})
