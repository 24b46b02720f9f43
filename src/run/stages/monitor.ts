/**
 * The stage `monitor`: puts the searches of the companies found, and of their directors, under monitoring, each once, ends the monitoring of those
 * that left the list, and writes the hits that no earlier run wrote. The schedules of the service are read first, so that a resume, or a
 * run with other searches for the same companies, adds what is missing. Only what this pipeline put under monitoring, and no other one follows, is
 * ended.
 */
import pLimit from 'p-limit'
import type { RunEventInput, RunState } from '../../journal/index.ts'
import type { Schedule, ScreenQuery } from '../../model/requests.ts'
import type { PlannedScreen } from '../../pipeline/model/types.ts'
import { searched } from '../job-lookup.ts'
import type { Followed, MonitorLedger, MonitorStore, Ports } from '../ports.ts'
import { type RunStep, type StageEvents, warning } from '../stage.ts'
import { makeScreenQuery } from './screen.ts'

/** Searches of one request. */
const BATCH = 50
/** A lost answer, or a search that was put under monitoring in the meantime, is seen when the schedules are read again. */
const PASSES = 2
/** As many as a report shows; the file has all of them. */
const MAX_LISTED = 100
const MAX_EXAMPLES = 20

interface Wanted {
  readonly query: ScreenQuery
  readonly searchId: string
  readonly companies: readonly string[]
  /** Not for a company under its own name. */
  readonly isDirector: boolean
}

function findStore({ monitor }: Ports): MonitorStore {
  if (monitor === undefined) throw new TypeError('the ports of this run keep no monitored searches')
  return monitor
}

const keyOf = ({ name, person, threshold, datasets, countries }: ScreenQuery): string =>
  JSON.stringify([nameKey({ name, person }), person?.born, threshold, [...datasets].sort(), [...countries].sort()])

const nameKey = ({ name, person }: Pick<ScreenQuery, 'name' | 'person'>): string =>
  person === undefined ? `business ${name.trim()}` : `person ${name.trim().toLowerCase()}`

/** The searches of this run: one for all companies of a name, and for all of a director. */
function listWanted({ screening }: RunState, plan: PlannedScreen): readonly Wanted[] {
  const wanted = new Map<string, Wanted>()
  for (const { id, name, person, born, searchId } of screening?.answers.values() ?? []) {
    const query = makeScreenQuery({ name, person, born }, plan)
    const known = wanted.get(keyOf(query)) ?? { query, searchId, companies: [], isDirector: true }
    const isDirector = known.isDirector && person !== undefined
    wanted.set(keyOf(query), { ...known, isDirector, companies: [...new Set([...known.companies, id])] })
  }
  return [...wanted.values()]
}

interface Monitored {
  readonly schedules: readonly Schedule[]
  readonly ledger: MonitorLedger
  readonly reliedOn: ReadonlySet<string>
}

function compare(state: RunState, wanted: readonly Wanted[], { schedules, ledger, reliedOn }: Monitored) {
  const bySearch = new Map(schedules.map(schedule => [schedule.searchId, schedule]))
  const byQuery = new Map(schedules.map(schedule => [keyOf(schedule), schedule]))
  const missing: Wanted[] = []
  const followed: Record<string, Followed> = {}
  for (const one of wanted) {
    const schedule = bySearch.get(one.searchId) ?? byQuery.get(keyOf(one.query))
    if (schedule === undefined) missing.push(one)
    else {
      const isOwn = ledger.followed[schedule.id]?.isOwn === true || ledger.requested[schedule.searchId] !== undefined
      followed[schedule.id] = { companies: one.companies, isOwn, isDirector: one.isDirector || undefined }
    }
  }
  /** A company is searched for under its present name. A former director is gone, unless searched for on other terms. */
  const screened = new Set(
    (state.screening?.answers.values() ?? []).flatMap(({ id, person }) => (person === undefined ? [id] : [])),
  )
  const names = new Set(wanted.map(({ query }) => nameKey(query)))
  /** What they have now is not replaced yet. */
  const open = new Set([
    ...(state.screening?.unscreened.values() ?? []).map(({ id }) => id),
    ...missing.flatMap(({ companies }) => companies),
  ])
  const gone: (Omit<Followed, 'isOwn'> & { readonly id: string })[] = []
  const replaced: string[] = []
  for (const { id, searchId, ...query } of schedules) {
    const companies = ledger.followed[id]?.companies ?? ledger.requested[searchId]
    const { isOwn = true, isDirector = query.person !== undefined } = ledger.followed[id] ?? {}
    if (companies === undefined || !isOwn || followed[id] !== undefined) continue
    if (companies.some(company => open.has(company))) followed[id] = { companies, isOwn, isDirector: isDirector || undefined }
    else if (reliedOn.has(id) || reliedOn.has(searchId))
      followed[id] = { companies: [], isOwn, isDirector: isDirector || undefined }
    else if (isDirector ? names.has(nameKey(query)) : companies.some(company => screened.has(company))) replaced.push(id)
    else gone.push({ id, companies, isDirector: isDirector || undefined })
  }
  return { missing, followed, gone, replaced }
}

