/** `fettle test`: pipelines run over given rows, against a register of a few companies. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUNS_DIR, SELECT, TARGET } from '../options.ts'

export const test: Command = {
  usage: 'test [files..]',
  summary: 'Test pipelines: given rows, expected outcomes',
  positionals: [
    {
      name: 'files',
      type: 'list',
      describe: 'Test files, such as suppliers.test.yml, or folders; default: those of this folder and the folders in it',
    },
  ],
  options: [
    { name: 'update', type: 'switch', describe: 'Replace the expectations with what was found' },
    { name: 'junit', describe: 'Also write the results as JUnit to this file' },
    SELECT,
    TARGET,
    RUNS_DIR,
    JSON_RESULT,
  ],
  examples: [
    ['fettle test', 'every *.test.yml below this folder; exit code 1 if one fails'],
    ['fettle test suppliers.test.yml --update', 'accept what was found'],
    ['fettle test --select changed', 'the tests of pipelines that changed since their last good run'],
    ['fettle test --junit out/junit.xml', 'for CI'],
  ],
  load: () => import('./run.ts'),
}
