/** Which cells need a process of their own; all others are played in this one. */
import type { Cell } from './data.ts'

const ALONE = new Set(['disk', 'kill', 'signal', 'stdoutClosed', 'sameOutput'])

export const isAlone = ({ lever }: Cell): boolean => lever !== undefined && ALONE.has(lever.kind)
