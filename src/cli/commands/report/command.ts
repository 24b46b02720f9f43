/** `fettle report`: the report of a stored run in any format. */
import type { Command } from '../../command.ts'
import { RUN, RUNS_DIR } from '../options.ts'

export const report: Command = {
  usage: 'report [run]',
  summary: 'Render the report of a run again',
  positionals: [RUN],
  options: [
    RUNS_DIR,
    {
      name: 'format',
      choices: ['text', 'json', 'html', 'markdown', 'junit', 'openmetrics'],
      default: 'text',
      describe: 'Format',
    },
    { name: 'to', describe: 'Write to this file instead of stdout' },
  ],
  examples: [
    ['fettle report', 'the latest run, as text'],
    ['fettle report --format html --to run.html', 'a page to send to others'],
  ],
  load: () => import('./run.ts'),
}
