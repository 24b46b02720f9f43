/** `fettle plan`: cost and changes of a run before it starts. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, PIPELINES, REGISTER_CONFLICTS, REUSE, RUN_KEY, RUNS_DIR, SOURCES, TRUSTED } from '../options.ts'

export const plan: Command = {
  usage: 'plan <pipeline..>',
  summary: 'Show rows, cost and changes of the next run, and what the account has left',
  positionals: [PIPELINES],
  isUntrusted: true,
  options: [
    ...SOURCES,
    TRUSTED,
    ...REUSE,
    RUN_KEY,
    RUNS_DIR,
    JSON_RESULT,
    { name: 'offline', type: 'switch', describe: 'Do not ask the service what the account has left' },
    { name: 'shards', describe: 'List this many shards of the list, for run --shard' },
  ],
  conflicts: { ...REGISTER_CONFLICTS, shards: ['shard'] },
  examples: [
    ['fettle plan nightly.yml', 'rows, requests and credits of a run, and changes since the last run'],
    ['fettle plan nightly.yml --shards 8 --json', 'the list of shards, for a scheduler'],
  ],
  load: () => import('./run.ts'),
}
