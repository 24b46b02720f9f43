/** `fettle merge`: shards joined into one run. */
import type { Command } from '../../command.ts'
import type { Option } from '../../options/option.ts'
import { ANSWERS_DIR, DROP_DECISIONS, EXECUTION, QUIET_OR_VERBOSE, RUN_KEY } from '../options.ts'

const MIXED_REGISTERS: Option = {
  name: 'mixed-registers',
  type: 'switch',
  describe: 'Join shards that were matched against different registers, or different imports of one',
}

export const merge: Command = {
  usage: 'merge <run..>',
  summary: 'Join the results of shards into the outputs and the report of one run',
  positionals: [
    {
      name: 'run',
      type: 'list',
      isRequired: true,
      describe: 'Runs of shards or their folders; or a pipeline name, for the latest run of each shard',
    },
  ],
  options: [ANSWERS_DIR, RUN_KEY, DROP_DECISIONS, MIXED_REGISTERS, ...EXECUTION],
  conflicts: QUIET_OR_VERBOSE,
  examples: [
    ['fettle merge suppliers', 'join the latest shards of a pipeline, in the order of the list'],
    ['fettle merge pod-1/latest pod-2/latest', 'join shards by the folders of their runs'],
  ],
  load: () => import('./run.ts'),
}
