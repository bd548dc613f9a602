import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, test } from 'node:test'
import { createApp } from '../src/app.ts'
import { ParcelStore } from '../src/store.ts'

let server: Server
let origin: string

before(async () => {
  const app = createApp(new ParcelStore(), { port: 0, maxBodyBytes: 1000 })
  server = createServer((request, response) => void app(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  origin = `http://127.0.0.1:${address.port}`
})

after(() => server.close())

test('creates a parcel and adds a scan', async () => {
  const created = await post('/parcels', { recipient: 'Ada', address: '12 Mill Lane' })
  assert.equal(created.status, 201)
  const scanned = await post('/parcels/p_1/scans', { place: 'Depot North' })
  assert.equal(scanned.status, 201)
})

test('refuses a parcel without an address', async () => {
  const response = await post('/parcels', { recipient: 'Ada' })
  assert.equal(response.status, 400)
  const expected = { error: { code: 'invalid_body', message: '"address" must be a non-empty string' } }
  assert.deepEqual(await response.json(), expected)
})

function post(path: string, body: unknown): Promise<Response> {
  return fetch(origin + path, { method: 'POST', body: JSON.stringify(body) })
}
