/** `fettle schema`: JSON Schemas of the documents that fettle reads and writes. */
import type { Command } from '../../command.ts'

export const schema: Command = {
  usage: 'schema [document]',
  summary: 'Print a JSON Schema',
  positionals: [
    { name: 'document', choices: ['pipeline', 'project', 'report', 'event'], default: 'pipeline', describe: 'Which document' },
  ],
  options: [],
  examples: [['fettle schema pipeline', 'the JSON Schema for editors']],
  load: () => import('./run.ts'),
}
