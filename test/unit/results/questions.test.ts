/** The questions about rows without a certain match: what they ask, and how rows beyond the limit are counted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OPERATIONS } from '../../../src/contract/index.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { SKIPPED } from '../../../src/results/decisions/apply-decisions.ts'
import type { RowOutcome } from '../../../src/results/enriched-file.ts'
import { QuestionLister, questionMaker, readQuestions } from '../../../src/results/questions.ts'

const MAPPINGS = [
  { mapping: 'name', index: 0 },
  { mapping: 'country', index: 1 },
  { mapping: 'postcode', index: 2 },
] as unknown as Plan['mappings']
const questionOf = questionMaker({ mappings: MAPPINGS })

test.each([
  ['long', 'x'.repeat(600), 500],
  ['of pairs', '😀'.repeat(300), 500],
  ['of pairs at an odd place', `x${'😀'.repeat(300)}`, 499],
])('a name %s fits the parameter', (_, name, length) => {
  const { query } = questionOf([name, 'GB', 'LS1 4AP'])!
  expect(query.name).toHaveLength(length)
  expect(encodeURIComponent(query.name!).length).toBeGreaterThan(0)
  expect(OPERATIONS.matchCompanies.query.safeParse({ ...query, matchThreshold: '900' }).success).toBe(true)
})

test('a row without a name or a known country has no question', () => {
  expect([questionOf(['', 'GB', '']), questionOf(['Acme', 'Nowhere', ''])]).toEqual([null, null])
})

test('rows beyond the limit are counted, also those that repeat a question', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-questions-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const plan = { for: ['review', 'unmatched'], limit: 2 } as unknown as NonNullable<Plan['candidates']>
  const lister = new QuestionLister(plan, { mappings: MAPPINGS }, folder)
  const ask = (outcome: RowOutcome, ...names: string[]): void => {
    for (const name of names) lister.add({ result: { ...SKIPPED, outcome }, uploadRow: [name, 'GB', ''] })
  }
  ask('unmatched', 'C', 'D', 'D', 'D', 'E')
  ask('review', 'A', 'A')
  ask('matched', 'Z')
  ask('review', '')
  await lister.publish()
  const listed: unknown[] = []
  for await (const { query } of readQuestions(folder, 2)) listed.push(query.name)
  expect(listed).toEqual(['A', 'C'])
  expect(lister.counts()).toEqual({ listed: 2, left: 4, incomplete: 1 })
})
