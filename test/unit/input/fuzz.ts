/** How long properties are tried: a few seconds with a fixed seed, or FETTLE_FUZZ=N times as long with a fresh one. */
const named = process.env.FETTLE_FUZZ
const times = Math.max(1, Number(named ?? 1))

/** What a test of one such property is given: it ends by itself before that. */
export const FUZZ_TIMEOUT = 90_000 * times

/** fast-check's parameters for a property with this many rounds, fewer on a busy machine; it prints the seed of a failure itself. */
export const fuzz = (rounds: number): { numRuns: number; interruptAfterTimeLimit: number; seed?: number } => ({
  numRuns: rounds * times,
  interruptAfterTimeLimit: 20_000 * times,
  ...(named === undefined ? { seed: 20_260_331 } : {}),
})
