// Loaded before the tests of the long profile: one seed for every property, and more runs where a test names no number.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.SEED), numRuns: Number(process.env.PROPERTY_RUNS) })
