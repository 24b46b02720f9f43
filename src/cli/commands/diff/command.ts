/** `fettle diff`: what changed from one run to the next. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUNS_DIR } from '../options.ts'

export const diff: Command = {
  usage: 'diff [from] [to]',
  summary: 'Show the rows that differ between two runs of a list, or two outputs',
  positionals: [
    { name: 'from', describe: 'A run or an output file; alone: the run to compare with the last good run before it' },
    { name: 'to', describe: 'The later run or output file' },
  ],
  options: [
    RUNS_DIR,
    JSON_RESULT,
    {
      name: 'format',
      choices: ['text', 'json', 'csv', 'html'],
      default: 'text',
      describe: 'Format; json, csv and html list every row',
    },
    { name: 'output', alias: 'o', describe: 'Write to this file instead of stdout' },
    { name: 'rows', default: '20', describe: 'Rows of each kind that the text lists' },
    { name: 'key', describe: 'Of two outputs: the column that identifies a row; default: rows with equal cells' },
    { name: 'company', describe: 'Of two outputs: the column of the company; default: general.connectId' },
  ],
  examples: [
    ['fettle diff nightly', 'the newest run of a pipeline against the last good run before it'],
    ['fettle diff monday.csv friday.csv --key No --format csv', 'two outputs, by a column of the list'],
  ],
  load: () => import('./run.ts'),
}
