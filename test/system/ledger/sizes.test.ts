/**
 * The row ledger adds up for lists of any length: none, one, ten, thousands. LEDGER_ROWS sets other lengths
 * (`LEDGER_ROWS=100000,1000000 npx vitest run test/system/ledger/sizes.test.ts`).
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import type { FaultyService } from '../../../src/testing/index.ts'
import { runs } from '../../support/runs.ts'
import { useService } from '../kill/use-service.ts'
import { runAndJudge } from './place.ts'

const SIZES = (process.env.LEDGER_ROWS ?? `0,1,10,${runs(3_000, 10_000)}`).split(',').map(Number)

let service: FaultyService
useService(started => {
  service = started.service
})

const PLACES = ['Bell', 'Crag', 'Dale', 'Elm', 'Fern', 'Glen', 'Holm', 'Isle', 'Kiln', 'Lark']

/** Companies the register holds, some of them twice, some it does not, cells over two lines, and quotes. */
const row = (n: number): string =>
  n % 7 === 0
    ? `${n},"Nobody ""Knows""\nThem ${n} GmbH",,DE`
    : `${n},Harrow ${PLACES[n % 10]}brook Foundry Ltd,${n % 3 === 0 ? 10_000_000 + (n % 50) : ''},GB`

async function write(folder: string, rows: number): Promise<void> {
  const out = createWriteStream(join(folder, 'in.csv'))
  out.write('ref,Company,No,Country\n')
  for (let n = 1; n <= rows; n++) if (!out.write(`${row(n)}\n`)) await once(out, 'drain')
  await finished(out.end())
}

const pipeline = {
  name: 'ledger',
  input: { path: 'in.csv', key: 'ref', empty: 'skip' },
  mappings: { name: 'Company', orgNumber: 'No', country: 'Country' },
  enrich: { product: 'basic', tags: ['general.connectId'] },
  poll: { every: '500ms', max: '2s' },
  output: { path: 'out.csv', columns: ['*', 'general.connectId', 'match.outcome'], unmatched: 'unmatched.csv' },
}

test.each(SIZES)('accounts for each of %i rows', async rows => {
  const { code, stderr, totals, violations } = await runAndJudge(service, {
    pipeline,
    rows,
    fill: folder => write(folder, rows),
  })
  expect(code, stderr).toBe(0)
  expect(violations).toEqual([])
  expect(totals).toMatchObject({ rows })
  console.log(`${rows} rows: ${JSON.stringify(totals)}`)
})
