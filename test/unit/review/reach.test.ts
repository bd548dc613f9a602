import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isTest, MOST_NAMED, namedIn, symbolOf } from '../../../src/review/reach.ts'

describe('what a plan names', () => {
  it('finds paths in code and links, and names in code, in order and once', () => {
    const text = [
      '# Wire `src/http/router.ts` in',
      '',
      '- [the limits](./src/config.ts#L4), `src/http/router.ts:12`, `README.md`, `limits.enforce`',
      '- `takeToken()`, `Bucket.refill`, `RateLimiter`, `std::sync`',
      '',
      '| file |',
      '| - |',
      '| `test/a.test.ts` |',
      '',
      '```ts',
      '`not/here.ts`',
      '```',
    ].join('\n')
    assert.deepEqual(namedIn(text), {
      files: ['src/http/router.ts', 'src/config.ts', 'test/a.test.ts'],
      either: ['README.md', 'limits.enforce', 'Bucket.refill'],
      symbols: ['takeToken', 'RateLimiter', 'sync'],
    })
  })

  it('takes no address, no way out of the folder, no number and no plain word', () => {
    const codes = ['https://a.b/c.d', '../x/y.ts', 'a/../../b.ts', '/etc/passwd', '~/x.y', 'C:\\x.ts', '1/2.5', '429']
    const words = ['Retry-After', 'free', 'a b', 'x = y', '', '`', 'javascript:alert(1)', 'command:x.y']
    const text = [...codes, ...words].map(code => `\`${code}\` [x](<${code}>)`).join('\n\n')
    assert.deepEqual(namedIn(text), { files: [], either: [], symbols: [] })
  })

  it('is bounded, and reads any text', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `\`a/${index}.ts\``).join(' ')
    assert.equal(namedIn(many).files.length, MOST_NAMED)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        for (const path of namedIn(`\`${text}\` [x](<${text}>)`).files) {
          assert.ok(!path.split('/').includes('..') && !/^[/~]|^[a-z]+:/i.test(path), path)
        }
      }),
    )
  })

  it('knows tests by their names', () => {
    const tests = ['test/http/a.ts', 'src/a.test.ts', 'a_test.go', 'test_a.py', 'src/__tests__/a.ts', 'A/FooTest.java']
    for (const path of tests) assert.ok(isTest(path), path)
    for (const path of ['src/latest.ts', 'src/contest/a.ts', 'src/testing.ts', 'spec.md'])
      assert.ok(!isTest(path), path)
  })

  it('looks a symbol up by its last part', () => {
    assert.equal(symbolOf('Bucket.take()'), 'take')
    assert.equal(symbolOf('free'), undefined)
  })
})
