// The address of an endpoint: parsed once, here, and only used in parsed form.
import { z } from 'zod'
import { ModelError } from '../agent/model.ts'

/** A parsed base URL. `url` has no trailing slash and no query; `host` is for people (with the port when there is one). */
export interface BaseUrl {
  readonly url: string
  readonly origin: string
  readonly host: string
  readonly query: Readonly<Record<string, string>>
  /** True when what is sent travels encrypted or does not leave this machine. */
  readonly confidential: boolean
}

const httpUrl = z.url({ protocol: /^https?$/, hostname: /./ })

/**
 * Parses the address in `planMode.model.baseUrl`. A pasted `/chat/completions` at its end is dropped.
 * @throws ModelError `BAD_BASE_URL`; its message never repeats the address, which may hold a password.
 */
export function parseBaseUrl(text: string): BaseUrl {
  const parsed = httpUrl.safeParse(text.trim())
  if (!parsed.success) {
    throw badUrl('is not an http or https address, such as https://api.example.com/v1')
  }
  const url = new URL(parsed.data)
  if (url.username !== '' || url.password !== '') {
    throw badUrl('holds a user name or password. Remove it, and store a key with "Plan: Set API Key"')
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  return {
    url: url.origin + path,
    origin: url.origin,
    host: url.host,
    query: Object.fromEntries(url.searchParams),
    confidential: url.protocol === 'https:' || isLoopback(url.hostname),
  }
}

/** The origin that a key belongs to. @throws ModelError `BAD_BASE_URL` */
export function originOf(baseUrl: string): string {
  return parseBaseUrl(baseUrl).origin
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

function badUrl(what: string): ModelError {
  return new ModelError({
    code: 'BAD_BASE_URL',
    message: `The model's base URL ${what}. Change the setting planMode.model.baseUrl.`,
  })
}
