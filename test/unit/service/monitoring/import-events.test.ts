/** What an import prints as its events is what the service raises for a portfolio of all its companies with every rule of all countries. */
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { CompanyEvent } from '../../../../src/model/requests.ts'
import { type ImportEvent, importEvents } from '../../../../src/service/monitoring/events.ts'
import { registerInfo } from '../../../../src/service/registers/index.ts'
import { type Company, companyAt, idOf, type Monitored, monitored } from '../../../support/monitored.ts'

let here: Monitored
afterEach(() => here.close())

const COMPANIES = Array.from({ length: 60 }, (_, at) => ({
  ...companyAt(at),
  limit: '100',
  score: '50',
  legalForm: at % 2 ? 'ltd' : '',
}))

const change = fc.oneof(
  fc.constant<Partial<Company> | null>(null),
  fc.record(
    {
      ...{ status: fc.constantFrom('dissolved', 'Active', ''), town: fc.constantFrom('York', ' leeds ', '') },
      ...{
        limit: fc.constantFrom('100', '7', ''),
        score: fc.constantFrom('50', '9'),
        legalForm: fc.constantFrom('plc', 'ltd', ''),
      },
    },
    { requiredKeys: [] },
  ),
)

test('the events of an import are those that the service raises', async () => {
  const [changes = []] = fc.sample(fc.array(change, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 7 })
  here = await monitored(COMPANIES)
  const { value } = await here.client.createPortfolio('Watched', { look: async () => undefined, key: 'one' })
  const rules = await here.client.readRules(value.id, 'XX')
  const active = rules.map(rule => ({ ...rule, active: true, params: ['', '', ''] as const }))
  await here.client.setRules(value.id, 'XX', active)
  for (const one of COMPANIES) await here.client.addCompany(value.id, { id: idOf(one), reference: '' })
  const companies = COMPANIES.flatMap((one, at) => (changes[at] === null ? [] : [{ ...one, ...changes[at] } as Company]))
  await here.importCompanies(companies, 2)
  const raised = await here.client.listEvents(value.id, null)
  const dir = join(here.folder, 'registers')
  const info = await registerInfo(dir, 'uk')
  const found: ImportEvent[] = []
  for await (const events of importEvents(dir, 'uk', info.changes!.at(-1)!)) found.push(...events)
  const textOf = ({ company, rule, old, new: now }: Pick<CompanyEvent, 'company' | 'rule' | 'old' | 'new'>): string =>
    [company.id, company.name, company.country, rule.code, old, now].join(' / ')
  expect(found.map(textOf).sort()).toEqual(raised.map(textOf).sort())
  expect(new Set(found.map(({ field }) => field))).toEqual(new Set(['status', 'address', 'limit', 'legalForm']))
})
