/** `fettle probe`: one row through a real account. */
import type { Command } from '../../command.ts'
import { QUIET_OR_VERBOSE, RUNS_DIR, SERVICE, TARGET } from '../options.ts'

export const probe: Command = {
  usage: 'probe <pipeline>',
  summary: 'Send one row through the account of a pipeline, and show how its enriched file is read; costs up to 1 credit',
  positionals: [{ name: 'pipeline', isRequired: true, describe: 'Pipeline file' }],
  options: [
    { name: 'row', describe: 'Number of the row to send, from 1; default: 1' },
    { name: 'name', describe: 'Send the first row whose name holds this text' },
    { name: 'yes', type: 'switch', describe: 'Send without asking' },
    TARGET,
    SERVICE,
    { name: 'input', describe: 'List instead of the one of the pipeline' },
    { name: 'var', type: 'list', describe: 'Set a variable of the pipeline: name=value' },
    RUNS_DIR,
    { name: 'quiet', alias: 'q', type: 'switch', describe: 'Print no progress' },
    { name: 'verbose', alias: 'v', type: 'switch', describe: 'Print more progress' },
  ],
  conflicts: { ...QUIET_OR_VERBOSE, row: ['name'] },
  examples: [
    ['fettle probe nightly.yml --name "Acme"', 'the first thing to do with a new account'],
    ['fettle probe nightly.yml --row 3 --yes', 'without a question'],
  ],
  load: () => import('./run.ts'),
}
