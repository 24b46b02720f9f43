/** `fettle register`: the company registers of this machine. */
import type { Command } from '../../command.ts'
import { storeOptions, storePositionals } from '../options.ts'

export const register: Command = {
  usage: 'register <action> [kind-or-name] [file]',
  summary: 'Import, list, show or remove company registers',
  positionals: storePositionals('register', 'csv, gleif, companies-house', 'the file, also as .gz or .zip'),
  options: [...storeOptions('register'), { name: 'officers', describe: 'import: CSV of the officers of its companies' }],
  examples: [
    ['fettle register import csv companies.csv', 'import a register, named after its file'],
    ['fettle register list', 'the registers of this machine'],
  ],
  load: () => import('./run.ts'),
}
