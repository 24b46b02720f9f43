/** The Redis of a queue: whether it can be reached, and whether it keeps what it is given. */
import type { QueueConnectionOptions } from '../distributed/connection.ts'
import { type Env, passwordFileWarning } from '../env/environment.ts'
import { attempt, type CheckResult, fail, ok, warn } from './check-result.ts'

export async function checkQueueConnection(place: QueueConnectionOptions, env: Env): Promise<CheckResult[]> {
  const warning = passwordFileWarning(env, 'FETTLE_QUEUE_PASSWORD')
  const facts: CheckResult[] = warning === null ? [] : [warn('queue', warning, 'Only you should be able to read it.')]
  const reached = await attempt('queue', async () => {
    const { queueFacts } = await import('../../queue/index.ts')
    const { withQueue } = await import('../distributed/connection.ts')
    return withQueue(place, env, async connected => {
      for (const { status, text, hint } of await queueFacts(connected))
        facts.push(
          status === 'ok'
            ? ok('redis', text)
            : status === 'warn'
              ? warn('redis', text, hint)
              : fail('redis', 'FETTLE_QUEUE_SETTINGS', text, hint),
        )
      return ok('queue', `${place.name} at ${connected.address.url}`)
    })
  })
  return [reached, ...facts]
}
