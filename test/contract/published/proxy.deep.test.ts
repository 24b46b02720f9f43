/** The published description as a validating proxy between the client or a run and the service that plays it. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OPERATIONS } from '../../../src/contract/index.ts'
import { run } from '../../../src/index.ts'
import { serve } from '../../../src/service/index.ts'
import { place } from '../../support/place.ts'
import { everyOperation } from '../../unit/client/every-operation.ts'
import { Seen, validatingProxy } from './proxy.ts'
import { FACTS } from './published.ts'
import { rowOf, STANDS } from './stands.ts'

test('every operation of the client is as described, or as the specification has it', async () => {
  const seen = new Seen()
  await everyOperation('vendor', url => validatingProxy(url, seen))
  const kinds = [...seen.violations.keys()]
  expect(kinds.filter(one => rowOf(one) === undefined)).toEqual([])
  expect(STANDS.filter(row => !kinds.some(one => rowOf(one) === row))).toEqual([])
  expect([...seen.operations].sort()).toEqual(Object.keys(OPERATIONS).sort())
  // The others are newer than the description.
  expect(
    Object.keys(OPERATIONS)
      .filter(name => !Object.hasOwn(FACTS, name))
      .sort(),
  ).toEqual([
    'downloadBusinessHit',
    'downloadIndividualHit',
    'markAnyNotificationEvent',
    'markNotificationEvent',
    'noteBusinessHit',
    'noteIndividualHit',
    'searchCompaniesGlobally',
  ])
})

test('a run with everything sends and reads what is described', async () => {
  const here = place()
  onTestFinished(() => here.leave())
  here.write('in.csv', 'name,country\nShaughnessy Insurance Brokers DAC,IE\nVarnix Steel Ltd,GB\nCyrden,GB\nZzyzx Qqq,GB\n')
  const [dataDir, registerDir] = ['service', 'registers'].map(name => join(here.folder, name)) as [string, string]
  const { url, username, password, close } = await serve({
    dataDir,
    registerDir,
    registers: ['sample'],
    users: [],
    play: 'vendor',
  })
  onTestFinished(() => close())
  const seen = new Seen()
  const env = { FETTLE_URL: await validatingProxy(url, seen), FETTLE_USERNAME: username, FETTLE_PASSWORD: password }
  const pipeline = here.pipeline({
    enrich: 'standard',
    accept: { banding: ['A', 'B'], review: ['C', 'D'] },
    candidates: { for: ['review', 'unmatched'], limit: 10, budget: 10 },
    portfolio: { name: 'Suppliers' },
    screen: { datasets: ['SAN', 'PEP'], threshold: 75, budget: 10, monitor: true, alerts: 'alerts.csv' },
    output: { path: 'out.csv', review: 'review.csv', unmatched: 'unmatched.csv' },
  })
  expect(await run(pipeline, here.options(env))).toMatchObject({ exitCode: 0, totals: { rows: 4 } })
  expect([...seen.violations.keys()].filter(one => rowOf(one) === undefined)).toEqual([])
  for (const name of ['enrichedFile', 'matchCompanies', 'addCompany', 'createBusinessSearch'] as const)
    expect(seen.operations).toContain(name)
})
