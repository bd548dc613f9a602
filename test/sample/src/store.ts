export interface Scan {
  place: string
  at: string
}

export interface Parcel {
  id: string
  recipient: string
  address: string
  createdAt: string
  scans: Scan[]
}

/** Parcels in memory, in the order they were created. */
export class ParcelStore {
  readonly #parcels = new Map<string, Parcel>()

  create(recipient: string, address: string, now = new Date()): Parcel {
    const id = `p_${this.#parcels.size + 1}`
    const parcel: Parcel = { id, recipient, address, createdAt: now.toISOString(), scans: [] }
    this.#parcels.set(id, parcel)
    return parcel
  }

  get(id: string): Parcel | undefined {
    return this.#parcels.get(id)
  }

  /** Newest first. */
  list(): Parcel[] {
    return [...this.#parcels.values()].reverse()
  }

  addScan(id: string, place: string, now = new Date()): Parcel | undefined {
    const parcel = this.#parcels.get(id)
    parcel?.scans.push({ place, at: now.toISOString() })
    return parcel
  }
}
