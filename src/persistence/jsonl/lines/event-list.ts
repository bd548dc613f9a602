import type { JsonObject, StoredEvent } from '../../../session/envelope.ts'
import { expandRow } from '../packed-rows.ts'
import type { LineSink } from './line-scan.ts'

/** Every event, packed rows expanded. */
export class EventList implements LineSink {
  readonly events: StoredEvent[] = []

  get length(): number {
    return this.events.length
  }

  group(): void {}

  event(event: StoredEvent): void {
    this.events.push(event)
  }

  row(row: JsonObject): void {
    for (const member of expandRow(row) ?? []) this.events.push(member)
  }
}
