/** `fettle costs`: what the runs spent. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUNS_DIR } from '../options.ts'

export const costs: Command = {
  usage: 'costs',
  summary: 'Sum up the credits, rows and jobs of the runs, also of removed ones',
  options: [
    RUNS_DIR,
    JSON_RESULT,
    { name: 'csv', type: 'switch', describe: 'Print CSV' },
    { name: 'month', describe: 'Only runs that started in this month, in UTC: 2026-11, or this' },
    { name: 'by', choices: ['pipeline', 'month', 'day', 'service', 'run'], default: 'pipeline', describe: 'A line for each' },
  ],
  conflicts: { csv: ['json'] },
  examples: [
    ['fettle costs --month this', 'credits of this month, by pipeline'],
    ['fettle costs --by month --csv', 'a table for accounting'],
  ],
  load: () => import('./run.ts'),
}
