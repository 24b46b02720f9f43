/** Compiles what is out of date in ./dist. */
export function buildForTests(): void
