/** `fettle runs`: the stored runs, and the removal of old ones. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUNS_DIR } from '../options.ts'

export const runs: Command = {
  usage: 'runs [action]',
  summary: 'List the stored runs, newest first, or remove old ones',
  positionals: [
    {
      name: 'action',
      choices: ['list', 'prune'],
      describe: 'list, or prune: remove old runs, and keep job ids, credits and correlation ids; default: list',
    },
  ],
  options: [
    RUNS_DIR,
    JSON_RESULT,
    { name: 'older-than', default: '90d', describe: 'prune: age of the runs to remove' },
    { name: 'pipeline', describe: 'prune: only runs of this pipeline' },
    { name: 'all', type: 'switch', describe: 'prune: also the newest and the last good run of a pipeline' },
    { name: 'dry-run', type: 'switch', describe: 'prune: only list what would be removed' },
  ],
  examples: [
    ['fettle runs', 'the stored runs, newest first'],
    ['fettle runs prune --older-than 30d --dry-run', 'what would be removed'],
  ],
  load: () => import('./run.ts'),
}
