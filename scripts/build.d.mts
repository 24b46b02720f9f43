/** Brings ./dist (without declarations) and ./build up to date. */
export function buildForTests(): Promise<void>
