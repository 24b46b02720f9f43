/** Whole runs against the embedded service in each play. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/index.ts'
import { type PlayName, serve } from '../../../src/service/index.ts'
import { atFileEnd } from '../../support/file-end.ts'
import { type Place, place } from './place.ts'

const registers = mkdtempSync(join(tmpdir(), 'fettle-plays-'))
atFileEnd(() => rmSync(registers, { recursive: true, force: true }))

let here: Place
beforeEach(() => {
  here = place()
  // In the sample register; between the thresholds; unknown.
  here.write('in.csv', 'name,country\nShaughnessy Insurance Brokers DAC,IE\nCyrden,GB\nZzyzx Qqq,GB\n')
})
afterEach(() => here.leave())

async function environment(play: PlayName): Promise<Record<string, string>> {
  const dataDir = join(here.folder, 'service')
  const service = await serve({ dataDir, registerDir: join(registers, 'registers'), registers: ['sample'], users: [], play })
  onTestFinished(() => service.close())
  return { FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password }
}

const quick = { poll: { every: '500ms' } } as const

test.each(['own', 'vendor'] as const)('%s: a run from list to report', async play => {
  const report = await run(here.pipeline(quick), here.options(await environment(play)))
  expect(report).toMatchObject({
    status: 'success',
    exitCode: 0,
    totals: { rows: 3, matched: play === 'own' ? 1 : 2, unmatched: 1 },
  })
  expect(report.results[0]!.stages.map(({ name, status }) => `${name} ${status}`)).toContain('download success')
  expect(readFileSync('out.csv', 'utf8')).toContain('IE-X-339814')
})

test('seed: a run without enrichment ends with the counts', async () => {
  const { output: _, ...pipeline } = here.pipeline({ ...quick, enrich: 'none' })
  const report = await run(pipeline, here.options(await environment('seed')))
  expect(report).toMatchObject({
    status: 'success',
    exitCode: 0,
    totals: { rows: 3, matched: 1, manualMatched: 1, unmatched: 1 },
  })
})

test('seed: a run with enrichment ends at the operation that does not exist', async () => {
  const running = run(here.pipeline(quick), here.options(await environment('seed')))
  await expect(running).rejects.toMatchObject({
    code: 'FETTLE_NOT_FOUND',
    message: expect.stringMatching(/^setEnrichments .* 404/),
    hint: expect.stringContaining('enrich: none'),
  })
})
