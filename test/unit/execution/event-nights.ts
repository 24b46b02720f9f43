/** Nights in virtual time: the register changes at random, and a pipeline writes the events of each night. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { run } from '../../../src/index.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { type Company, companyAt, idOf, listOf, monitored } from '../../support/monitored.ts'

const DAY = 86_400_000
const COMPANIES = 40
/** With what changes in a night, and the rule that reports it. */
const FIELDS = { status: 'Company Status', name: 'Company Name', town: 'Address', limit: 'Credit Limit Change' } as const
type Field = keyof typeof FIELDS

export interface Nights {
  /** Every change, as `night company rule value`. */
  readonly expected: readonly string[]
  /** Every line of the file of every night, likewise. */
  readonly written: readonly string[]
  /** Events in the reports, night by night. */
  readonly reported: readonly number[]
}

/** `seed` decides which companies change, in which field, on which night. */
export async function nightsOf(nights: number, changes: number, seed: number): Promise<Nights> {
  const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1), seed })
  let companies: Company[] = Array.from({ length: COMPANIES }, (_, at) => ({ ...companyAt(at), limit: '1000' }))
  const here = await monitored(companies, { clock: clock.forService() })
  clock.isIdle = () => here.front.pending() === 0
  const cwd = join(here.folder, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'in.csv'), listOf(companies))
  const pipeline = here.pipeline({
    portfolio: { name: 'Watched', reference: 'ref', rules: { XX: [900_103, 900_104, 105, 102] }, sync: true },
    events: { since: 'last', output: 'events.csv', mark: true },
    reuse: { matched: '365d', unmatched: '7d', review: '7d' },
  })
  const night = async () => (await run(pipeline, { cwd, env: here.env, clock })).results[0]!
  const change = fc.record({
    night: fc.integer({ min: 2, max: nights }),
    at: fc.nat(COMPANIES - 1),
    field: fc.constantFrom<Field>('status', 'name', 'town', 'limit'),
  })
  const planned = fc.sample(change, { numRuns: changes, seed })
  const expected: string[] = []
  const written: string[] = []
  const reported: number[] = []
  try {
    await night()
    for (let day = 2; day <= nights; day++) {
      clock.suspend(DAY, 'moves')
      const before = companies
      for (const [place, { at, field }] of planned.entries())
        if (planned[place]!.night === day)
          companies = companies.map((one, n) =>
            n === at ? { ...one, [field]: field === 'limit' ? `${place}` : `${field} ${place}` } : one,
          )
      for (const [at, one] of companies.entries())
        for (const field of Object.keys(FIELDS) as Field[])
          if (one[field] !== before[at]![field]) expected.push(`${day} ${idOf(one)} ${FIELDS[field]} ${one[field]}`)
      await here.importCompanies(companies, day)
      reported.push((await night()).events?.events ?? -1)
      const rows = parse(readFileSync(join(cwd, 'events.csv')), { columns: true }) as Record<string, string>[]
      // Of an address the last part has changed.
      for (const { company_id, rule_name, new_value = '' } of rows)
        written.push(`${day} ${company_id} ${rule_name} ${new_value.split(', ').at(-1)}`)
    }
  } finally {
    await here.close()
  }
  return { expected, written, reported }
}
