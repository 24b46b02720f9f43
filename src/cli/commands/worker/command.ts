/** `fettle worker`: shards of a queue run in this process. */
import type { Command } from '../../command.ts'
import { QUIET, QUIET_OR_VERBOSE, queueOptions, RUNS_DIR, VERBOSE } from '../options.ts'

export const worker: Command = {
  usage: 'worker',
  summary: 'Run shards that run --queue adds to a queue, until stopped',
  options: [
    RUNS_DIR,
    ...queueOptions('Redis of the queue: redis://host:6379', true),
    {
      name: 'input-from',
      type: 'list',
      describe: 'Fetch lists from this address, or below it if it ends in a slash; default: from no address',
    },
    { name: 'concurrency', default: '1', describe: 'Shards at once in this process' },
    QUIET,
    VERBOSE,
  ],
  conflicts: QUIET_OR_VERBOSE,
  examples: [
    ['fettle worker --queue redis://queue', 'run shards until SIGTERM'],
    ['fettle worker --queue redis://queue --concurrency 4', 'four shards at once'],
  ],
  load: () => import('./run.ts'),
}
