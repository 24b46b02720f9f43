/** The rate limiter with a manual clock: pauses, one request at a time after them, deadlines, rates. */
import { expect, test } from 'vitest'
import { createRateLimiter } from '../../../src/client/retry/rate-limiter.ts'

const DAY = 24 * 60 * 60_000

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/** A clock whose sleepers wait until it is set far enough. */
function handClock() {
  let at = 0
  let sleepers: Sleeper[] = []
  const asked: number[] = []
  const settle = () => new Promise<void>(resolve => setImmediate(resolve))
  return {
    asked,
    settle,
    now: () => Date.UTC(2026, 0, 1) + at,
    monotonic: () => at,
    random: () => 0.5,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((wake, reject) => {
        signal?.throwIfAborted()
        asked.push(ms)
        sleepers.push({ until: at + ms, wake })
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
    async set(ms: number) {
      at = ms
      const due = sleepers.filter(one => one.until <= at)
      sleepers = sleepers.filter(one => one.until > at)
      for (const one of due) one.wake()
      await settle()
    },
  }
}

/** Callers of a pace by name: who is through, how long each was held, and how to let one out. */
function gate(deadlineMs = Number.POSITIVE_INFINITY) {
  const clock = handClock()
  const pace = createRateLimiter(clock)
  const through: string[] = []
  const held: Record<string, number> = {}
  const leave: Record<string, (succeeded: boolean) => void> = {}
  const refused: Record<string, Error> = {}
  const come = async (name: string, left = deadlineMs, signal?: AbortSignal): Promise<void> => {
    const onPaused = (ms: number) => {
      held[name] = (held[name] ?? 0) + ms
    }
    pace.enter({ signal, deadline: () => left, onPaused }).then(
      out => {
        through.push(name)
        leave[name] = out
      },
      (error: Error) => {
        refused[name] = error
      },
    )
    await clock.settle()
  }
  return { clock, pace, through, held, leave, refused, come }
}

test('delays no request without a pause or rate', async () => {
  const { come, through, clock, held } = gate()
  for (const name of ['a', 'b', 'c']) await come(name)
  expect(through).toEqual(['a', 'b', 'c'])
  expect([clock.asked, held]).toEqual([[], {}])
})

test('a pause holds to its last millisecond, then one at a time until one succeeds', async () => {
  const { clock, pace, come, through, leave, held } = gate()
  pace.pause(1000)
  await come('a')
  await clock.set(400)
  await come('b')
  await come('c')
  await clock.set(999)
  expect(through).toEqual([])
  await clock.set(1000)
  expect(through).toHaveLength(1)
  leave[through[0]!]!(false)
  await clock.settle()
  expect(through).toHaveLength(2)
  leave[through[1]!]!(true)
  await clock.settle()
  await come('d')
  expect(through).toHaveLength(4)
  expect(held).toEqual({ a: 1000, b: 600, c: 600 })
})

test('a pause during a pause prolongs it and never shortens it', async () => {
  const { clock, pace, come, through, held } = gate()
  pace.pause(1000)
  pace.pause(300)
  await come('a')
  await clock.set(500)
  pace.pause(1000)
  await clock.set(1000)
  expect(through).toEqual([])
  await clock.set(1500)
  expect(through).toEqual(['a'])
  expect(held).toEqual({ a: 1500 })
})

test('a success from before the pause does not end the caution after it; one from after it does', async () => {
  const { clock, pace, come, through, leave } = gate()
  await come('early')
  await come('late')
  pace.pause(100)
  leave.early!(true)
  await come('a')
  await come('b')
  await clock.set(100)
  expect(through).toEqual(['early', 'late', 'a'])
  leave.late!(true)
  await come('c')
  expect(through).toEqual(['early', 'late', 'a', 'c'])
  leave.a!(false)
  await clock.settle()
  expect(through).toContain('b')
})

test('a failure from before the pause ends no caution', async () => {
  const { clock, pace, come, through, leave } = gate()
  await come('early')
  pace.pause(100)
  await clock.set(100)
  leave.early!(false)
  await come('a')
  await come('b')
  expect(through).toEqual(['early', 'a'])
})

test.each([
  [1000, 1000, true],
  [999, 1000, false],
  [-5, 0, true],
  [0, 1, false],
])('%i ms left and a pause of %i ms: waits %s', async (left, ms, waits) => {
  const { pace, come, refused } = gate()
  pace.pause(ms)
  await come('a', left)
  expect(refused.a === undefined).toBe(waits)
  if (refused.a !== undefined)
    expect(refused.a).toMatchObject({
      code: 'FETTLE_THROTTLED',
      message: `The service asks for a pause until ${new Date(Date.UTC(2026, 0, 1) + ms).toISOString()}, which is longer than the time left.`,
    })
})

test('who waits is refused as soon as the pause grows past his time', async () => {
  const { clock, pace, come, refused } = gate(500)
  pace.pause(400)
  await come('a')
  pace.pause(5000)
  await clock.set(400)
  expect(refused.a).toMatchObject({ code: 'FETTLE_THROTTLED' })
})

test('accepts a pause of a day, and rejects a longer one without a delay', async () => {
  const { pace, come, through, refused } = gate()
  expect(() => pace.pause(DAY + 1)).toThrow('until 2026-01-02T00:00:00.001Z')
  await come('a')
  expect(through).toEqual(['a'])
  pace.pause(DAY)
  await come('b')
  expect([through, refused]).toEqual([['a'], {}])
})

test('who is stopped leaves, before, during and after the pause', async () => {
  const { clock, pace, come, refused, through } = gate()
  const stop = new AbortController()
  pace.pause(100)
  await come('first')
  await come('waiting', undefined, stop.signal)
  await clock.set(100)
  expect(through).toEqual(['first'])
  stop.abort(new Error('stopped'))
  await clock.settle()
  expect(refused.waiting?.message).toBe('stopped')
  await come('late', undefined, stop.signal)
  expect(refused.late?.message).toBe('stopped')
})

test('a fraction of a millisecond is waited out, not cut off', async () => {
  const { clock, pace, come } = gate()
  pace.pause(10.2)
  await come('a')
  expect(clock.asked).toEqual([11])
})

test('a rate spreads callers out; waiting for a slot does not count as a pause', async () => {
  const { clock, pace, come, through, held } = gate()
  pace.limit({ requests: 2, perMs: 1000 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await come(name)
  expect(through).toEqual(['a', 'b'])
  await clock.set(1000)
  expect(through).toEqual(['a', 'b', 'c', 'd'])
  await clock.set(2000)
  expect(through).toHaveLength(5)
  expect(Object.values(held).every(ms => ms === 0)).toBe(true)
})

test('of a slot and a pause the later one counts, and only the pause is called one', async () => {
  const { clock, pace, come, through, held } = gate()
  pace.limit({ requests: 1, perMs: 1000 })
  await come('a')
  await come('slot')
  pace.pause(1600)
  await come('pause')
  await clock.set(1000)
  expect(through).toEqual(['a'])
  await clock.set(1600)
  expect(through).toEqual(['a', 'slot'])
  await clock.set(2000)
  expect(held).toEqual({ slot: 600, pause: 0 })
})

test.each([
  ['a stricter one', { requests: 1, perMs: 1000 }, 1],
  ['a laxer one', { requests: 4, perMs: 1000 }, 2],
  ['the same in other words', { requests: 4, perMs: 2000 }, 2],
  ['none', null, 2],
])('a second limit, %s: the strictest holds', async (_, second, atOnce) => {
  const { pace, come, through } = gate()
  pace.limit({ requests: 2, perMs: 1000 })
  pace.limit(second)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await come(name)
  expect(through).toHaveLength(atOnce)
})

test('a limit that is tightened counts who left before it', async () => {
  const { clock, pace, come, through } = gate()
  pace.limit({ requests: 3, perMs: 1000 })
  for (const name of ['a', 'b', 'c']) await come(name)
  await clock.set(500)
  pace.limit({ requests: 1, perMs: 1000 })
  await come('d')
  expect(through).toHaveLength(3)
  await clock.set(1000)
  expect(through).toHaveLength(4)
})

test('a stop ends the wait of a caller, and lets pass who need not wait', async () => {
  const { clock, pace } = gate()
  const stop = new AbortController()
  const caller = { signal: undefined, stop: stop.signal, deadline: () => Number.POSITIVE_INFINITY, onPaused: () => {} }
  pace.pause(600_000)
  const held = pace.enter(caller)
  await clock.settle()
  stop.abort(new Error('Ctrl-C'))
  await expect(held).rejects.toThrow('Ctrl-C')
  await expect(pace.enter(caller)).rejects.toThrow('Ctrl-C')
  await expect(createRateLimiter(clock).enter(caller)).resolves.toBeTypeOf('function')
})
