/** `fettle estimate`: match rate and credits of a list, from a sample. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, LIMIT, REGISTER_CONFLICTS, REGISTERS, TRUSTED } from '../options.ts'

export const estimate: Command = {
  usage: 'estimate <pipeline>',
  summary: 'Match a sample against a register on this machine: likely match rate and credits; makes no request',
  positionals: [{ name: 'pipeline', isRequired: true, describe: 'Pipeline file' }],
  isUntrusted: true,
  options: [
    { name: 'rows', default: '500', describe: 'Rows of the sample, from 1 to 100000; the same list gives the same sample' },
    ...REGISTERS,
    { name: 'input', describe: 'List instead of the one of the pipeline' },
    LIMIT,
    TRUSTED,
    { name: 'var', type: 'list', describe: 'Value of a variable: DAY=2026-01-31' },
    JSON_RESULT,
  ],
  conflicts: REGISTER_CONFLICTS,
  examples: [
    ['fettle estimate nightly.yml', 'before the first paid run: what it may cost, with a 95 % interval'],
    ['fettle estimate nightly.yml --register gleif', 'against one register'],
  ],
  load: () => import('./run.ts'),
}
