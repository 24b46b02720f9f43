/** `fettle review`: decisions about uncertain rows. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUN, RUNS_DIR } from '../options.ts'

export const review: Command = {
  usage: 'review [run]',
  summary: 'Decide about uncertain rows, and write the corrected output',
  positionals: [RUN],
  options: [
    RUNS_DIR,
    JSON_RESULT,
    {
      name: 'export',
      type: 'list',
      values: 2,
      describe: 'Write the rows to a file instead: csv, xlsx or html, and its name; several times for several files',
    },
    { name: 'apply', describe: 'Apply the decisions in this file' },
    {
      name: 'fetch',
      type: 'switch',
      describe: 'Fetch the tags of accepted companies that the service did not match (candidates.fetch)',
    },
    { name: 'decisions', describe: 'File of the decisions; default: the one of the pipeline, or decisions/<pipeline>.csv' },
    { name: 'by', describe: 'Who decides; default: the user of this machine' },
    { name: 'expires', describe: 'Last day on which the decisions apply: 2027-11-21' },
    { name: 'all', type: 'switch', describe: 'Include rows that are already decided' },
  ],
  conflicts: { export: ['apply', 'fetch', 'json', 'by', 'expires', 'all', 'decisions'], apply: ['expires', 'all'] },
  examples: [
    ['fettle review', 'decide about the uncertain rows of the latest run, one by one'],
    ['fettle review nightly --export csv rows.csv', 'as a table, for a colleague to fill in'],
    ['fettle review nightly --apply decisions.csv', 'apply decisions, and write the corrected output'],
    ['fettle review nightly --apply decisions.csv --fetch', 'the same, with all tags of the accepted companies'],
  ],
  load: () => import('./run.ts'),
}
