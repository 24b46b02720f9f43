/** Every operation of the table through `client.api` against the embedded service: requests are accepted, replies match the schema. */
import { expect, test } from 'vitest'
import { OPERATIONS, type Operation, type OperationName } from '../../../src/contract/index.ts'
import { everyOperation } from './every-operation.ts'

test('every operation, and every list over all its pages', { timeout: 120_000 }, async () => {
  const guarded = await everyOperation()
  // The guard of a run is called before each of them, and before nothing that only reads.
  const effects = (Object.entries(OPERATIONS) as [OperationName, Operation][]).filter(
    ([name, { method, repeat }]) => name !== 'authenticate' && (repeat !== 'free' || method !== 'GET'),
  )
  expect([...guarded].sort()).toEqual(effects.map(([name]) => name).sort())
})
