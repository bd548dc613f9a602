export interface Config {
  port: number
  maxBodyBytes: number
}

export function loadConfig(env: Record<string, string | undefined>): Config {
  return {
    port: positive('PORT', env.PORT, 8080),
    maxBodyBytes: positive('MAX_BODY_BYTES', env.MAX_BODY_BYTES, 16_384),
  }
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!Number.isInteger(value) || value <= 0) throw new Error(`${name} must be a positive whole number, not "${text}"`)
  return value
}
