/** Every field that Redis holds of a shard with every hostile value: tasks, journals whole and cut, ends, and random changes. */
import { describe, expect, test } from 'vitest'
import { draw, pick } from '../../system/chaos/chance.ts'
import { heldData } from './held-data.ts'
import { hostile, mutantsOf, sample } from './mutants.ts'
import { HAS_REDIS } from './redis.ts'

const SEED = Number(process.env.FETTLE_SEED ?? 20261122)
/** Of the changes in one place, every so many-th: another seed takes others. */
const EACH = 8

describe.skipIf(!HAS_REDIS)('all of what Redis holds', () => {
  test('changed in any one place, and in several by chance: no other address, no file outside, a reason', async () => {
    const held = await heldData()
    const values = hostile(held.evilUrl, held.outside)
    const cases = { tasks: 0, journals: 0, ends: 0, several: 0 }
    const began = performance.now()
    for (const isRenamed of [false, true])
      for (const { json } of sample(mutantsOf(held.task, values), EACH, SEED)) {
        await held.carryTask(json, isRenamed)
        cases.tasks++
      }
    process.stderr.write(`seed ${SEED}: ${JSON.stringify(cases)} so far, ${Math.round((performance.now() - began) / 1000)} s\n`)
    for (const [at, line] of held.lines.entries())
      for (const { json } of sample(mutantsOf(JSON.parse(line), values), EACH, SEED + at)) {
        // Cut behind the changed line, the run goes on from there.
        await held.carryLines(at % 2 === 0 ? held.lines.with(at, json) : held.lines.with(at, json).slice(0, at + 1))
        cases.journals++
      }
    for (const { json } of mutantsOf(held.end, values)) {
      await held.collect(held.lines, JSON.parse(json))
      cases.ends++
    }
    process.stderr.write(`seed ${SEED}: ${JSON.stringify(cases)} so far, ${Math.round((performance.now() - began) / 1000)} s\n`)
    const next = draw(SEED)
    for (let round = 0; round < 400; round++) {
      const lines = [...held.lines]
      for (let changes = 0; changes < 3; changes++) {
        const at = Math.floor(next() * lines.length)
        const line = lines[at]!
        if (next() < 0.2) lines.splice(at, 1)
        else if (next() < 0.3) lines.splice(at, 0, pick(next, held.lines))
        else if (line.startsWith('{')) lines[at] = pick(next, mutantsOf(fieldsOf(line), values)).json
        if (lines.length === 0) break
      }
      await (round % 2 === 0 ? held.carryLines(lines) : held.collect(lines, held.end))
      cases.several++
    }
    process.stderr.write(`seed ${SEED}: ${JSON.stringify(cases)} in ${Math.round((performance.now() - began) / 1000)} s\n`)
    expect(cases.tasks).toBeGreaterThan(1_000)
  })
})

function fieldsOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
