/** `fettle clean`: a list matched and enriched without a pipeline file. */
import { FORMAT_EXTENSIONS } from '../../../formats/index.ts'
import type { Command } from '../../command.ts'
import {
  ACCEPT_LIST,
  DROP_DECISIONS,
  EXECUTION,
  LIMIT,
  LIST,
  LIST_OPTIONS,
  NEW_RUN,
  QUIET_OR_VERBOSE,
  RECORD,
  REGISTER_CONFLICTS,
  REGISTERS,
  SERVICE,
} from '../options.ts'

export const clean: Command = {
  usage: 'clean <file>',
  summary: 'Match and enrich a list without a pipeline file',
  positionals: [LIST],
  options: [
    ...LIST_OPTIONS,
    ...EXECUTION,
    RECORD,
    { name: 'output', alias: 'o', describe: `Output file (${FORMAT_EXTENSIONS.join(', ')}); default: <list>-clean.csv` },
    SERVICE,
    ...REGISTERS,
    LIMIT,
    NEW_RUN,
    { name: 'dry-run', type: 'switch', describe: 'Print the columns and the plan, and send nothing' },
    { name: 'decisions', describe: 'File of the decisions to apply; default: decisions/<list>.csv' },
    DROP_DECISIONS,
    ACCEPT_LIST,
    { name: 'budget', describe: 'Spend at most this many credits of the service' },
    { name: 'yes', type: 'switch', describe: 'Do not ask before a service that may charge is used' },
  ],
  conflicts: {
    ...QUIET_OR_VERBOSE,
    ...REGISTER_CONFLICTS,
    'dry-run': ['json', 'result-file', 'new', 'reporter', 'yes'],
  },
  examples: [
    ['fettle clean companies.csv -o companies-clean.csv', 'match and enrich a list'],
    ['fettle clean companies.csv --register uk', 'against one of the registers of this machine'],
    ['fettle clean liste.csv --map name=Firma', 'map a column that cannot be recognised'],
  ],
  load: () => import('./run.ts'),
}
