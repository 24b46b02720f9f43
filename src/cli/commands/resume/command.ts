/** `fettle resume`: a run continued from its journal. */
import type { Command } from '../../command.ts'
import { EXECUTION, QUIET_OR_VERBOSE, RECORD, RUN } from '../options.ts'

export const resume: Command = {
  usage: 'resume [run]',
  summary: 'Resume a run from where it stopped',
  positionals: [RUN],
  options: [...EXECUTION, RECORD],
  conflicts: QUIET_OR_VERBOSE,
  examples: [
    ['fettle resume', 'resume the latest run'],
    ['fettle resume nightly --timeout 2h', 'resume the latest run of a pipeline, and wait up to two hours'],
  ],
  load: async () => (await import('./run.ts')).bodyOf('resume'),
}
