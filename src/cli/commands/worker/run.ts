/** `fettle worker`: shards of a queue carried out by this process, until it is told to stop. */
import { EXIT } from '../../../errors.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import type { Flags } from '../../command.ts'
import { queueOf } from '../../options/queue.ts'
import { isOn, listFlag, needText, wholeFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'

/** More in one process would share one thread. */
const MOST_AT_ONCE = 64

/** Works until SIGINT or SIGTERM, which for a worker is a good end: what it holds is handed on. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const concurrency = wholeFlag(flags, 'concurrency', 1, MOST_AT_ONCE) ?? 1
  const runsDir = needText(flags, 'runs-dir')
  const queue = queueOf(flags)
  const { runQueueWorker } = await import('../../../app/distributed/index.ts')
  const say = (text: string): void => {
    if (!isOn(flags, 'quiet')) io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${text}`))
  }
  io.signal.addEventListener('abort', () => say('stopping: what is held is handed on; once more stops at once'), { once: true })
  await runQueueWorker({
    env: io.env,
    cwd: io.cwd,
    runsDir,
    inputsFrom: listFlag(flags, 'input-from'),
    queue,
    concurrency,
    signal: io.signal,
    onWord: say,
    onNote: (shard, text) => say(`${shard}: ${text}`),
    onEvent: (shard, event, { runId }) => {
      if (event.type === 'stage.started' && isOn(flags, 'verbose')) say(`${shard}: ${event.stage} (${runId})`)
    },
  })
  return EXIT.ok
}
