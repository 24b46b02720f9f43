/** Makes a test of each way to sweep, and prints the points that were pulled. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeData, makePlace, outputsOf, start } from './kit.ts'
import { openLanes, type Sweep, sweep, wordsOf } from './sweep.ts'

export function testSweeps(sweeps: readonly Sweep[]): void {
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

  const nameOf = ({ effect, embedded, powerCut }: Sweep): string =>
    `${wordsOf(effect)}${embedded === true ? ', embedded' : ''}${powerCut === true ? ', power cut' : ''}`
  const all: { line: string; points: number }[] = []

  describe('after a fault at any point, the next command finishes the run', () => {
    test.each(sweeps.map(one => [nameOf(one), one] as const))('%s', { timeout: 7_200_000 }, async (name, one) => {
      const { points, parts, violations } = await sweep(opened.lanes, one, await expectedOf(one.embedded === true))
      const where = Object.entries(parts).map(([part, count]) => `${part} ${count}`)
      const line = `${name.padEnd(24)}${String(points).padStart(4)} points, ${violations.length} violations   ${where.join(', ')}`
      all.push({ line, points })
      expect(violations).toEqual([])
      expect(points).toBeGreaterThan(0)
    })

    afterAll(() => {
      const sum = all.reduce((points, one) => points + one.points, 0)
      console.log(`pulled at ${sum} points\n${all.map(({ line }) => line).join('\n')}`)
    })
  })
}
