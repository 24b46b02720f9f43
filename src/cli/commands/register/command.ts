/** `fettle register`: the company registers of this machine. */
import type { Command } from '../../command.ts'
import { storeOptions, storePositionals } from '../options.ts'

export const register: Command = {
  usage: 'register <action> [kind-or-name] [file]',
  summary: 'Import, list, show or remove company registers',
  positionals: storePositionals('register', 'csv, gleif, companies-house, decisions', 'the file, also as .gz or .zip', [
    'aliases',
  ]),
  options: [...storeOptions('register'), { name: 'officers', describe: 'import: CSV of the officers of its companies' }],
  examples: [
    ['fettle register import csv companies.csv', 'import a register, named after its file'],
    ['fettle register import decisions d.csv --name uk', 'confirmed names serve other lists'],
    ['fettle register aliases uk', 'the confirmed names, as a decisions file'],
    ['fettle register list', 'the registers of this machine'],
  ],
  load: () => import('./run.ts'),
}
