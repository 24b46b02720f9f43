/** Whether a command trusts its pipelines, as a setting that the whole call reads. */
import type { Io } from './terminal/io.ts'

/** The same settings, with FETTLE_UNTRUSTED set. */
export const withTrust = (variables: Io['env'], isTrusted: boolean): Io['env'] => ({
  ...variables,
  FETTLE_UNTRUSTED: isTrusted ? '0' : '1',
})
