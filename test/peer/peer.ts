// The real program's session log on one root: its store and its JSONL backend, mounted as the program mounts them.
import {
  type PeerEncoding,
  type PeerPackages,
  type PeerPersistence,
  type PeerSession,
  type PeerSessions,
  peerPackages,
} from './packages.ts'

export interface PeerOptions {
  readonly root: string
  readonly encoding?: PeerEncoding
  /** Whether it writes packed rows; its default is yes. */
  readonly packed?: boolean
}

/** What the real program makes of a log, without writing to it. */
export interface PeerReading {
  /** With the closers that recovery adds. */
  readonly events: number
  readonly closers: readonly string[]
  readonly planActive: boolean
  readonly derived: readonly unknown[]
}

export class Peer implements AsyncDisposable {
  readonly packages: PeerPackages
  readonly sessions: PeerSessions
  readonly persistence: PeerPersistence
  readonly #dispose: () => Promise<void>

  constructor(packages: PeerPackages, context: InstanceType<PeerPackages['Context']>) {
    this.packages = packages
    this.sessions = context.sessions
    this.persistence = context.sessionPersistence
    this.#dispose = () => context.fiber.dispose()
  }

  async read(id: string): Promise<PeerReading> {
    const { events } = await this.persistence.inspect(id)
    const stored = await this.persistence.readFrom(id, 0)
    // A session of existing events gets a mark at its end, so this one is for looking only.
    const looked: PeerSession = this.packages.Session.create(id, events)
    return {
      events: events.length,
      closers: events.slice(stored.events.length).map(({ type }) => type),
      planActive: this.packages.foldPlanMode(events),
      derived: looked.deriveMessages(),
    }
  }

  /** Drains what is queued. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#dispose()
  }
}

/** Opens a root; `installPeer` comes first. */
export async function openPeer({ root, encoding = 'none', packed = true }: PeerOptions): Promise<Peer> {
  const packages = await peerPackages()
  const context = new packages.Context()
  await context.plugin(packages.SessionStore)
  await context.plugin(packages.JsonlSessionPersistence, { root, compression: encoding, packChunks: packed })
  return new Peer(packages, context)
}
