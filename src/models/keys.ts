import { PlanModeError } from '../session/errors.ts'
import { originOf } from './base-url.ts'

/** The part of an editor's secret storage that is used; values never leave it but for the origin they belong to. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>
  store(name: string, value: string): PromiseLike<void>
  delete(name: string): PromiseLike<void>
}

/**
 * API keys, one per origin. A key is only ever handed out for exactly the origin (scheme, host, port) that it was
 * stored for, so a changed base URL finds no key instead of sending an old one to a new place.
 */
export class ApiKeys {
  readonly #secrets: SecretStore

  constructor(secrets: SecretStore) {
    this.#secrets = secrets
  }

  /** The key of an origin; undefined when none is stored. @throws ModelError `BAD_BASE_URL` */
  async forOrigin(origin: string): Promise<string | undefined> {
    return await this.#secrets.get(secretName(origin))
  }

  /** Stores a key, without white space around it. @throws PlanModeError `BAD_KEY` when a request could not carry it. */
  async set(origin: string, key: string): Promise<void> {
    const name = secretName(origin)
    const trimmed = key.trim()
    if (!isSendable(trimmed)) {
      throw new PlanModeError(
        'BAD_KEY',
        'An API key is one run of plain letters, digits and signs. Nothing was stored.',
      )
    }
    await this.#secrets.store(name, trimmed)
  }

  /** Forgets the key of an origin, if there is one. */
  async clear(origin: string): Promise<void> {
    await this.#secrets.delete(secretName(origin))
  }
}

/** True when a request header can carry the key: visible ASCII, not empty. */
export function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key)
}

function secretName(origin: string): string {
  return `planMode.apiKey:${originOf(origin)}`
}
