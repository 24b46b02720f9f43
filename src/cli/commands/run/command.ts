/** `fettle run`: pipelines executed side by side. */
import type { Command } from '../../command.ts'
import {
  DROP_DECISIONS,
  EXECUTION,
  NEW_RUN,
  PIPELINES,
  QUIET_OR_VERBOSE,
  queueOptions,
  RECORD,
  REGISTER_CONFLICTS,
  REUSE,
  RUN_KEY,
  SOURCES,
} from '../options.ts'

export const run: Command = {
  usage: 'run <pipeline..>',
  summary: 'Run pipelines; resumes an unfinished run of the same plan',
  positionals: [PIPELINES],
  options: [
    ...SOURCES,
    ...REUSE,
    ...EXECUTION,
    RECORD,
    ...queueOptions('Have workers run the shards, through this Redis: redis://host:6379; see fettle worker'),
    { name: 'shards', describe: 'With --queue: number of shards; default: the number of remote jobs of the plan' },
    { name: 'dry-run', type: 'switch', describe: 'Print the plan and send nothing' },
    { name: 'detach', type: 'switch', describe: 'Exit once every remote job is submitted; see status and collect' },
    NEW_RUN,
    RUN_KEY,
    DROP_DECISIONS,
  ],
  conflicts: {
    ...QUIET_OR_VERBOSE,
    ...REGISTER_CONFLICTS,
    'dry-run': ['json', 'result-file', 'new', 'reporter', 'detach', 'skip-code', 'queue', 'record'],
    queue: ['shard', 'record'],
  },
  implies: { shards: 'queue', 'queue-name': 'queue' },
  examples: [
    ['fettle run nightly.yml', 'run a pipeline, or resume its unfinished run'],
    ['fettle run nightly.yml --json -q', 'for a scheduler: print only the result line'],
    ['fettle run nightly.yml --run-key "$RUN_ID"', 'a further attempt of this run of a schedule sends nothing once it is done'],
    [
      'fettle run pipelines --select tag:nightly --target prod',
      'the pipelines of a folder with this tag, where fettle.yml puts prod',
    ],
    ['fettle run nightly.yml --register uk', 'against one of the registers of this machine'],
    ['fettle run nightly.yml --input extract.csv --limit 100', 'the first hundred rows of another list'],
    ['fettle run nightly.yml --shard 3/8', 'the third of eight parts of the list; fettle merge joins them'],
    ['fettle run nightly.yml --queue redis://queue', 'in shards, on workers'],
    ['fettle run nightly.yml --detach --json', 'submit only; fettle status and fettle collect do the rest'],
    ['fettle run nightly.yml --record case.jsonl', 'record a case for a bug report, without data'],
    ['fettle run nightly.yml --reporter junit=fettle.xml', 'with a JUnit file for CI'],
  ],
  load: () => import('./run.ts'),
}
