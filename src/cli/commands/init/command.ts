/** `fettle init`: a pipeline file proposed for a list. */
import type { Command } from '../../command.ts'
import { LIST, LIST_OPTIONS, QUIET } from '../options.ts'

export const init: Command = {
  usage: 'init <file>',
  summary: 'Write a pipeline file for a list, from its headers and values',
  positionals: [LIST],
  options: [
    ...LIST_OPTIONS,
    { name: 'to', describe: 'File to write, or - for stdout; default: <list>.yml', otherNames: ['output', 'out'] },
    { name: 'yes', alias: 'y', type: 'switch', describe: 'Ask nothing: use what is certain, omit the rest' },
    { name: 'force', type: 'switch', describe: 'Replace existing files' },
    { name: 'project', type: 'switch', describe: 'Write fettle.yml too, for all pipelines of the folder' },
    { name: 'ci', choices: ['github', 'gitlab'], describe: 'Write a nightly workflow too' },
    QUIET,
  ],
  examples: [
    ['fettle init companies.csv', 'write a pipeline file for a list; asks what is not certain'],
    ['fettle init companies.csv --yes --ci github', 'ask nothing, and write a nightly workflow too'],
  ],
  load: () => import('./run.ts'),
}
