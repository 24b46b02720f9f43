/** Connects to a queue and checks that its Redis keeps data. */

import { type Env, readPassword } from '../env/environment.ts'
import { FettleError } from '../errors.ts'
import { type Connected, connectQueue, queueAddress, queueFacts, ShardQueue } from '../queue/index.ts'

export interface QueueConnectionOptions {
  readonly url: string
  readonly name: string
}

/** Opens a queue while `body` runs. Throws as connectQueue does. */
export async function withQueue<T>(
  { url, name }: QueueConnectionOptions,
  env: Env,
  body: (connected: Connected) => Promise<T>,
): Promise<T> {
  const connected = await connectQueue(queueAddress(url, name, readPassword(env, 'FETTLE_QUEUE_PASSWORD')))
  try {
    return await body(connected)
  } finally {
    await connected.close()
  }
}

/** Throws FETTLE_QUEUE_SETTINGS when Redis may lose data, and reports doubtful settings. */
export async function checkQueue(connected: Connected, onNote: (text: string) => void): Promise<void> {
  for (const { status, text, hint } of await queueFacts(connected)) {
    if (status === 'fail')
      throw new FettleError('FETTLE_QUEUE_SETTINGS', `the Redis at ${connected.address.url}: ${text}`, { hint })
    if (status === 'warn') onNote(`the Redis at ${connected.address.url}: ${text}`)
  }
}

/** Opens the shards of a queue while `body` runs. */
export async function withShardQueue<T>(connected: Connected, body: (board: ShardQueue) => Promise<T>): Promise<T> {
  const board = new ShardQueue(connected)
  try {
    return await body(board)
  } finally {
    await board.close()
  }
}
