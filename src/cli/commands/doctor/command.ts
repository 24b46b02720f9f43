/** `fettle doctor`: checks of this machine. */
import type { Command } from '../../command.ts'
import { JSON_RESULT, queueOptions, RUNS_DIR, SERVICE, TARGET, TRUSTED } from '../options.ts'

export const doctor: Command = {
  usage: 'doctor [pipeline]',
  summary: 'Check your setup, with a fix for what is wrong',
  positionals: [{ name: 'pipeline', describe: 'A pipeline file, for its input and its service' }],
  isUntrusted: true,
  options: [
    RUNS_DIR,
    JSON_RESULT,
    ...queueOptions('Also check the Redis of a queue: redis://host:6379'),
    TARGET,
    SERVICE,
    TRUSTED,
    { name: 'offline', type: 'switch', describe: 'Do not use the network' },
    { name: 'notify', type: 'switch', describe: 'Send a test message to each receiver of the pipeline' },
  ],
  examples: [
    ['fettle doctor', 'check this machine'],
    ['fettle doctor nightly.yml --offline', 'with the settings of a pipeline, without the network'],
    ['fettle doctor nightly.yml --notify --trusted', 'and whether the receivers of its messages accept one'],
  ],
  conflicts: { notify: ['offline'] },
  implies: { notify: 'pipeline' },
  load: () => import('./run.ts'),
}
