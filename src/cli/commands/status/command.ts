/** `fettle status`: the state of a run as text and exit code. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, RUN, RUNS_DIR, SKIP_CODE } from '../options.ts'

export const status: Command = {
  usage: 'status [run]',
  summary: 'Show the state of a run, as text and exit code',
  positionals: [RUN],
  options: [
    RUNS_DIR,
    JSON_RESULT,
    SKIP_CODE,
    { name: 'watch', type: 'switch', describe: 'Poll until the run stops' },
    { name: 'timeout', describe: 'With --watch: stop polling after this long (90s, 2h)' },
  ],
  examples: [
    ['fettle status nightly --json', 'exit code 0: done or ready to collect, 75: running, 76: failed'],
    ['fettle status nightly --watch --timeout 2h', 'poll until the run stops'],
  ],
  load: () => import('./run.ts'),
}
