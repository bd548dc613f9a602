export type ErrorCode = 'not_found' | 'invalid_body' | 'too_large' | 'internal'

const statuses: Record<ErrorCode, number> = { not_found: 404, invalid_body: 400, too_large: 413, internal: 500 }

export class HttpError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }

  get status(): number {
    return statuses[this.code]
  }
}
