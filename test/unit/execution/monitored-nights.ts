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
  readonly more?: Parameters<Monitored['pipeline']>[0]
}

/** `play`: of another service, which does not name changes of its lists. */
export async function openNights(clock?: VirtualClock, officers?: string, play?: 'vendor') {
  const lists = mkdtempSync(join(tmpdir(), 'fettle-lists-'))
  const here: Monitored = await monitored(COMPANIES, {
    screeningDir: lists,
    ...(clock && { clock: clock.forService() }),
    ...(officers && { officers }),
    ...(play && { play }),
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
    async night(companies: readonly Company[], { monitor, threshold = 85, clock, people, more }: Night = {}) {
      writeFileSync(join(cwd, 'in.csv'), listOf(companies))
      const screen = { datasets: ['SAN' as const], threshold, monitor: monitor ?? (true as const), alerts: 'alerts.csv', people }
      const pipeline = here.pipeline({ screen, ...(people && { enrich: 'standard' }), ...more })
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

/** Nights between two restarts of the service. */
const RESTARTED = 7

/**
 * Nights of virtual time on which lists and companies change, and the service is restarted. Every hit is in the file of the night it is expected
 * in, and of no other, and each company is under monitoring once. Returns the hits, and the seconds of processor time of each night.
 */
export async function walkNights(days: number, changes: number, seed: number, companies = COMPANIES.length) {
  const change = fc.record({
    night: fc.integer({ min: 1, max: days }),
    at: fc.nat(companies - 1),
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
    let kept = await schedules()
    /** Companies whose hit an earlier night wrote. */
    let hit = new Set<number>()
    const seconds: number[] = []
    for (let day = 1; day <= days; day++) {
      const before = process.cpuUsage()
      clock.suspend(86_400_000, 'moves')
      if (day % RESTARTED === 0) await here.restart()
      const today = planned.filter(({ night }) => night === day)
      for (const { at, what } of today) {
        if (what === 'listed') listed.add(at)
        if (what === 'unlisted') listed.delete(at)
        if (what === 'in') mine.add(at)
        if (what === 'out' && mine.size > 1) mine.delete(at)
      }
      await listNames([...listed].map(at => COMPANIES[at]!.name))
      // Searched again on other terms and back: its hits are new.
      for (const { at } of today.filter(({ what }) => what === 'again' || what === 'listed')) {
        const schedule = kept.find(({ name }) => name === COMPANIES[at]!.name)
        for (const threshold of [80, 85] as const)
          if (schedule !== undefined) await here.client.api.updateSchedule({ scheduleId: schedule.id, body: { threshold } })
        hit.delete(at)
      }
      const list = [...mine].map(at => COMPANIES[at]!)
      const { result, alerts, exitCode } = await night(list, { monitor: { remove: 'gone' }, clock })
      expect([day, exitCode, result.monitoring?.written?.alerts]).toEqual([day, 0, alerts.length])
      const found = [...mine].filter(at => listed.has(at))
      const fresh = found.filter(at => !hit.has(at)).map(at => COMPANIES[at]!.name)
      expect(alerts.map(({ company_name: name }) => name).sort(), `alerts of night ${day}`).toEqual(fresh.sort())
      hit = new Set(found)
      kept = await schedules()
      expect(kept.map(({ name }) => name).sort(), `night ${day}`).toEqual(list.map(({ name }) => name).sort())
      for (const { id } of await here.client.api.listScheduleAlerts.all().toArray({ limit: 1_000 })) seen.add(id)
      const { user, system } = process.cpuUsage(before)
      seconds.push((user + system) / 1e6)
    }
    expect(nights.writtenHits().sort()).toEqual([...seen].sort())
    return { hits: seen.size, seconds }
  } finally {
    await nights.close()
  }
}
