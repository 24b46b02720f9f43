/** Brings ./dist (without declarations) and ./build up to date. */
export function buildForTests(): Promise<void>
/** Removes the types of a source. Throws with file, line and column of a syntax error. */
export function compile(file: string, text: string): string
