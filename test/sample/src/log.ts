export type Level = 'info' | 'error'

export function log(level: Level, message: string, fields: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), level, message, ...fields }))
}
