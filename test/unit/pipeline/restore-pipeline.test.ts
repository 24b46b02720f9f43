/** The way back from a plan: planned again over the same list, the pipeline is the same work. */
import { expect, test } from 'vitest'
import { type PlannedService, planSchema } from '../../../src/pipeline/model/plan.ts'
import { parsePipelineValue } from '../../../src/pipeline/parse.ts'
import { fingerprintPlan } from '../../../src/pipeline/planning/fingerprint.ts'
import { planRun } from '../../../src/pipeline/planning/plan.ts'
import { restorePipeline } from '../../../src/pipeline/planning/restore-pipeline.ts'
import { CONTEXT, FACTS, lineOf, OPTIONS, planOf } from './support.ts'

const REMOTE: PlannedService = {
  kind: 'remote',
  url: 'https://service.example.com/v1',
  rate: { requests: 5, perMs: 1500 },
  fileHosts: ['files.example.com'],
  insecure: false,
}

const WHOLE = `name: suppliers
input: { path: in.csv, key: Id }
mappings: { name: { from: Name, trim: true }, orgNumber: { from: Id, pad: 8 }, countryCode: { value: GB } }
job: { split: 4, concurrency: 2, companyNumbers: unreliable }
matching: { precision: 0.95 }
send: mapped
enrich: { product: basic, tags: [general.connectId, general.companyName], headers: { general.connectId: Connect ID } }
budget: { rows: 100, credits: 50, month: 900, account: refuse }
poll: { every: 3s, max: 40s, timeout: 3h }
retry: { attempts: 2 }
checks: { matched: { warn: "< 90%", fail: "< 12.3%" }, failed: { fail: "> 5" }, drift: { warn: "> 15%" } }
output: { path: out.csv, columns: ["*", { from: general.connectId, as: connect_id }] }
accept: { banding: [A], review: [B], pattern: { name: A-C } }
candidates: { for: [review, unmatched], limit: 7, budget: 3 }
portfolio: { name: Suppliers, reference: Id, rules: { XX: [105, { code: 101, param0: 1 }], GB: default }, sync: true, remove: { max: 0.07% } }
screen: { datasets: [SAN], threshold: 90, countries: [GB], budget: 9 }
after: archive
`
const BARE = 'name: a\ninput: in.csv\nmappings: { name: { index: 1 }, country: { index: 2 } }\nchecks: {}\n'

test.each([
  ['all keys', WHOLE, REMOTE],
  ['the embedded service', WHOLE, CONTEXT.service],
  ['no more than the keys it must have', BARE, REMOTE],
])('a pipeline with %s', (_, text, service) => {
  const plan = planOf(text, {}, { service })
  const restored = restorePipeline(plan)
  const output = plan.output && { ...restored.output, path: plan.output.path }
  const value = { ...restored, input: { path: 'in.csv', ...restored.input }, output: output ?? undefined }
  const { pipeline, issues } = parsePipelineValue(value, OPTIONS)
  expect(issues.map(lineOf)).toEqual([])
  const { plan: again } = planRun(pipeline!, FACTS, { ...CONTEXT, service })
  // Columns are named by number, so the headers of mappings are not part of the comparison.
  const bare = (one: typeof plan) => ({
    ...one,
    key: one.key && { ...one.key, header: null },
    mappings: one.mappings.map(mapping => ({ ...mapping, header: null })),
    portfolio: one.portfolio && {
      ...one.portfolio,
      reference: one.portfolio.reference && { ...one.portfolio.reference, header: null },
    },
  })
  expect(bare(again!)).toEqual({ ...bare(plan), fingerprint: expect.any(String) })
  expect(fingerprintPlan(bare(again!))).toBe(fingerprintPlan(bare(plan)))
})

test('a plan as a journal keeps it is proved by the schema of a plan, which refuses values of a different kind', () => {
  const plan = JSON.parse(JSON.stringify(planOf(WHOLE, {}, { service: REMOTE }))) as Record<string, unknown>
  expect(planSchema.parse(plan)).toEqual(plan)
  for (const key of ['input', 'service', 'mappings', 'budget', 'parts', 'portfolio', 'report'])
    expect(planSchema.safeParse({ ...plan, [key]: 'other' }).error?.issues[0]?.path[0]).toBe(key)
})
