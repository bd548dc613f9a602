/** Base of every error this project throws on purpose: programs route on `code`, people act on `message`. */
export class PlanModeError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** Makes a switch over a closed union exhaustive: the compiler refuses the call while a case is missing. */
export function assertNever(value: never): never {
  throw new PlanModeError('UNREACHABLE', `Unexpected value: ${JSON.stringify(value)}`)
}

/** The sentence to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
