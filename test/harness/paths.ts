// The folders of this clone that the harness works with.
import { fileURLToPath } from 'node:url'

/** The clone itself; also the extension's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
/** The sample workspace; copied before anything opens it. */
export const sample = fileURLToPath(new URL('../sample', import.meta.url))
