import assert from 'node:assert/strict'
import { PlanModeError } from '../../../src/session/errors.ts'
import { Problems } from '../../../src/vscode/problems.ts'

function failing(message: string): () => never {
  return () => {
    throw new PlanModeError('BAD', message)
  }
}

describe('the problems of a window', () => {
  it('shows the first one until its own check succeeds, and tells only of changes', () => {
    const problems = new Problems()
    let told = 0
    problems.changed.on(() => told++)
    problems.check('a', 'planMode.policy', failing('first'))
    problems.check('b', 'planMode.log.root', failing('second'))
    problems.check('b', 'planMode.log.root', failing('second'))
    assert.equal(problems.first?.error.message, 'first')
    assert.equal(told, 2)
    problems.check('a', 'planMode.policy', () => {})
    assert.deepEqual([problems.first?.error.message, problems.first?.setting], ['second', 'planMode.log.root'])
  })

  it('lets go of what sources report that are gone', () => {
    const problems = new Problems()
    problems.check('policy:file:///gone', 'planMode.policy', failing('gone'))
    problems.check('policy:file:///here', 'planMode.policy', failing('here'))
    problems.retain(source => source.endsWith(':file:///here'))
    assert.equal(problems.first?.error.message, 'here')
    problems.retain(() => false)
    assert.equal(problems.first, undefined)
  })

  it('leaves what is no problem of its own to the caller', () => {
    const broken = () => {
      throw new TypeError('a fault')
    }
    assert.throws(() => new Problems().check('a', 'planMode.policy', broken), TypeError)
  })
})
