/** `fettle worker`: runs shards of a queue in this process until a signal stops it. */
import { EXIT } from '../../errors.ts'
import { escapeTerminal } from '../../report/formats/escape.ts'
import type { Flags } from '../command.ts'
import { isOn, listFlag, needText, readQueue, wholeFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'

const MOST_AT_ONCE = 64

/** Runs until SIGINT or SIGTERM, then hands its shards over and returns 0. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const concurrency = wholeFlag(flags, 'concurrency', 1, MOST_AT_ONCE) ?? 1
  const runsDir = needText(flags, 'runs-dir')
  const queue = readQueue(flags)
  const { runQueueWorker } = await import('../../distributed/through-queue.ts')
  const print = (text: string): void => {
    if (!isOn(flags, 'quiet')) io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${text}`))
  }
  const onStop = (): void => print('stopping: handing over the active shards; a second signal stops at once')
  io.signal.addEventListener('abort', onStop, { once: true })
  await runQueueWorker({
    env: io.env,
    cwd: io.cwd,
    runsDir,
    inputsFrom: listFlag(flags, 'input-from'),
    queue,
    concurrency,
    signal: io.signal,
    onWord: print,
    onNote: (shard, text) => print(`${shard}: ${text}`),
    onEvent: (shard, event, { runId }) => {
      if (event.type === 'stage.started' && isOn(flags, 'verbose')) print(`${shard}: ${event.stage} (${runId})`)
    },
  })
  return EXIT.ok
}
