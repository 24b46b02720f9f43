/** Virtual time: the order of sleepers, what time waits for, and what moves without it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/testing/index.ts'
import { temporaryFolder } from '../service/kit.ts'

test('sleepers wake in order, at exactly their times, without real waiting', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 86_400_000 }), { maxLength: 20 }), async waits => {
      const clock = new VirtualClock()
      const woken: number[] = []
      await Promise.all(
        waits.map(async ms => {
          await clock.sleep(ms)
          expect(clock.monotonic()).toBe(ms)
          woken.push(ms)
        }),
      )
      expect(woken).toEqual([...waits].sort((a, b) => a - b))
      expect(clock.sleeps).toEqual(waits)
    }),
    { numRuns: 20 },
  )
})

test('fifty sleepers share one time, and their day passes in a moment', async () => {
  const clock = new VirtualClock({ seed: 3 })
  const times: number[] = []
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = 0; n < 4; n++) {
        await clock.sleep(Math.floor(clock.random() * 1000))
        times.push(clock.monotonic())
      }
    }),
  )
  expect(times).toHaveLength(200)
  expect(times).toEqual([...times].sort((a, b) => a - b))
})

test('time does not move while work is in progress, here or elsewhere', async () => {
  let isBusy = true
  const clock = new VirtualClock({ isIdle: () => !isBusy })
  let woken = false
  const sleeping = clock.sleep(1000).then(() => {
    woken = true
  })
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'a'), Buffer.alloc(1_000_000))
  expect([woken, clock.monotonic()]).toEqual([false, 0])
  isBusy = false
  await sleeping
  expect(clock.monotonic()).toBe(1000)
})

test('a file write stops time automatically', async () => {
  const clock = new VirtualClock()
  const order: string[] = []
  const folder = await temporaryFolder()
  const sleeping = clock.sleep(3_600_000).then(() => order.push('woken'))
  for (let n = 0; n < 30; n++) await writeFile(join(folder, String(n)), Buffer.alloc(200_000))
  order.push('written')
  await sleeping
  expect(order).toEqual(['written', 'woken'])
})

test('with watchesProcess: false only isIdle counts', async () => {
  const clock = new VirtualClock({ watchesProcess: false })
  let isOver = false
  const noise = (): void => void (isOver || setImmediate(noise))
  noise()
  await clock.sleep(1000)
  isOver = true
  expect(clock.monotonic()).toBe(1000)
})

test('an infinite sleep ends only with its signal', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const forever = clock.sleep(Number.POSITIVE_INFINITY, stop.signal)
  await clock.sleep(10)
  stop.abort(new Error('at last'))
  await expect(forever).rejects.toThrow('at last')
  expect(clock.monotonic()).toBe(10)
})

test('an aborted sleep leaves nothing that time waits for', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const long = clock.sleep(3_600_000, stop.signal)
  const short = clock.sleep(5)
  stop.abort(new Error('enough'))
  await expect(long).rejects.toThrow('enough')
  await short
  expect(clock.monotonic()).toBe(5)
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough')
  expect(clock.monotonic()).toBe(5)
})

test('scheduled actions run in order, are awaited, and do not advance time', async () => {
  const clock = new VirtualClock()
  const seen: [string, number][] = []
  clock.at(300, () => seen.push(['third', clock.monotonic()]))
  clock.at(100, async () => {
    await new Promise(resolve => setImmediate(resolve))
    seen.push(['first', clock.monotonic()])
  })
  clock.at(200, () => seen.push(['second', clock.monotonic()]))
  await clock.sleep(250)
  expect(seen).toEqual([
    ['first', 100],
    ['second', 200],
  ])
  expect(clock.monotonic()).toBe(250)
})

test('steps move only the wall clock; suspension moves it too, and the monotonic clock if requested', async () => {
  const clock = new VirtualClock({ start: 1_000_000 })
  clock.jump(-3_600_000)
  expect([clock.now(), clock.monotonic()]).toEqual([-2_600_000, 0])
  clock.suspend(7_200_000)
  expect([clock.now(), clock.monotonic()]).toEqual([4_600_000, 0])
  const sleeping = clock.sleep(1000)
  clock.suspend(5000, 'moves')
  await sleeping
  expect([clock.now(), clock.monotonic()]).toEqual([4_605_000, 5000])
})

test('random numbers follow from the seed', () => {
  const numbers = (seed: number): number[] => {
    const clock = new VirtualClock({ seed })
    return Array.from({ length: 1000 }, () => clock.random())
  }
  expect(numbers(5)).toEqual(numbers(5))
  expect(numbers(5)).not.toEqual(numbers(6))
  expect(numbers(5).every(one => one >= 0 && one < 1)).toBe(true)
  const mean = numbers(5).reduce((sum, one) => sum + one, 0) / 1000
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.05)
})

test('the service form uses the same time, and aborted sleeps resolve', async () => {
  const clock = new VirtualClock()
  const service = clock.forService()
  const stop = new AbortController()
  await Promise.all([service.sleep(50, stop.signal), clock.sleep(80)])
  expect([service.elapsed(), service.now() - Date.UTC(2026, 0, 1)]).toEqual([80, 80])
  const asleep = service.sleep(1_000_000, stop.signal)
  stop.abort()
  await asleep
  expect(clock.monotonic()).toBe(80)
})
