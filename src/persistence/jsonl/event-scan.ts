import type { StoredEvent } from '../../session/envelope.ts'
import { EventList } from './lines/event-list.ts'
import { LineScan } from './lines/line-scan.ts'

/** A scan that keeps all events at hand. */
export class EventScan extends LineScan<EventList> {
  constructor(file: string) {
    super(file, new EventList())
  }

  /** Seqs from 0, packed rows expanded. */
  get events(): StoredEvent[] {
    return this.sink.events
  }
}
