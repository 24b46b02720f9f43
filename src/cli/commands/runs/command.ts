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
    { name: 'pipeline', describe: 'Only runs of the pipeline of this name' },
    { name: 'target', describe: 'Only runs of this target of the project file fettle.yml' },
    { name: 'within', describe: 'With --pipeline: exit with 1 if no good run ended within this time, such as 26h' },
    { name: 'html', describe: 'Write the runs of each pipeline as charts and tables to this page' },
    { name: 'all', type: 'switch', describe: 'prune: also the newest and the last good run of a pipeline' },
    { name: 'dry-run', type: 'switch', describe: 'prune: only list what would be removed' },
  ],
  implies: { within: 'pipeline' },
  conflicts: { html: ['within', 'json'] },
  examples: [
    ['fettle runs', 'the stored runs, newest first'],
    ['fettle runs --html runs.html', 'match rate, cost, duration and drift over the nights, with links to the reports'],
    ['fettle runs prune --older-than 30d --dry-run', 'what would be removed'],
    ['fettle runs --pipeline nightly-suppliers --within 26h', 'for a monitor: exits with 1 if the night has no good run'],
    ['fettle runs --target prod', 'the runs of one target of a project'],
  ],
  load: () => import('./run.ts'),
}
