/** Every place of what Redis holds of a shard by every hostile value: tasks as they are and renamed, journals whole and cut, ends, and chance. */
import { describe, expect, test } from 'vitest'
import { seeded } from '../journal/seeded.ts'
import { heldData } from './held-data.ts'
import { hostile, mutantsOf } from './mutants.ts'
import { HAS_REDIS } from './redis.ts'

const SEED = 20261122

describe.skipIf(!HAS_REDIS)('all of what Redis holds', { timeout: 3_600_000 }, () => {
  test('changed in any one place, and in several by chance: no other address, no file outside, a reason', async () => {
    const held = await heldData()
    const values = hostile(held.evilUrl, held.outside)
    const cases = { tasks: 0, journals: 0, ends: 0, several: 0 }
    const began = performance.now()
    for (const isRenamed of [false, true])
      for (const { json } of mutantsOf(held.task, values)) {
        await held.carryTask(json, isRenamed)
        cases.tasks++
      }
    for (const [at, line] of held.lines.entries())
      for (const { json } of mutantsOf(JSON.parse(line), values)) {
        // Cut behind the changed line, the run goes on from there.
        await held.carryLines(at % 2 === 0 ? held.lines.with(at, json) : held.lines.with(at, json).slice(0, at + 1))
        cases.journals++
      }
    for (const { json } of mutantsOf(held.end, values)) {
      await held.collect(held.lines, JSON.parse(json))
      cases.ends++
    }
    const random = seeded(SEED)
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!
    for (let round = 0; round < 2_000; round++) {
      const lines = [...held.lines]
      for (let changes = 0; changes < 3; changes++) {
        const at = Math.floor(random() * lines.length)
        const line = lines[at]!
        if (random() < 0.2) lines.splice(at, 1)
        else if (random() < 0.3) lines.splice(at, 0, pick(held.lines))
        else if (line.startsWith('{')) lines[at] = pick(mutantsOf(valueOf(line), values)).json
        if (lines.length === 0) break
      }
      await (round % 2 === 0 ? held.carryLines(lines) : held.collect(lines, held.end))
      cases.several++
    }
    process.stderr.write(`seed ${SEED}: ${JSON.stringify(cases)} in ${Math.round((performance.now() - began) / 1000)} s\n`)
    expect(cases.tasks).toBeGreaterThan(5_000)
  })
})

function valueOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
