/** The Redis of a queue: whether it can be reached, and whether it keeps what it is given. */
import { type Env, passwordFileWarning, passwordOf } from '../settings.ts'
import { type Finding, fail, ok, tried, warn } from './finding.ts'

/** A queue: address of its Redis, and name. */
export interface QueuePlace {
  readonly url: string
  readonly name: string
}

/** What is found at the queue. */
export async function queueFindings({ url, name }: QueuePlace, env: Env): Promise<Finding[]> {
  const warning = passwordFileWarning(env, 'FETTLE_QUEUE_PASSWORD')
  const facts: Finding[] = warning === null ? [] : [warn('queue', warning, 'Only you should be able to read it.')]
  const reached = await tried('queue', async () => {
    const { connectQueue, queueAddress, queueFacts } = await import('../../queue/index.ts')
    const connected = await connectQueue(queueAddress(url, name, passwordOf(env, 'FETTLE_QUEUE_PASSWORD')))
    try {
      for (const { is, told, hint } of await queueFacts(connected))
        facts.push(
          is === 'ok'
            ? ok('redis', told)
            : is === 'warn'
              ? warn('redis', told, hint)
              : fail('redis', 'FETTLE_QUEUE_SETTINGS', told, hint),
        )
      return ok('queue', `${name} at ${connected.address.url}`)
    } finally {
      await connected.close()
    }
  })
  return [reached, ...facts]
}
