/** What Redis holds is not trusted: a task, a journal or an end that somebody changed reaches no other address and writes nowhere else. */
import { describe, expect, test } from 'vitest'
import { identityOf } from '../../src/compose/service.ts'
import { fingerprintOf } from '../../src/pipeline/fingerprint.ts'
import { heldData } from './held-data.ts'
import { hostile, mutantsOf, sample } from './mutants.ts'
import { HAS_REDIS } from './redis.ts'

const SEED = 5
process.stderr.write(`seed ${SEED}\n`)

describe.skipIf(!HAS_REDIS)('what Redis holds', { timeout: 120_000 }, () => {
  test('a sample of changed tasks, journals and ends: no other address, no file outside, a reason', async () => {
    const held = await heldData()
    const values = hostile(held.evilUrl, held.outside)
    const began = performance.now()
    const cases = { tasks: 0, journals: 0, ends: 0 }
    for (const isRenamed of [false, true])
      for (const { json } of sample(mutantsOf(held.task, values), isRenamed ? 67 : 31, SEED)) {
        await held.carryTask(json, isRenamed)
        cases.tasks++
      }
    for (const [at, line] of held.lines.entries())
      for (const { json } of sample(mutantsOf(JSON.parse(line), values), 83, SEED + at)) {
        await held.carryLines(held.lines.with(at, json))
        cases.journals++
      }
    for (const { json } of sample(mutantsOf(held.end, values), 11, SEED)) {
      await held.collect(held.lines, JSON.parse(json))
      cases.ends++
    }
    process.stderr.write(`${JSON.stringify(cases)} in ${Math.round(performance.now() - began)} ms\n`)
    expect(cases.tasks).toBeGreaterThan(100)
  })
})
