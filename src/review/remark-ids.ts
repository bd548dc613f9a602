/** `C1`, `C2` …: the ids that come after those that are taken. */
export function nextIds(taken: readonly string[], count: number): string[] {
  const last = taken.reduce((most, id) => Math.max(most, numberOf(id)), 0)
  return Array.from({ length: count }, (_, index) => `C${last + index + 1}`)
}

export function numberOf(id: string): number {
  return Number(id.slice(1))
}
