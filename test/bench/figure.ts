// One line of the benchmark: what was measured, and whether it is where it should be.
export interface Figure {
  readonly name: string
  readonly unit: string
  /** Null: this project does not have it yet, or it failed. */
  readonly ours: number | null
  readonly peer: number | null
  readonly floor: number | null
  /** Ours by what it is held against: the peer, the floor, or ours on a small log, as the name says. */
  readonly ratio: number | null
  /** The most that `ratio` may be. */
  readonly goal: number
  readonly ok: boolean
}

export interface Taken {
  readonly name: string
  readonly unit: string
  readonly ours?: number | undefined
  readonly peer?: number | undefined
  readonly floor?: number | undefined
  readonly against: number | undefined
  readonly goal: number
  /** Said to people only. */
  readonly note?: string | undefined
}

/** The JSON line on standard output, the same in words on standard error. */
export function report({ name, unit, ours, peer, floor, against, goal, note }: Taken): void {
  const ratio = ours === undefined || against === undefined ? null : rounded(ours / against)
  const ok = ratio !== null && ratio <= goal
  const value = (given: number | undefined) => (given === undefined ? null : rounded(given))
  const figure: Figure = { name, unit, ours: value(ours), peer: value(peer), floor: value(floor), ratio, goal, ok }
  console.log(JSON.stringify(figure))
  const shown = (given: number | null) => (given === null ? '–' : String(given)).padStart(9)
  const values = `${shown(figure.ours)} ${shown(figure.peer)} ${shown(figure.floor)} ${unit.padEnd(3)}`
  const verdict = `${shown(ratio)} of at most ${String(goal).padEnd(5)} ${ok ? 'ok' : 'MISSED'}`
  console.error(`${name.padEnd(34)} ${values} ${verdict}${note === undefined ? '' : `  (${note})`}`)
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
