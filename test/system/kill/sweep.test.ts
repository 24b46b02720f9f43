/**
 * A fault at every request and every file operation of a run: SIGKILL, a full disk, a failing disk, a short write. Each time
 * the next command finishes the run: one job, every row, no partial file. FETTLE_SWEEP=full takes every point; otherwise a
 * sample, different for each fault.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeData, makePlace, outputsOf, start } from './kit.ts'
import { openLanes, type Sweep, sweep, wordsOf } from './sweep.ts'

const isFull = process.env.FETTLE_SWEEP === 'full'
/** At CI size the first point and how many further the next one is. */
const every = (first: number, step: number) => (isFull ? { first: 1, step: 1 } : { first, step })

const SWEEPS: readonly Sweep[] = [
  { effect: { at: 'arrival' }, ...every(1, 11) },
  { effect: { at: 'carriedOut' }, ...every(2, 9) },
  { effect: { at: 'answered' }, ...every(3, 11) },
  { effect: { disk: 'SIGKILL' }, ...every(4, 101) },
  { effect: { disk: 'cut', ops: 'write' }, ...every(2, 79) },
  { effect: { disk: 'short', ops: 'write' }, ...every(5, 91) },
  { effect: { disk: 'ENOSPC', lasts: true }, ...every(6, 181) },
  { effect: { disk: 'ENOSPC' }, first: isFull ? 3 : 9, step: isFull ? 5 : 97 },
  { effect: { disk: 'EIO' }, ...every(1, 165) },
  { effect: { disk: 'SIGINT' }, first: isFull ? 2 : 20, step: isFull ? 4 : 131 },
  { effect: { disk: 'SIGTERM' }, first: isFull ? 4 : 37, step: isFull ? 4 : 127 },
  { effect: { disk: 'SIGKILL' }, embedded: true, first: isFull ? 1 : 40, step: isFull ? 19 : 300 },
  { effect: { disk: 'EIO' }, embedded: true, first: isFull ? 5 : 70, step: isFull ? 39 : 390 },
]

let data: string
let opened: Awaited<ReturnType<typeof openLanes>>

beforeAll(async () => {
  data = await makeData()
  opened = await openLanes(data)
})
afterAll(async () => {
  await opened.close()
  rmSync(data, { recursive: true, force: true })
})

/** The outputs of an undisturbed run, by whether the service was its own. */
const undisturbed = new Map<boolean, string[]>()

async function expectedOf(embedded: boolean): Promise<string[]> {
  const known = undisturbed.get(embedded)
  if (known !== undefined) return known
  const place = makePlace(data, embedded ? null : opened.lanes[0]!.service)
  const { code, stderr } = await start(place, ['run', 'pipeline.yml', '--json']).ended
  expect(code, stderr).toBe(0)
  const outputs = outputsOf(place)
  undisturbed.set(embedded, outputs)
  rmSync(place.folder, { recursive: true, force: true })
  return outputs
}

const nameOf = ({ effect, embedded }: Sweep): string => `${wordsOf(effect)}${embedded === true ? ', embedded' : ''}`
const all: { line: string; points: number }[] = []

describe('after a fault at any point, the next command finishes the run', () => {
  test.each(SWEEPS.map(one => [nameOf(one), one] as const))(
    '%s',
    { timeout: isFull ? 7_200_000 : 600_000 },
    async (name, one) => {
      const { points, parts, violations } = await sweep(opened.lanes, one, await expectedOf(one.embedded === true))
      const where = Object.entries(parts).map(([part, count]) => `${part} ${count}`)
      const line = `${name.padEnd(24)}${String(points).padStart(4)} points, ${violations.length} violations   ${where.join(', ')}`
      all.push({ line, points })
      if (isFull) console.log(line)
      expect(violations).toEqual([])
      expect(points).toBeGreaterThan(0)
    },
  )

  afterAll(() => {
    const sum = all.reduce((points, one) => points + one.points, 0)
    console.log(`pulled at ${sum} points\n${all.map(({ line }) => line).join('\n')}`)
  })
})
