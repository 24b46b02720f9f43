/** A portfolio kept in step by real runs against a service: rules, additions, removals, and what people wrote. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { run } from '../../../src/index.ts'
import { companyAt, idOf, listOf, type Monitored, monitored } from '../../support/monitored.ts'

let here: Monitored
afterEach(() => here.close())

const COMPANIES = Array.from({ length: 30 }, (_, at) => companyAt(at))

async function night(companies: readonly ReturnType<typeof companyAt>[], portfolio: object) {
  const cwd = join(here.folder, 'project')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'in.csv'), listOf(companies))
  const pipeline = here.pipeline({ portfolio: { name: 'Watched', reference: 'ref', ...portfolio } })
  return run(pipeline, { cwd, env: here.env, fresh: true, acceptList: true })
}

const held = async (id: number) =>
  (await here.client.api.listPortfolioCompanies.all({ portfolioId: String(id) }).toArray({ limit: 1000 })).sort((a, b) =>
    a.id < b.id ? -1 : 1,
  )

test('the first night makes it, the next ones send the difference alone', async () => {
  here = await monitored(COMPANIES)
  const sync = { rules: { XX: [900_103, 900_104], GB: 'default' }, sync: true, remove: { max: '50%' } } as const
  const first = (await night(COMPANIES.slice(0, 20), sync)).results[0]!.portfolio!
  expect(first).toMatchObject({ created: true, added: 20, present: 0, removed: 0, rules: { XX: 2, GB: 1 } })
  const portfolioId = String(first.id)
  const rules = await here.client.api.listPortfolioEventRules({ portfolioId })
  expect(
    rules
      .filter(({ isActive }) => Boolean(Number(isActive)))
      .map(({ ruleCode }) => ruleCode)
      .sort(),
  ).toEqual([900_103, 900_104, 910_000 + Number.parseInt('GB', 36)].sort())
  const kept = { personalReference: 'mine', freeText: 'by hand', personalLimit: '7' }
  await here.client.api.changeCompany({ portfolioId, companyId: idOf(COMPANIES[3]!), body: kept })

  const same = (await night(COMPANIES.slice(0, 20), sync)).results[0]!
  expect(same.portfolio).toMatchObject({ added: 0, present: 20, removed: 0 })

  const next = (await night(COMPANIES.slice(2, 25), sync)).results[0]!.portfolio!
  expect(next).toMatchObject({ id: first.id, created: false, added: 5, present: 18, removed: 2, kept: 0 })
  const now = await held(first.id!)
  expect(now.map(({ id }) => id)).toEqual(COMPANIES.slice(2, 25).map(idOf))
  expect(now.find(({ id }) => id === idOf(COMPANIES[3]!))).toMatchObject({
    ...{ personalReference: `S-${COMPANIES[3]!.id}`, freeText: 'by hand' },
  })

  const guarded = await night(COMPANIES.slice(20, 25), sync)
  expect(guarded.results[0]!.portfolio).toMatchObject({ added: 0, present: 5, removed: 0, kept: 18 })
  expect(guarded.results[0]!.issues.map(({ code }) => code)).toContain('FETTLE_PORTFOLIO_KEPT')
  expect(await held(first.id!)).toHaveLength(23)
})
