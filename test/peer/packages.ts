// The peer's modules, as far as they are used here. Their own types are not there before they are installed.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export type PeerEncoding = 'none' | 'zstd'

export interface PeerEvent {
  readonly type: string
  readonly seq: number
  readonly time: number
  readonly data: unknown
}

export interface PeerSession {
  readonly header: { readonly id: string }
  readonly events: readonly PeerEvent[]
  append(type: string, data: unknown, options?: object): PeerEvent
  deriveMessages(): readonly unknown[]
}

export interface PeerPreparation extends Disposable {
  readonly session: PeerSession
}

export interface PeerPersistence {
  create(header: object): Promise<void>
  append(id: string, events: readonly object[]): Promise<void>
  prepare(id: string): Promise<PeerPreparation>
  load(id: string): Promise<{ readonly events: readonly PeerEvent[] }>
  inspect(id: string): Promise<{ readonly events: readonly PeerEvent[] }>
  readFrom(id: string, fromSeq: number): Promise<{ readonly events: readonly PeerEvent[] }>
  list(): Promise<readonly { readonly id: string }[]>
}

export interface PeerSessions {
  create(id: string, options?: { readonly seed?: readonly object[]; readonly meta?: object }): PeerSession
  fork(source: PeerSession, boundary: number, childId: string): PeerSession
  flush(session: PeerSession): Promise<void>
}

interface PeerContext {
  readonly sessions: PeerSessions
  readonly sessionPersistence: PeerPersistence
  readonly fiber: { dispose(): Promise<void> }
  plugin(plugin: unknown, config?: object): PromiseLike<unknown>
}

export interface PeerPackages {
  readonly Context: new () => PeerContext
  readonly SessionStore: unknown
  readonly JsonlSessionPersistence: unknown
  readonly Session: { create(id: string, seed: readonly object[]): PeerSession }
  foldPlanMode(events: readonly PeerEvent[]): boolean
}

/** The modules; `installPeer` comes first. */
export async function peerPackages(): Promise<PeerPackages> {
  const [cordis, session, jsonl, plan] = await Promise.all(
    ['cordis', 'dsh-session', 'dsh-session-persistence-jsonl', 'dsh-plan-mode'].map(moduleOf),
  )
  return { ...cordis, ...session, ...jsonl, ...plan }
}

export function moduleOf(name: string) {
  const file = join(import.meta.dirname, 'node_modules', '@deepseek-ai', name, 'lib', 'index.js')
  return import(pathToFileURL(file).href)
}
