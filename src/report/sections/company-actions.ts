/** Events, candidates, portfolio and AML searches in reports: the data, and the lines that every format shows. */
import { type DirectorState, fetchedTags, meaningOf, type RunState } from '../../journal/index.ts'
import { kindWords } from '../../model/event-kinds.ts'
import { isColumnMasked, MASK } from '../../model/list.ts'
import { type HitCounts, subjectText } from '../../model/results.ts'
import type { Result } from '../schema.ts'
import { count, counted, time } from '../words.ts'

export type CompanyActions = Pick<Result, 'events' | 'candidates' | 'accepted' | 'portfolio' | 'screening' | 'monitoring'>

/** If reports may not contain row content, they contain no company names either. */
export const readCompanyActions = (state: RunState) => ({
  candidates: readCandidates(state),
  accepted: readAccepted(state),
  portfolio: readPortfolio(state),
  screening: readScreening(state),
  events: readEvents(state),
  monitoring: readMonitoring(state),
})

function readCandidates({ plan, candidates }: RunState) {
  if (candidates === null || plan.candidates == null) return null
  const { limit, budget } = plan.candidates
  const { counts, paid: asked, reused, lost, refused, answers } = candidates
  const found = Object.values(answers).filter(companies => companies.length > 0).length
  const { listed: questions = null, left = null, incomplete = null } = counts ?? {}
  return { limit, budget, questions, asked, reused, found, lost, refused, left, incomplete }
}

/** The accepted companies, and how many of them have their tags. */
function readAccepted({ plan, accepted }: RunState) {
  const by = plan.candidates?.fetch
  if (accepted === null || by == null) return null
  const { listed, done, paid, lost, refused, job, found } = accepted
  const fetched = Object.keys(fetchedTags(found)).length
  return { by, companies: listed, fetched, paid, lost, refused, left: Math.max(0, (listed ?? 0) - done), job }
}

function readPortfolio({ companies, portfolio }: RunState) {
  if (portfolio === null) return null
  const { id, name, created, added, present, refused, refusals, removed, compared, rules } = portfolio
  const counts = { companies: companies?.listed ?? null, added, present, refused, refusals }
  return { id, name, created, ...counts, removed, kept: compared === null ? 0 : compared.gone - removed, rules }
}

function readScreening({ plan, companies, screening, outcomes }: RunState) {
  if (screening === null || plan.screen == null) return null
  const risks = Object.entries(screening.risks)
    .map(([dataset, counts]) => ({ dataset, meaning: meaningOf(dataset), ...counts }))
    .sort((a, b) => b.companies - a.companies || (a.dataset < b.dataset ? -1 : 1))
  const { datasets, threshold, countries, budget } = plan.screen
  const { searches, reused, again, withHits, hits, refused, noName, noLetter, tooOld, oldest, refusals } = screening
  const reached = Math.max(0, screening.done - (companies?.listed ?? 0))
  const all = companies?.directors ?? 0
  const directors = screening.directors && directorCounts(screening.directors, all, all - reached)
  const asked = { datasets, threshold, countries, budget, companies: companies?.listed ?? null }
  const found = plan.report.rows === 'none' ? [] : screening.found.map(withPerson)
  const { listed = 0, nameless: noId = 0 } = companies ?? {}
  const without = outcomes === null ? [null] : [outcomes.review, outcomes.unmatched, outcomes.failed]
  const noCompany = without.reduce((sum, rows) => (sum === null || rows === null ? null : sum + rows), 0)
  const unscreened = { noId, noCompany, notReached: Math.max(0, listed - screening.done) }
  const counts = {
    ...unscreened,
    searches,
    reused,
    again,
    directors,
    withHits,
    hits,
    risks,
    refused,
    noName,
    noLetter,
    tooOld,
    oldest,
    refusals,
    found,
  }
  return { ...asked, ...counts, judged: readJudged(plan, screening.judged) }
}

