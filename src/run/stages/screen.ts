/**
 * The screen stage: one paid AML search for each company found, and one for each director where they are searched for, and never two. With `reuse.screen` a search that an earlier run paid is
 * used again. Searches are made one after the other, so that a
 * search whose answer was lost can be found again: it is the newest of its name.
 */

import { count, counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import type { RefusedCompany, RunState, ScreenedCompany, ScreenState } from '../../journal/index.ts'
import { type Director, directorKey, isCompanyName } from '../../model/directors.ts'
import type { Effect, Screening, ScreenQuery } from '../../model/requests.ts'
import type { CompanyCounts, Subject } from '../../model/results.ts'
import type { PlannedScreen } from '../../pipeline/model/types.ts'
import { searched } from '../job-lookup.ts'
import type { Ports, Screened } from '../ports.ts'
import { keepSearches, type RunStep, refusalIssue, refusalReason, type StageEvents, warning } from '../stage.ts'

/** Longest name of a search (contract §12). */
const LONGEST_NAME = 200
/** The first search of a run has no earlier one to compare with: the service's clock may lag ours by this much. */
const SKEW_MS = 10 * 60_000

/** What is searched for a company, or for a director of it, who may be a company. */
export const makeScreenQuery = (
  { name, person, born = '' }: Pick<Subject, 'name' | 'person' | 'born'>,
  { threshold, datasets, countries }: PlannedScreen,
): ScreenQuery => ({
  name: shortened(person ?? name),
  person: person === undefined || isCompanyName(person) ? undefined : { born },
  threshold,
  datasets,
  countries,
})

/** A search for no letter finds nothing, which would read as clean. */
function unsearchable({ id, name, person = name }: Subject): RefusedCompany | null {
  if (person.trim() === '') return { id, why: 'the service gives no name for it', cause: 'noName' }
  return /[\p{L}\p{N}]/u.test(person) ? null : { id, why: `the name ${person} has no letter and no digit`, cause: 'noLetter' }
}

const shortened = (name: string): string =>
  name.length <= LONGEST_NAME ? name : name.slice(0, LONGEST_NAME).replace(/[\ud800-\udbff]$/, '')

function findSearch(
  query: ScreenQuery,
  openSince: number,
  last: ScreenState['last'],
  ports: Ports,
): Promise<Screening | undefined> {
  const since = { at: last?.createdAt ?? new Date(openSince - SKEW_MS).toISOString(), other: last?.id ?? null }
  return searched(() => ports.screening.findScreening(query, since, { signal: ports.grace }), ports)
}

async function screenOne(company: Subject, state: RunState, progress: ScreenState, ports: Ports): Promise<Effect<Screening>> {
  const query = makeScreenQuery(company, state.plan.screen!)
  if (progress.openSince !== null) {
    const found = await findSearch(query, Date.parse(progress.openSince), progress.last, ports)
    if (found !== undefined) return { value: found, adopted: true }
  }
  const startedAt = ports.clock.now()
  const look = async (): Promise<Screening> => {
    const found = await findSearch(query, startedAt, progress.last, ports)
    if (found !== undefined) return found
    // A search is never repeated on a guess (contract §14.3): a later process searches for it again first.
    const why = `the answer to the AML search for ${company.id} was lost, and the service lists no such search yet`
    throw new FettleError('FETTLE_UNANSWERED', why)
  }
  return ports.screening.startScreening(query, { look, key: `${state.jobName}-screen-${progress.done}`, signal: ports.grace })
}

const NO_HITS = { hits: 0, risks: {} }

/** The facts of hits are read where decisions about them are applied. */
async function readHits(id: string, subject: Subject, plan: PlannedScreen, ports: Ports): Promise<Omit<Screened, 'searchId'>> {
  const options = { signal: ports.signal }
  const query = makeScreenQuery(subject, plan)
  if (plan.decisions === undefined) return ports.screening.readRisks(id, query, options)
  const found = await ports.screening.readHits(id, query, options)
  const risks: Record<string, number> = {}
  for (const { datasets } of found) for (const dataset of datasets) risks[dataset] = (risks[dataset] ?? 0) + 1
  return { hits: found.length, risks, found }
}

/** The searches under monitoring that found something: what an earlier run read of them may have changed since. */
async function listAlerted({ monitor }: PlannedScreen, ports: Ports): Promise<ReadonlySet<string>> {
  if (monitor === undefined) return new Set()
  const alerts = await ports.screening.listAlerts({ signal: ports.signal })
  return new Set(alerts.map(({ searchId }) => searchId))
}

type Found = Screened & { readonly searchedAt?: string | undefined }

const countSubjects = (counts: CompanyCounts | null): number => (counts?.listed ?? 0) + (counts?.directors ?? 0)

const isDirector = (subject: Subject): subject is Subject & Director => subject.person !== undefined

const aboutOf = ({ id, name, person, born, directors }: Subject) => ({
  id,
  name,
  person,
  born,
  directors: person === undefined ? directors : undefined,
})

async function* screenAll(state: RunState, ports: Ports): StageEvents {
  const plan = state.plan.screen
  let progress = state.screening
  if (plan == null || progress === null) return
  const counts = state.companies ?? { listed: 0, nameless: 0 }
  const total = countSubjects(counts)
  let refusedCount = progress.refused + (progress.directors?.refused ?? 0)
  /** Directors that this run has searched for. */
  const people = new Map<string, Found>()
  for (const { person, born = '', ...answer } of progress.answers.values())
    if (person !== undefined) people.set(directorKey({ person, born }), answer)
  const earlier = state.plan.reuse?.screen === undefined ? undefined : ports.earlier
  let alerted: ReadonlySet<string> | null = null
  for await (const company of ports.results.subjects(counts, progress.done)) {
    const isOpen = progress.openSince !== null
    const about = aboutOf(company)
    const shared = isOpen || !isDirector(company) ? undefined : people.get(directorKey(company))
    // The answer to an open search is its own.
    const kept = isOpen || shared !== undefined ? null : ((await earlier?.screened(company, ports)) ?? null)
    const known = kept !== null && 'again' in kept ? null : kept
    const isFree = shared !== undefined || known !== null
    if (!isFree && plan.budget !== null && progress.searches >= plan.budget && !isOpen) {
      yield* keepSearches('screen', progress, earlier)
      const what =
        counts.directors === undefined ? counted(total, 'company', 'companies') : `${count(total)} companies and directors`
      const screened = `${count(progress.done)} of ${what} screened`
      const why = `${screened}: one more search would exceed screen.budget (${plan.budget})`
      throw new FettleError('FETTLE_BUDGET_SCREEN', why)
    }
    const done: number = progress.done + 1
    const refusals: ScreenState['refusals'] = progress.refusals
    let refused = unsearchable(company)
    let search: Effect<Screening> | null = null
    if (refused === null && !isFree) {
      const again = kept !== null && 'again' in kept ? kept.again : undefined
      if (!isOpen) yield { type: 'screen.requested', company: company.id, again }
      try {
        search = await screenOne(company, state, progress, ports)
      } catch (error) {
        const why = refusalReason(error)
        if (why === null) throw error
        refused = { id: company.id, why }
      }
    }
    if (refused !== null) refusedCount++
    // Before the event that completes the stage: a kill between the two may repeat the warning, but not lose it.
    if (done === total && refusedCount > 0) {
      const what = counts.directors === undefined ? 'companies' : 'companies and directors'
      const summary = `${refusedCount} of the ${what} could not be screened`
      const example = refusals[0] ?? refused
      yield { type: 'issue.raised', issue: refusalIssue('FETTLE_SCREEN_REFUSED', summary, refusedCount, example) }
    }
    progress = {
      ...progress,
      done,
      openSince: null,
      refusals: refused === null ? refusals : [...refusals, refused].slice(0, 1),
    }
    if (refused !== null)
      yield { type: 'screen.refused', done, company: { ...refused, person: company.person, born: company.born } }
    else if (shared !== undefined) {
      const { searchId, hits, risks, found, searchedAt } = shared
      yield { type: 'screen.shared', done, company: { ...about, searchId, hits, risks, found }, searchedAt }
    } else if (known !== null) {
      alerted ??= await listAlerted(plan, ports)
      const { searchId } = known.answer
      const read = alerted.has(searchId) ? await readHits(searchId, company, plan, ports) : null
      const screened = { ...about, ...known.answer, ...read }
      if (isDirector(company)) people.set(directorKey(company), { ...known.answer, ...read, searchedAt: known.at })
      yield { type: 'screen.reused', done, company: screened, searchedAt: known.at }
    } else if (search !== null) {
      const { id, createdAt, listsKey } = search.value
      const read = search.value.hits === 0 ? NO_HITS : await readHits(id, company, plan, ports)
      const hits = search.value.hits ?? read.hits
      const screened: ScreenedCompany = { ...about, searchId: id, ...read, hits }
      if (isDirector(company)) people.set(directorKey(company), screened)
      const before: string | undefined = progress.last?.listsKey
      if (before && listsKey && before !== listsKey) {
        const text = `a screening list was imported again after ${counted(progress.searches, 'AML search', 'AML searches')} of the run, which looked in the lists before`
        yield { type: 'issue.raised', issue: warning('FETTLE_SCREENING_CHANGED', text) }
      }
      progress = { ...progress, searches: progress.searches + 1, last: { id, createdAt, listsKey } }
      yield { type: 'screen.finished', done, company: screened, createdAt, listsKey, adopted: search.adopted }
    }
    ports.tick({ type: 'companies', done, total })
  }
  yield* keepSearches('screen', progress, earlier)
}

export const screen: RunStep = {
  isDone: ({ plan, screening, companies }) =>
    screening !== null && screening.done >= countSubjects(companies) && (plan.reuse?.screen === undefined || screening.isKept),
  run: screenAll,
}
