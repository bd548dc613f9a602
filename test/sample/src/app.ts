import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from './config.ts'
import { HttpError } from './errors.ts'
import { health } from './handlers/health.ts'
import { addScan, createParcel, getParcel, listParcels } from './handlers/parcels.ts'
import { log } from './log.ts'
import { type Answer, Router } from './router.ts'
import type { ParcelStore } from './store.ts'

export type App = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export function createApp(store: ParcelStore, config: Config): App {
  const router = new Router()
    .on('GET', '/health', health)
    .on('GET', '/parcels', listParcels(store))
    .on('GET', '/parcels/:id', getParcel(store))
    .on('POST', '/parcels', createParcel(store, config))
    .on('POST', '/parcels/:id/scans', addScan(store, config))

  return async (request, response) => {
    const { status, body } = await answer(router, request).catch(failure)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

async function answer(router: Router, request: IncomingMessage): Promise<Answer> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  const route = router.find(request.method ?? 'GET', path)
  if (!route) throw new HttpError('not_found', `There is no ${request.method} ${path}`)
  return route.handler(request, route.params)
}

function failure(error: unknown): Answer {
  if (error instanceof HttpError) {
    return { status: error.status, body: { error: { code: error.code, message: error.message } } }
  }
  log('error', 'a request failed', { cause: String(error) })
  return { status: 500, body: { error: { code: 'internal', message: 'Something went wrong' } } }
}