/** Reports have the director, or null. */
const withPerson = <Found extends { readonly person?: string | undefined }>(found: Found) => ({
  ...found,
  person: found.person ?? null,
})

function directorCounts({ lastIncomplete: _, ...counts }: DirectorState, listed: number, notReached: number) {
  return { listed, ...counts, notReached }
}

const readJudged = ({ screen, report }: RunState['plan'], judged: HitCounts | null) =>
  judged === null || screen?.decisions === undefined
    ? null
    : { ...judged, listed: report.rows === 'none' ? [] : judged.listed.map(withPerson) }

function readEvents({ plan, events }: RunState) {
  const read = events?.read ?? null
  if (events === null || read === null) return null
  const { portfolio, since, listed, kinds, ...counts } = read
  const { written, marked } = events
  const isMasked = [plan.portfolio?.reference, plan.key].some(column => column != null && isColumnMasked(plan, column.index))
  const files = { file: written?.path ?? null, ownFile: written?.own ?? null, sha256: written?.sha256 ?? null }
  const all = listed.map(event => ({ ...event, key: isMasked && event.key !== '' ? MASK : event.key }))
  return { portfolio, since, ...counts, kinds, marked, ...files, listed: plan.report.rows === 'none' ? [] : all }
}

function readMonitoring({ plan, monitoring }: RunState) {
  if (monitoring?.settled == null) return null
  const { rows, path, own, sha256, listed } = monitoring.written ?? {}
  const alerts =
    rows === undefined
      ? null
      : {
          alerts: rows,
          file: path!,
          ownFile: own!,
          sha256: sha256!,
          listed: plan.report.rows === 'none' ? [] : listed!.map(alert => ({ ...alert, company: withPerson(alert.company) })),
        }
  return { ...monitoring.settled, written: alerts }
}

/** Hits that a person has to decide about; 0 where no decisions are applied. */
export const openHits = (screening: Result['screening']): number =>
  screening?.judged == null ? 0 : screening.judged.open + screening.judged.back

/** `not screened: 1 without a name, 34 rows without a company`; empty where all rows are. */
export function unscreenedWords(screening: Result['screening']): string {
  if (screening === null) return ''
  const { refused, noName, noLetter, tooOld, notReached, noId, noCompany, directors } = screening
  const causes = [
    [refused - noName - noLetter, 'refused by the service'],
    [noName, 'without a name'],
    [noLetter, 'with a name of no letter and no digit'],
    [tooOld, 'searched too long ago'],
    [notReached, 'not reached'],
    [noId, 'without an id'],
    [noCompany ?? 0, `${noCompany === 1 ? 'row' : 'rows'} without a company`],
    [directors?.none ?? 0, 'without a known director'],
    [directors?.incomplete ?? 0, 'with a director who was not searched for'],
    [directors?.notReached ?? 0, 'directors not reached'],
  ] as const
  const shown = causes.flatMap(([many, cause]) => (many > 0 ? [`${count(many)} ${cause}`] : []))
  return shown.length === 0 ? '' : `not screened: ${shown.join(', ')}`
}

/** `Hits: 2 open, 1 came back, 0 confirmed, 5 cleared.`; empty where no decisions are applied, or there are none. */
export function hitsSentence(screening: Result['screening']): string {
  if (screening?.judged == null || screening.hits === 0) return ''
  const { open, back, cleared, confirmed } = screening.judged
  return `Hits: ${count(open)} open, ${count(back)} came back, ${count(confirmed)} confirmed, ${count(cleared)} cleared.`
}

/** `Since the last run: 14 changed status, 3 moved, 1 dissolved.`; empty where no events are read. */
export function eventsSentence(events: Result['events']): string {
  if (events === null) return ''
  const since = events.since === null ? 'So far' : 'Since the last run'
  return `${since}: ${events.events === 0 ? 'no events' : kindWords(events.kinds)}.`
}

/** `Monitoring: 2 new alerts.`; empty where no alerts are written. */
export const alertsSentence = (monitoring: Result['monitoring']): string =>
  monitoring?.written == null ? '' : `Monitoring: ${alertWords(monitoring.written.alerts)}.`

