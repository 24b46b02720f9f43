/** Workbooks made to exhaust memory or time, or to be misread: each is rejected with a message, or read correctly. */
import { describe, expect, it } from 'vitest'
import { inspect, openSource } from '../../../src/input/index.ts'
import { bombs } from './bombs.ts'
import { file, folder, options, planOf } from './kit.ts'

/** Seconds of processor time that any of them may take. */
const MOST_SECONDS = 10

describe('a workbook with', () => {
  it.each(bombs(1))('$name', async ({ make, becomes }) => {
    const path = file(make(), 'x.xlsx')
    const before = process.cpuUsage()
    const { facts, issues } = await inspect(options(path))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(MOST_SECONDS)
    if (typeof becomes !== 'string') {
      expect(issues.map(({ severity, code, message }) => `${severity} ${code} ${message}`)[0]).toMatch(becomes)
      return
    }
    expect(issues.filter(one => one.severity === 'error')).toEqual([])
    const pieces: Buffer[] = []
    for await (const piece of (await openSource(planOf(facts!, { preparation: ['x'] }), folder()).upload(0)).open())
      pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe(becomes)
  })
})
