/** `fettle verify`: the files of a run, checked against each other. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUN, RUNS_DIR } from '../options.ts'

export const verify: Command = {
  usage: 'verify [run]',
  summary: 'Check the files of a run: journal, report, outputs, sums and decisions',
  positionals: [RUN],
  options: [
    RUNS_DIR,
    JSON_RESULT,
    { name: 'head', describe: 'The journal of the result line: the journal must still contain it' },
  ],
  examples: [
    ['fettle verify', 'the latest run; exit code 65 and the file when anything was changed'],
    ['fettle verify nightly --head 0f3c…', 'against the checksum of a result line that was kept elsewhere'],
  ],
  load: () => import('./run.ts'),
}
