/** Which points of a walk too long for the deep project are taken: every `step`th, or all of them with FETTLE_EVERY_KILL=1 (CONTRIBUTING.md). */
export const isWhole = process.env.FETTLE_EVERY_KILL === '1'

const seed = Number(process.env.FETTLE_SEED ?? 20261124)

/** The seed, FETTLE_SEED, decides where it begins. */
export const stride = (step: number): { readonly first: number; readonly step: number } =>
  isWhole ? { first: 1, step: 1 } : { first: 1 + (seed % step), step }
