/** `fettle explain`: what an error code means. */
import type { Command } from '../../command.ts'

export const explain: Command = {
  usage: 'explain [code]',
  summary: 'Explain an error code; default: list all',
  positionals: [{ name: 'code', describe: 'A code such as FETTLE_INPUT_QUOTE, or an exit code' }],
  options: [],
  examples: [
    ['fettle explain FETTLE_INPUT_QUOTE', 'the meaning of a code, and how to fix the problem'],
    ['fettle explain 75', 'all codes of an exit code'],
  ],
  load: () => import('./run.ts'),
}
