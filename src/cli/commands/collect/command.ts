/** `fettle collect`: the rest of a detached run. */
import type { Command } from '../../command.ts'
import { EXECUTION, QUIET_OR_VERBOSE, RECORD, RUN } from '../options.ts'

export const collect: Command = {
  usage: 'collect [run]',
  summary: 'Finish a detached run: wait, enrich, download, check, report',
  positionals: [RUN],
  options: [...EXECUTION, RECORD],
  conflicts: QUIET_OR_VERBOSE,
  examples: [
    ['fettle collect nightly --json', 'finish a detached run, up to its report'],
    ['fettle collect nightly --timeout 10m', 'wait up to ten minutes; exit code 75 after that'],
  ],
  load: async () => (await import('../resume/run.ts')).bodyOf('collect'),
}