/** Why monitoring may not be ended; null when it may. */
function whyKept({ monitor }: PlannedScreen, state: RunState, gone: number, present: number): string | null {
  if (gone === 0 || monitor === undefined) return null
  if ((state.outcomes?.failed ?? 0) > 0 || state.jobs.some(({ failure }) => failure !== null)) return 'some rows failed'
  if ((state.companies?.listed ?? 0) === 0) return 'no company was found'
  const { max } = monitor.remove
  if (max === null || gone <= max * present) return null
  return `more than screen.monitor.remove.max (${Number((max * 100).toFixed(3))}%)`
}

async function addAll(missing: readonly Wanted[], state: RunState, ports: Ports): Promise<Readonly<Record<string, string>>> {
  const store = findStore(ports)
  let refused: Readonly<Record<string, string>> = {}
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH)
    const ids = batch.map(({ searchId }) => searchId)
    const ledger = store.read()
    const asked = Object.fromEntries(batch.map(({ searchId, companies }) => [searchId, companies]))
    await store.write({ ...ledger, requested: { ...ledger.requested, ...asked } })
    // What of a batch is missing yet is added in the next pass.
    const look = () =>
      searched(async () => {
        const schedules = await ports.screening.listSchedules({ signal: ports.grace })
        return schedules.some(({ searchId }) => ids.includes(searchId)) ? {} : undefined
      }, ports)
    const key = `${state.jobName}-monitor-${ids[0]}-${ids.length}`
    const { value } = await ports.screening.createSchedules(batch, { look, key, signal: ports.grace })
    refused = { ...refused, ...value }
    ports.tick({ type: 'companies', done: at + batch.length, total: missing.length })
  }
  return refused
}

const countOwn = ({ followed }: ReturnType<typeof compare>): number => Object.values(followed).filter(({ isOwn }) => isOwn).length

function keptWarning({ people }: PlannedScreen, gone: number, present: number, why: string): RunEventInput {
  const what = people === undefined ? 'companies' : 'companies or directors'
  const text = `${gone} of the ${present} monitored searches of this pipeline are of ${what} that are gone from the list; they stay under monitoring: ${why}`
  return { type: 'issue.raised', issue: warning('FETTLE_MONITOR_KEPT', text, { count: gone }) }
}

