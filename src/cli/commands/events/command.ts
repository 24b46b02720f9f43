/** `fettle events`: what happened to the companies of a portfolio. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, SERVICE } from '../options.ts'

export const events: Command = {
  usage: 'events <portfolio>',
  summary: 'Print the events of a portfolio, or write them to a file',
  positionals: [{ name: 'portfolio', isRequired: true, describe: 'Name or number of the portfolio' }],
  options: [
    SERVICE,
    { name: 'since', describe: 'Only events created since then: a date (2026-03-01), or a time ago (26h, 7d)' },
    { name: 'output', describe: 'Write the events to this CSV file' },
    {
      name: 'mark',
      type: 'switch',
      describe: 'With --output: only events that are not processed; marks them once the file is written',
    },
    JSON_RESULT,
  ],
  implies: { mark: 'output' },
  examples: [
    ['fettle events Suppliers --since 7d', 'what changed in the last seven days'],
    ['fettle events Suppliers --output events.csv --mark', 'each event in one file only'],
  ],
  load: () => import('./run.ts'),
}
