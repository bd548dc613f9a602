import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Router } from '../src/router.ts'

const ok = () => ({ status: 200, body: null })

test('finds a route and its parameters', () => {
  const router = new Router().on('GET', '/parcels/:id', ok)
  assert.deepEqual(router.find('GET', '/parcels/p_1')?.params, { id: 'p_1' })
})

test('keeps methods apart', () => {
  const router = new Router().on('GET', '/parcels', ok)
  assert.equal(router.find('POST', '/parcels'), undefined)
})
