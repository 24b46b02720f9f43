/** `fettle forget`: removes what is kept about one row. */
import type { Command } from '../../command.ts'
import { ANSWERS_DIR, JSON_RESULT, RUNS_DIR } from '../options.ts'

export const forget: Command = {
  usage: 'forget [tables..]',
  summary: 'Remove what runs, answers, decisions and review tables have about the row of a key',
  positionals: [{ name: 'tables', type: 'list', describe: 'Tables of reviews that were exported, besides the decisions files' }],
  options: [
    RUNS_DIR,
    JSON_RESULT,
    ANSWERS_DIR,
    { name: 'key', isRequired: true, describe: 'The cell of input.key' },
    { name: 'pipeline', describe: 'Only rows of the pipeline of this name; default: of all pipelines' },
    { name: 'dry-run', type: 'switch', describe: 'Only list what would be removed' },
  ],
  examples: [
    ['fettle forget --key 4711 --dry-run', 'what is kept about the row'],
    ['fettle forget --key 4711 --pipeline nightly review.csv', 'removes it, also from a table of a review'],
  ],
  load: () => import('./run.ts'),
}
