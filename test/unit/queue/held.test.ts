/** A worker checks its lease just before it sends a request, since the rate limit may delay it for long. */
import { expect, test } from 'vitest'
import { createShared } from '../../../src/client/api/shared.ts'
import { withLease } from '../../../src/distributed/rate-limit.ts'
import { DEFAULT_RUNTIME } from '../../../src/env/runtime.ts'

const own = createShared(DEFAULT_RUNTIME.clock).pace
const caller = { signal: new AbortController().signal, deadline: () => 1_000, onPaused: () => {} }

test('does not send a request whose shard went to another worker, and blocks no other request', async () => {
  const left: boolean[] = []
  const order: string[] = []
  let isOurs = true
  const pace = {
    ...own,
    enter: async () => {
      order.push('turn')
      return (succeeded: boolean) => void left.push(succeeded)
    },
  }
  const hold = async (): Promise<void> => {
    order.push('hold')
    if (!isOurs) throw new Error('another has it')
  }
  const world = withLease({ ...DEFAULT_RUNTIME, pace: () => pace }, hold)
  const gate = world.pace?.(own, null) ?? own
  const leave = await gate.enter(caller)
  leave(true)
  isOurs = false
  await expect(gate.enter(caller)).rejects.toThrow('another has it')
  expect(order).toEqual(['turn', 'hold', 'turn', 'hold'])
  expect(left).toEqual([true, false])
})