const alertWords = (alerts: number | null): string => (alerts === 0 ? 'no new alerts' : counted(alerts, 'new alert'))

/** The company, or its director. */
export const whoText = ({ name, person }: { readonly name: string; readonly person: string | null }): string =>
  subjectText({ name, person: person ?? undefined })

/** `31 directors, 4 of them of several companies` */
function directorWords({ searches, reused, shared }: NonNullable<NonNullable<Result['screening']>['directors']>): string {
  const several = shared === 0 ? '' : ` (${count(shared)} more of several companies)`
  return `${counted(searches + reused, 'director')}${several}`
}

/** `searches made again: 3 for a changed list entry, 2 for unknown changes`; empty without any. */
function againWords({ changed, unknown }: NonNullable<Result['screening']>['again']): string {
  const causes = [
    [changed, 'for a changed list entry'],
    [unknown, 'for unknown changes'],
  ] as const
  const parts = causes.flatMap(([many, cause]) => (many > 0 ? [`${count(many)} ${cause}`] : []))
  return parts.length === 0 ? '' : `searches made again: ${parts.join(', ')}`
}

export interface CompanyActionLine {
  readonly about: keyof CompanyActions
  readonly text: string
  readonly isAlert: boolean
}

export const companyActionLines = (actions: CompanyActions): CompanyActionLine[] =>
  Object.entries(LINES).flatMap(([about, list]) => {
    const lines: CompanyActionLine[] = []
    list(actions, (text, isAlert) => void lines.push({ about: about as keyof CompanyActions, text, isAlert }))
    return lines
  })

type AddLine = (text: string, isAlert: boolean) => void

const LINES: Readonly<Record<keyof CompanyActions, (actions: CompanyActions, add: AddLine) => void>> = {
  events: listEvents,
  candidates: listCandidates,
  accepted: listAccepted,
  portfolio: listPortfolio,
  screening: listScreening,
  monitoring: listMonitoring,
}

function listEvents({ events }: CompanyActions, add: AddLine): void {
  if (events === null) return
  add(eventsSentence(events).slice(0, -1), events.events > 0)
  for (const { company, key, rule, old, new: now } of events.listed.slice(0, 20)) {
    const ids = [company.id, key].filter(text => text !== '').join(', ')
    add(`${company.name} (${ids}) ${rule}: ${old} -> ${now}`, true)
  }
}

function listCandidates({ candidates }: CompanyActions, add: AddLine): void {
  if (candidates === null) return
  const { questions, asked, reused, found, lost, refused, incomplete } = candidates
  const parts = [`${count(asked)} of ${counted(questions, 'question')} asked`, `${count(found)} with companies`]
  if (reused > 0) parts.splice(1, 0, `${count(reused)} known`)
  if (lost > 0) parts.push(`${counted(lost, 'answer')} lost`)
  if (refused > 0) parts.push(`${count(refused)} refused`)
  if (incomplete !== null && incomplete > 0) parts.push(`${counted(incomplete, 'row')} without name or country`)
  add(parts.join(', '), lost + refused > 0)
}

function listAccepted({ accepted }: CompanyActions, add: AddLine): void {
  if (accepted === null || accepted.companies === null || accepted.companies + accepted.fetched === 0) return
  const { fetched, lost, refused, left } = accepted
  const parts = [`${counted(fetched, 'accepted company', 'accepted companies')} fetched`]
  if (lost > 0) parts.push(`${count(lost)} lost`)
  if (refused > 0) parts.push(`${count(refused)} not given by the service`)
  if (left > 0) parts.push(`${count(left)} not asked for`)
  add(parts.join(', '), lost + refused + left > 0)
}

