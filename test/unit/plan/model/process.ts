import * as rules from './reference.ts'

/** What survives the process once it is saved: plan mode's memory and the pending input. */
export interface Kept extends rules.Memory {
  readonly prompts: number
  readonly steers: number
}

/** Unwinds what a process was doing when it ended. */
class Died extends Error {}

/** What one process knows, what of it is saved, and where it ends: at any of its saves, before or behind it. */
export class Process {
  now: Kept = { ...rules.nothing, prompts: 0, steers: 0 }
  saved = this.now
  /** What the next save meets. */
  dies: 'no' | 'unsaved' | 'saved' = 'no'

  /** What the deed gives, `died` when the process ends in it. */
  live(deed: () => unknown): unknown {
    try {
      return deed()
    } catch (error) {
      if (!(error instanceof Died)) throw error
      this.crash()
      return 'died'
    }
  }

  save(): void {
    if (this.dies !== 'unsaved') this.saved = this.now
    if (this.dies !== 'no') throw new Died()
  }

  /** What was saved goes on; pending input waits for a wake. */
  crash(): void {
    this.now = this.saved
    this.dies = 'no'
  }

  reload(): void {
    this.saved = this.now
    this.crash()
  }

  /** A child has the mode, the selection and the review, and none of the pending input. */
  fork(): void {
    this.saved = { ...this.now, prompts: 0, steers: 0 }
    this.crash()
  }

  change(changes: Partial<Kept>): void {
    this.now = { ...this.now, ...changes }
  }
}
