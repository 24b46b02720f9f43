/** Nights of one list, each with earlier answers and in full: the outputs must be the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { FettleError } from '../../../src/errors.ts'
import { type Clock, merge, type PipelineInput, type Report, run } from '../../../src/index.ts'
import { packageFile } from '../../../src/package-file.ts'
import { type ChargingService, startCharging } from '../../support/charging-service.ts'
import { atFileEnd } from '../../support/file-end.ts'
import type { Place } from '../../support/place.ts'

const [HEADER, ...LINES] = readFileSync(packageFile('samples/suppliers.csv'), 'utf8').split('\n')
/** Rows on one line, without their key. */
export const SUPPLIERS = LINES.filter(line => /^V\d/.test(line) && line.split('"').length % 2 === 1).map(line =>
  line.slice(line.indexOf(',') + 1),
)
const TAGS = ['general.connectId', 'general.companyName', 'general.rowNumber', 'general.duplicate', 'general.duplicateId']
const COLUMNS = ['*', ...TAGS, 'match.outcome', 'match.score', 'match.why', 'match.candidates']
const GIVEN = ['answer.at', 'answer.job', 'answer.reused']
const AGES = { matched: '20d', unmatched: '5d', review: '5d' }
const DAY = 86_400_000
const AGE = { matched: 20, duplicate: 20, unmatched: 5, review: 5 }

/** A row of the list: its key, and the number of its supplier. */
export type Row = readonly [key: string, supplier: number]

/** A clock that stands some days from now, and does not wait for long. */
export const clockAt = (days: number): Clock => ({
  ...realClock,
  now: () => realClock.now() + days * DAY,
  sleep: (ms, signal) => realClock.sleep(ms / 20, signal),
})

/** What a night showed. */
export interface Night {
  readonly report: Report
  readonly reuse: NonNullable<Report['results'][number]['reuse']>
  /** The cells of the output by the names of their columns. */
  readonly rows: readonly Readonly<Record<string, string>>[]
}

let charging: Promise<ChargingService> | null = null

/** The service of the file, which charges. */
export function chargingService(here: Place): Promise<ChargingService> {
  if (charging !== null) return charging
  charging = startCharging(here.options({}).env.FETTLE_DATA!)
  atFileEnd(async () => {
    const service = await charging
    charging = null
    await service?.close()
  })
  return charging
}

/** The options of a run against it. */
export const chargedOptions = async (here: Place): Promise<ReturnType<Place['options']> & { readonly clock: Clock }> => ({
  ...here.options((await chargingService(here)).env),
  clock: clockAt(0),
})