function listPortfolio({ portfolio }: CompanyActions, add: AddLine): void {
  if (portfolio === null) return
  const { id, name, created, added, present, refused, removed, kept, rules } = portfolio
  const which = id === null ? 'not reached yet' : `${name ?? ''} (${id}${created ? ', made by this run' : ''})`
  const parts = [`${counted(added, 'company', 'companies')} added`, `${count(present)} in it already`]
  if (removed > 0) parts.push(`${count(removed)} removed`)
  if (kept > 0) parts.push(`${count(kept)} not in the list any more`)
  if (refused > 0) parts.push(`${count(refused)} refused`)
  const active = Object.values(rules).reduce((sum, rows) => sum + rows, 0)
  if (active > 0) parts.push(`${counted(active, 'rule')} active`)
  add(`${which}: ${parts.join(', ')}`, refused > 0)
}

function listScreening({ screening }: CompanyActions, add: AddLine): void {
  if (screening === null) return
  const { companies, searches, reused, again, directors, withHits, hits, risks, refused, tooOld, oldest, found, judged } =
    screening
  const credits = `${counted(searches, 'credit')}${reused === 0 ? '' : `, ${count(reused)} known`}`
  const screened = searches + reused - (directors === null ? 0 : directors.searches + directors.reused)
  const without = refused === 0 ? '' : `, ${count(refused)} could not be`
  const people = directors === null ? '' : `, ${directorWords(directors)}`
  const withAny = withHits + (directors?.withHits ?? 0)
  const hitWords = withAny === 0 ? 'no hits' : `${count(withAny)} with ${counted(hits, 'hit')}`
  const some =
    companies === null
      ? counted(screened, 'company', 'companies')
      : `${count(screened)} of ${counted(companies, 'company', 'companies')}`
  const left = judged === null ? hits : judged.open + judged.back + judged.confirmed
  add(`${some}${people} screened (${credits})${without}: ${hitWords}`, left > 0)
  const madeAgain = againWords(again)
  if (madeAgain !== '') add(madeAgain, false)
  const unscreened = unscreenedWords(screening)
  if (unscreened !== '') add(unscreened, true)
  if (judged !== null && hits > 0) {
    add(hitsSentence(screening).slice(0, -1).replace('Hits', 'hits'), left > 0)
    for (const { id, entry, state, why, ...subject } of judged.listed.slice(0, 20))
      add(`${whoText(subject)} (${id}) ${state}: ${entry}${why === '' ? '' : `; ${why}`}`, true)
  }
  const tooOldWords = tooOld === 0 ? '' : `; ${counted(tooOld, 'search', 'searches')} made too long ago`
  if (oldest !== null) add(`the oldest search is of ${time(oldest)} UTC${tooOldWords}`, tooOld > 0)
  for (const { dataset, meaning, companies: listed, hits: many } of risks) {
    const what = meaning === '' ? dataset : `${dataset}, ${meaning}`
    const words = directors === null ? counted(listed, 'company', 'companies') : `${count(listed)} companies and directors`
    add(`${what}: ${words}, ${counted(many, 'hit')}`, left > 0)
  }
  // With decisions the hits themselves are listed above.
  for (const { id, searchId, hits: many, ...subject } of judged === null ? found.slice(0, 20) : [])
    add(`${whoText(subject)} (${id}): ${counted(many, 'hit')}, search ${searchId}`, true)
}

function listMonitoring({ monitoring }: CompanyActions, add: AddLine): void {
  if (monitoring === null) return
  const { added, present, removed, kept, refused, written } = monitoring
  const parts = [`${counted(added, 'search', 'searches')} put under monitoring`, `${count(present)} already`]
  if (removed > 0) parts.push(`${count(removed)} ended`)
  if (kept > 0) parts.push(`${count(kept)} not in the list any more`)
  if (refused > 0) parts.push(`${count(refused)} refused`)
  if (written !== null) parts.push(alertWords(written.alerts))
  add(parts.join(', '), refused + kept + (written?.alerts ?? 0) > 0)
  for (const { company, name, score, datasets } of written?.listed.slice(0, 20) ?? [])
    add(`${whoText(company)} (${company.id}): ${name}, score ${score}, ${datasets.join(' ')}`, true)
}