async function* settle(plan: PlannedScreen, state: RunState, ports: Ports): StageEvents {
  const store = findStore(ports)
  const wanted = listWanted(state, plan)
  const read = async () => {
    const schedules = await ports.screening.listSchedules({ signal: ports.signal })
    return compare(state, wanted, { schedules, ledger: store.read(), reliedOn: store.listReliedOn() })
  }
  let now = await read()
  let compared = state.monitoring?.compared ?? null
  if (compared === null) {
    const present = countOwn(now) + now.gone.length + now.replaced.length
    const why = whyKept(plan, state, now.gone.length, present)
    if (why !== null) yield keptWarning(plan, now.gone.length, present, why)
    compared = {
      ...{ present: wanted.length - now.missing.length, missing: now.missing.length, gone: now.gone.length },
      ...{ removes: why === null, examples: now.gone.flatMap(({ companies }) => companies).slice(0, MAX_EXAMPLES) },
    }
    yield { type: 'monitor.compared', ...compared }
  }
  let refused: Readonly<Record<string, string>> = {}
  for (let pass = 0; pass < PASSES && now.missing.length > 0; pass++) {
    refused = await addAll(now.missing, state, ports)
    now = await read()
  }
  const [first] = now.missing
  if (first !== undefined) {
    const why = refused[first.searchId] ?? 'the service does not list it'
    const text = `${now.missing.length} AML searches could not be put under monitoring, such as the search ${first.searchId}: ${why}`
    yield { type: 'issue.raised', issue: warning('FETTLE_MONITOR_REFUSED', text, { count: now.missing.length }) }
  }
  // A service that listed too few schedules at first: screen.monitor.remove.max was asked about fewer.
  const isJudged = now.gone.length <= compared.gone
  const removes = compared.removes && isJudged
  if (compared.removes && !isJudged)
    yield keptWarning(
      plan,
      now.gone.length,
      countOwn(now) + now.gone.length,
      `${compared.gone} were gone when the list was compared`,
    )
  const kept = removes ? [] : now.gone
  const ending = removes ? [...now.replaced, ...now.gone.map(({ id }) => id)] : now.replaced
  const limit = pLimit(state.plan.concurrency)
  await Promise.all(ending.map(id => limit(() => ports.screening.removeSchedule(id, { signal: ports.grace }))))
  // After that: what is not recorded is not ended by a later run.
  const stay = Object.fromEntries(kept.map(({ id, ...about }) => [id, { ...about, isOwn: true }]))
  await store.write({ ...store.read(), followed: { ...now.followed, ...stay }, requested: {} })
  yield {
    type: 'monitor.settled',
    ...{ added: Math.max(0, compared.missing - now.missing.length), present: compared.present },
    ...{ removed: removes ? compared.gone : 0, kept: kept.length, refused: now.missing.length },
  }
}

/** The files are written before the record of it: a kill between the two writes the alerts again. */
async function writeAlerts({ screening }: RunState, ports: Ports): Promise<RunEventInput> {
  const store = findStore(ports)
  const ledger = store.read()
  const schedules = await ports.screening.listSchedules({ signal: ports.signal })
  const names = new Map(schedules.map(({ id, name }) => [id, name]))
  const companyNames = new Map(screening?.answers.values().map(({ id, name }) => [id, name]))
  const alerts = (await ports.screening.listAlerts({ signal: ports.signal })).flatMap(alert => {
    const { companies = [], isDirector } = ledger.followed[alert.scheduleId] ?? {}
    const name = names.get(alert.scheduleId) ?? ''
    const ofCompanies = companies.map(id => companyNames.get(id) ?? '').join('|')
    const about = isDirector ? { person: name, searched: ofCompanies } : { person: '', searched: name }
    return companies.length === 0 ? [] : [{ ...alert, companies, ...about }]
  })
  const fresh = alerts.filter(({ id }) => (ledger.hits[id] ?? store.run) === store.run)
  const file = await store.writeAlerts(fresh)
  // A hit that the service no longer lists cannot come back under its id.
  await store.write({ ...ledger, hits: Object.fromEntries(alerts.map(({ id }) => [id, ledger.hits[id] ?? store.run])) })
  const listed = fresh.slice(0, MAX_LISTED).map(({ companies, searched: name, person, ...alert }) => {
    return {
      company: { id: companies.join('|'), name, person: person === '' ? undefined : person },
      name: alert.name,
      score: alert.score,
      datasets: [...alert.datasets],
      at: alert.at,
    }
  })
  return { type: 'alerts.written', ...file, listed }
}

export const monitor: RunStep = {
  isDone: ({ plan, monitoring }) =>
    monitoring?.settled != null && (plan.screen?.alerts === undefined || monitoring.written !== null),
  async *run(state, ports) {
    const plan = state.plan.screen
    if (plan?.monitor === undefined || state.monitoring === null) return
    if (state.monitoring.settled === null) yield* settle(plan, state, ports)
    if (plan.alerts !== undefined) yield await writeAlerts(state, ports)
  },
}
