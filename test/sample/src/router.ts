import type { IncomingMessage } from 'node:http'

export interface Answer {
  status: number
  body: unknown
}

export type Handler = (request: IncomingMessage, params: Record<string, string>) => Answer | Promise<Answer>

interface Route {
  method: string
  parts: string[]
  handler: Handler
}

export class Router {
  readonly #routes: Route[] = []

  /** `path` may hold parameters: `/parcels/:id`. */
  on(method: string, path: string, handler: Handler): this {
    this.#routes.push({ method, parts: path.split('/'), handler })
    return this
  }

  find(method: string, path: string): { handler: Handler; params: Record<string, string> } | undefined {
    const parts = path.split('/')
    for (const route of this.#routes) {
      const params = route.method === method ? match(route.parts, parts) : undefined
      if (params) return { handler: route.handler, params }
    }
    return undefined
  }
}

function match(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? ''
    if (expected.startsWith(':')) params[expected.slice(1)] = decodeURIComponent(part)
    else if (expected !== part) return undefined
  }
  return params
}
