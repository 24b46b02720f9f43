import { readdirSync } from 'node:fs'

/** The sources that `src/errors.ts` consists of, under `src` and without ending, for tests that compile a part of the program. */
export const ERRORS = [
  'errors',
  ...readdirSync(new URL('../../src/errors/', import.meta.url)).map(name => `errors/${name.replace(/\.ts$/, '')}`),
]
