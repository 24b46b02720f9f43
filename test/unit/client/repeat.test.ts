import { expect, test } from 'vitest'
import { abortWithFirst, orAborted } from '../../../src/abort.ts'
import { type Call, sendWithRetries, type Tools } from '../../../src/client/api/send-with-retries.ts'
import { AccountSession } from '../../../src/client/auth/session.ts'
import { createRedactor } from '../../../src/client/redact.ts'
import { createRateLimiter } from '../../../src/client/retry/rate-limiter.ts'
import { createRetryBudget } from '../../../src/client/retry/retry-budget.ts'
import { createVirtualClock, errorOf } from './kit.ts'

function toolsOf(more: Partial<Tools> = {}) {
  const clock = createVirtualClock()
  const deadline = () => Number.POSITIVE_INFINITY
  const pace = createRateLimiter(clock)
  const session = new AccountSession(clock).tokensFor({ deadline, logIn: async () => 't' })
  const told = () => undefined
  const tools: Tools = {
    clock,
    pace,
    session,
    deadline,
    quota: createRetryBudget(),
    redactor: createRedactor(),
    attempts: 4,
    onRetry: told,
    onRepeat: told,
    onPaused: told,
    ...more,
  }
  return { clock, tools }
}

const lost = { type: 'loss', loss: { kind: 'reset', sent: true, text: 'it broke off' } } as const

test('an operation that is never repeated is unanswered after a loss, and repeated when it never left', async () => {
  const { tools } = toolsOf()
  let sent = 0
  const call: Call<string> = {
    policy: { method: 'POST', repeat: 'never', login: false },
    label: 'search',
    authorised: true,
    attempt: async () => {
      sent += 1
      return sent === 1 ? { type: 'loss', loss: { kind: 'unreachable', sent: false, text: 'refused' } } : lost
    },
  }
  expect(await errorOf(sendWithRetries(call, tools))).toMatchObject({ code: 'FETTLE_UNANSWERED', unanswered: true })
  expect(sent).toBe(2)
})

test('starts no wait that is longer than the time left', async () => {
  const { clock, tools } = toolsOf({ deadline: () => 100 })
  const call: Call<string> = {
    policy: { method: 'GET', repeat: 'free', login: false },
    label: 'read',
    authorised: false,
    attempt: async () => lost,
  }
  const error = await errorOf(sendWithRetries(call, tools))
  expect(error).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75 })
  expect(error.message).toBe('read: it broke off; no time is left for another attempt.')
  expect(clock.sleeps).toEqual([])
})

test('signals: the first one counts, and listeners go away', async () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal, release } = abortWithFirst(one.signal, undefined, other.signal)
  other.abort(new Error('second'))
  one.abort(new Error('first'))
  expect(signal.reason).toMatchObject({ message: 'second' })
  release()
  const { signal: released, release: letGo } = abortWithFirst(new AbortController().signal)
  letGo()
  expect(released.aborted).toBe(false)
  expect(abortWithFirst(AbortSignal.abort(new Error('before'))).signal.reason).toMatchObject({ message: 'before' })
  const late = new AbortController()
  const kept = abortWithFirst(late.signal)
  kept.release()
  late.abort()
  expect(kept.signal.aborted).toBe(false)
  expect((await errorOf(orAborted(new Promise(() => undefined), AbortSignal.abort(new Error('gone'))))).message).toBe('gone')
})
