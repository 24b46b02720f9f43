/** `fettle screening`: the lists that AML searches read. */
import type { Command } from '../../command.ts'
import { storeOptions, storePositionals } from '../options.ts'

export const screening: Command = {
  usage: 'screening <action> [kind-or-name] [file]',
  summary: 'Import, list, show or remove the lists that AML searches read',
  positionals: storePositionals('list', 'opensanctions, uk, csv', 'the file'),
  options: [
    ...storeOptions('list'),
    {
      name: 'datasets',
      type: 'list',
      describe: 'import: why the entries are listed (SAN, PEP ...), if the file does not contain it',
    },
  ],
  examples: [
    ['fettle screening import uk UK-Sanctions-List.csv', 'import a list for AML searches'],
    ['fettle screening import csv peps.csv --datasets PEP', 'a list without the reason for its entries'],
    ['fettle screening list', 'the lists of this machine'],
  ],
  load: () => import('./run.ts'),
}