/** Runs the nights of a place. `more`: keys of the pipeline besides the usual ones. */
export function nightsAt(here: Place, more: Partial<PipelineInput> = {}, columns: readonly string[] = COLUMNS) {
  const read = (name: string): string => readFileSync(join(here.folder, name), 'utf8')
  /** When each question was answered last, in days, and how. */
  const asked = new Map<string, { readonly day: number; readonly outcome: string }>()
  let number = 0

  const pipelineOf = (name: string, own: Partial<PipelineInput>, names: readonly string[]): PipelineInput =>
    here.pipeline({
      name,
      input: { path: 'in.csv', key: 'Supplier No' },
      mappings: { name: 'Company Name', orgNumber: 'Reg No', country: 'Country' },
      enrich: { product: 'basic', tags: TAGS },
      output: { path: `${name}.csv`, columns: [...names], review: `${name}-review.csv`, unmatched: `${name}-unmatched.csv` },
      ...more,
      ...own,
    })

  /** Of the file without its columns about the answer. */
  const cells = (name: string): string[][] => {
    const [header = [], ...rows] = parse(read(name), { bom: true }) as string[][]
    const kept = header.flatMap((column, at) => (GIVEN.includes(column) ? [] : [at]))
    return [header, ...rows].map(row => kept.map(at => row[at] ?? ''))
  }

  const write = (list: readonly Row[]): void =>
    here.write('in.csv', [HEADER, ...list.map(([key, supplier]) => `${key},${SUPPLIERS[supplier]}`), ''].join('\n'))
  const nightlyPipeline = pipelineOf('nightly', { reuse: AGES }, [...columns, ...GIVEN])

  /** `shards`: the night with earlier answers runs in so many, which are joined. */
  async function night(
    day: number,
    list: readonly Row[],
    { shards = 1, ...options }: Partial<Parameters<typeof run>[1]> & { readonly shards?: number } = {},
  ): Promise<Night> {
    write(list)
    const common = { ...(await chargedOptions(here)), clock: clockAt(day) }
    const continued = (more: Partial<Parameters<typeof run>[1]>): Promise<Report> =>
      run(nightlyPipeline, { ...common, ...options, ...more }).catch((error: unknown) => {
        if (!FettleError.is(error) || error.code !== 'FETTLE_ABORTED') throw error
        return run(nightlyPipeline, { ...common, ...more })
      })
    const joined = async (): Promise<Report> => {
      for (let number = 1; number <= shards; number++) {
        const { status } = await continued({ shard: `${number}/${shards}`, fresh: false })
        expect(['success', 'warn']).toContain(status)
      }
      return merge(['nightly'], common)
    }
    const full = await run(pipelineOf('full', {}, columns), { ...common, runsDir: `full-${number++}`, fresh: true })
    expect([0, 1]).toContain(full.exitCode)
    const report = await (shards === 1 ? continued({}) : joined())
    expect(report, JSON.stringify(report.results[0]?.error)).toMatchObject({ exitCode: full.exitCode, ledger: { adds: true } })
    for (const kind of ['', '-review', '-unmatched']) expect(cells(`nightly${kind}.csv`)).toEqual(cells(`full${kind}.csv`))
    expect(report.totals).toEqual(full.totals)
    expect(report.results[0]?.checks).toEqual(full.results[0]?.checks)
    const result = report.results[0]!
    const { reuse } = result
    if (reuse == null) throw new Error('the report has no answers of earlier runs')
    const sent = reuse.fresh + reuse.changed + reuse.tooOld + reuse.lacking + reuse.refreshed
    expect([reuse.known + reuse.sent + reuse.repeated, sent, result.plan.sent]).toEqual([reuse.asked, reuse.sent, reuse.sent])
    if (reuse.outcomes !== null) {
      const both = Object.values({ ...reuse.outcomes.known }).concat(Object.values({ ...reuse.outcomes.sent }))
      expect(both.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(report.totals.rows)
    }
    const rows = parse(read('nightly.csv'), { columns: true, bom: true }) as Record<string, string>[]
    return { report, reuse, rows: checked(rows, { day, isRefresh: options.refresh !== undefined }) }
  }

  /** No question is asked again within its age. */
  function checked(
    rows: Record<string, string>[],
    { day, isRefresh }: { readonly day: number; readonly isRefresh: boolean },
  ): Record<string, string>[] {
    const now = new Map<string, { day: number; outcome: string }>()
    for (const row of rows) {
      const question = ['Company Name', 'Reg No', 'Country'].map(name => row[name]).join('|')
      const outcome = row['match.outcome'] ?? ''
      const before = asked.get(question)
      const age = AGE[(before?.outcome ?? 'matched') as keyof typeof AGE] ?? 0
      if (row['answer.reused'] === 'Y') {
        expect(before, question).toBeDefined()
        expect(day - before!.day).toBeLessThan(age)
      } else {
        if (before !== undefined && !isRefresh)
          expect(day - before.day, `${question} was asked again`).toBeGreaterThanOrEqual(age)
        now.set(question, { day, outcome })
      }
    }
    for (const [question, answer] of now) asked.set(question, answer)
    return rows
  }

  return Object.assign(night, { write, pipeline: nightlyPipeline })
}
