/** The last look before a request of a worker leaves: between what was recorded and a turn may lie a long wait. */
import { expect, test } from 'vitest'
import { withLease } from '../../../src/app/distributed/rate-limit.ts'
import { DEFAULT_RUNTIME } from '../../../src/app/env/runtime.ts'
import { createShared } from '../../../src/client/api/shared.ts'

const own = createShared(DEFAULT_RUNTIME.clock).pace
const caller = { signal: new AbortController().signal, deadline: () => 1_000, onPaused: () => {} }

test('a request whose turn comes after the shard went to another worker does not leave, and holds nobody up', async () => {
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
