/** Selects the cells that need a child process; all others run in this one. */
import type { Cell } from './data.ts'

const ALONE = new Set(['disk', 'kill', 'signal', 'stdoutClosed', 'sameOutput'])

export const isAlone = ({ lever }: Cell): boolean => lever !== undefined && ALONE.has(lever.kind)
