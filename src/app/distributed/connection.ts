/** The way to a queue for as long as a command needs it, and whether its Redis would keep what it is given. It posts nothing. */
import { FettleError } from '../../errors.ts'
import { type Connected, connectQueue, queueAddress, queueFacts, ShardQueue } from '../../queue/index.ts'
import { type Env, passwordOf } from '../env/environment.ts'

/** The queue that a command is about: address and name, as they were given or kept. */
export interface QueueConnectionOptions {
  readonly url: string
  readonly name: string
}

/** A queue for as long as `body` needs it. Throws as connectQueue does. */
export async function withQueue<T>(
  { url, name }: QueueConnectionOptions,
  env: Env,
  body: (connected: Connected) => Promise<T>,
): Promise<T> {
  const connected = await connectQueue(queueAddress(url, name, passwordOf(env, 'FETTLE_QUEUE_PASSWORD')))
  try {
    return await body(connected)
  } finally {
    await connected.close()
  }
}

/** Throws FETTLE_QUEUE_SETTINGS when Redis would lose what it is given; tells what is not as it should be. */
export async function checkQueue(connected: Connected, onNote: (text: string) => void): Promise<void> {
  for (const { status, text, hint } of await queueFacts(connected)) {
    if (status === 'fail')
      throw new FettleError('FETTLE_QUEUE_SETTINGS', `the Redis at ${connected.address.url}: ${text}`, { hint })
    if (status === 'warn') onNote(`the Redis at ${connected.address.url}: ${text}`)
  }
}

/** The shards of a queue for as long as `body` needs them. */
export async function withShardQueue<T>(connected: Connected, body: (board: ShardQueue) => Promise<T>): Promise<T> {
  const board = new ShardQueue(connected)
  try {
    return await body(board)
  } finally {
    await board.close()
  }
}
