/** A project whose companies are kept under monitoring by real runs against a service, night after night. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect } from 'vitest'
import { run } from '../../../src/index.ts'
import { importList } from '../../../src/service/screening/index.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { type Company, companyAt, listOf, type Monitored, monitored } from '../../support/monitored.ts'

export const COMPANIES = Array.from({ length: 20 }, (_, at) => companyAt(at))

export interface Night {
  readonly monitor?: { readonly remove: 'gone' | { readonly max: string } }
  readonly threshold?: 80 | 85
  readonly clock?: VirtualClock
  readonly people?: 'directors'
}

export async function openNights(clock?: VirtualClock, officers?: string) {
  const lists = mkdtempSync(join(tmpdir(), 'fettle-lists-'))
  const here: Monitored = await monitored(COMPANIES, {
    screeningDir: lists,
    ...(clock && { clock: clock.forService() }),
    ...(officers && { officers }),
  })
  const cwd = join(here.folder, 'project')
  mkdirSync(cwd)
  const alertsIn = (name: string) => parse(readFileSync(join(cwd, name)), { columns: true }) as Record<string, string>[]
  return {
    here,
    lists,
    cwd,
    /** The sanctions list of a night. */
    async listNames(names: readonly string[], people: readonly string[] = []): Promise<void> {
      const file = join(here.folder, 'listed.csv')
      const lines = [
        ...names.map((name, at) => `${at},business,${name},SAN`),
        ...people.map((name, at) => `p${at},individual,${name},SAN`),
      ]
      writeFileSync(file, ['id,type,name,datasets', ...lines, ''].join('\n'))
      await importList({ kind: 'csv', file, name: 'ours', dir: lists, now: new Date(0), force: true })
    },
    async night(companies: readonly Company[], { monitor, threshold = 85, clock, people }: Night = {}) {
      writeFileSync(join(cwd, 'in.csv'), listOf(companies))
      const screen = { datasets: ['SAN' as const], threshold, monitor: monitor ?? (true as const), alerts: 'alerts.csv', people }
      const pipeline = here.pipeline({ screen, ...(people && { enrich: 'standard' }) })
      const result = await run(pipeline, { cwd, env: here.env, fresh: true, acceptList: true, clock })
      return { result: result.results[0]!, alerts: alertsIn('alerts.csv'), exitCode: result.exitCode }
    },
    schedules: () => here.client.api.listSchedules.all().toArray({ limit: 1_000 }),
    /** The hits in the files of all runs. */
    writtenHits: (): string[] =>
      readdirSync(cwd)
        .filter(name => /^alerts\..+\.csv$/.test(name))
        .flatMap(name => alertsIn(name).map(({ hit_id = '' }) => hit_id)),
    async close(): Promise<void> {
      await here.close()
      rmSync(lists, { recursive: true, force: true })
    },
  }
}

export type Nights = Awaited<ReturnType<typeof openNights>>

/** Nights of virtual time on which lists and companies change. Every hit is in the file of one night, and each company under monitoring once. */
export async function walkNights(days: number, changes: number, seed: number): Promise<{ readonly hits: number }> {
  const change = fc.record({
    night: fc.integer({ min: 1, max: days }),
    at: fc.nat(COMPANIES.length - 1),
    what: fc.constantFrom('listed', 'listed', 'unlisted', 'in', 'in', 'out', 'again'),
  })
  const planned = fc.sample(change, { numRuns: changes, seed })
  const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1), seed: 5 })
  const nights = await openNights(clock)
  const { here, listNames, night, schedules } = nights
  try {
    clock.isIdle = () => here.front.pending() === 0
    const listed = new Set([0, 1])
    const mine = new Set([0, 2, 4, 6, 8])
    const seen = new Set<string>()
    for (let day = 1; day <= days; day++) {
      clock.suspend(86_400_000, 'moves')
      const today = planned.filter(({ night }) => night === day)
      for (const { at, what } of today) {
        if (what === 'listed') listed.add(at)
        if (what === 'unlisted') listed.delete(at)
        if (what === 'in') mine.add(at)
        if (what === 'out' && mine.size > 1) mine.delete(at)
      }
      await listNames([...listed].map(at => COMPANIES[at]!.name))
      // Searched again on other terms and back: its hits are new.
      const all = await schedules()
      for (const { at } of today.filter(({ what }) => what === 'again' || what === 'listed')) {
        const one = all.find(({ name }) => name === COMPANIES[at]!.name)
        for (const threshold of [80, 85] as const)
          if (one !== undefined) await here.client.api.updateSchedule({ scheduleId: one.id, body: { threshold } })
      }
      const companies = [...mine].map(at => COMPANIES[at]!)
      const { result, alerts, exitCode } = await night(companies, { monitor: { remove: 'gone' }, clock })
      expect([day, exitCode, result.monitoring?.written?.alerts]).toEqual([day, 0, alerts.length])
      const under = (await schedules()).map(({ name }) => name)
      expect(under.sort(), `night ${day}`).toEqual(companies.map(({ name }) => name).sort())
      for (const { id } of await here.client.api.listScheduleAlerts.all().toArray({ limit: 1_000 })) seen.add(id)
    }
    expect(nights.writtenHits().sort()).toEqual([...seen].sort())
    return { hits: seen.size }
  } finally {
    await nights.close()
  }
}
