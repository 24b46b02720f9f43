/** `fettle runs`: the stored runs. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUNS_DIR } from '../options.ts'

export const runs: Command = {
  usage: 'runs',
  summary: 'List the stored runs, newest first',
  options: [RUNS_DIR, JSON_RESULT],
  examples: [['fettle runs', 'the stored runs, newest first']],
  load: () => import('./run.ts'),
}
