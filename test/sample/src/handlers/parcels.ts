import { readJson, text } from '../body.ts'
import type { Config } from '../config.ts'
import { HttpError } from '../errors.ts'
import type { Handler } from '../router.ts'
import type { Parcel, ParcelStore } from '../store.ts'

export function listParcels(store: ParcelStore): Handler {
  return () => ({ status: 200, body: store.list() })
}

export function getParcel(store: ParcelStore): Handler {
  return (_request, params) => ({ status: 200, body: found(store.get(params.id ?? ''), params.id) })
}

export function createParcel(store: ParcelStore, config: Config): Handler {
  return async request => {
    const body = await readJson(request, config.maxBodyBytes)
    return { status: 201, body: store.create(text(body, 'recipient'), text(body, 'address')) }
  }
}

export function addScan(store: ParcelStore, config: Config): Handler {
  return async (request, params) => {
    const body = await readJson(request, config.maxBodyBytes)
    return { status: 201, body: found(store.addScan(params.id ?? '', text(body, 'place')), params.id) }
  }
}

function found(parcel: Parcel | undefined, id: string | undefined): Parcel {
  if (parcel) return parcel
  throw new HttpError('not_found', `There is no parcel "${id}"`)
}
