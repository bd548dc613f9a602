import assert from 'node:assert/strict'
import { eachBounded } from '../../../src/vscode/bounded.ts'

describe('work on many items', () => {
  it('runs a few at a time, in order, each once', async () => {
    const begun: number[] = []
    let running = 0
    let most = 0
    await eachBounded([1, 2, 3, 4, 5, 6, 7], { limit: 3, signal: new AbortController().signal }, async item => {
      begun.push(item)
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
    })
    assert.deepEqual(begun, [1, 2, 3, 4, 5, 6, 7])
    assert.equal(most, 3)
  })

  it('begins nothing more once it is called off', async () => {
    const stop = new AbortController()
    const begun: number[] = []
    await eachBounded([1, 2, 3, 4], { limit: 2, signal: stop.signal }, async item => {
      begun.push(item)
      await new Promise(setImmediate)
      stop.abort()
    })
    assert.deepEqual(begun, [1, 2])
  })

  it('tells of the first failure, after everything that began has settled', async () => {
    let settled = 0
    const work = eachBounded([1, 2], { limit: 2, signal: new AbortController().signal }, async item => {
      if (item === 1) throw new Error('one')
      await new Promise(setImmediate)
      settled++
    })
    await assert.rejects(work, /one/)
    assert.equal(settled, 1)
  })
})
