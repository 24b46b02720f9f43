/** Waits that end with a signal. */
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { orAborted } from '../../src/abort.ts'

test('a promise that fails after the abort is not an unhandled rejection', async () => {
  const unhandled = vi.fn()
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', unhandled)
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of others) process.on('unhandledRejection', listener)
  })
  let fail = (_: Error): void => {}
  const late = new Promise((_, reject) => {
    fail = reject
  })
  await expect(orAborted(late, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  fail(new Error('late'))
  await setImmediate()
  expect(unhandled).not.toHaveBeenCalled()
})
