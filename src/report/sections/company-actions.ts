/** Portfolio and AML searches in reports: the data, and the lines that every format shows. */
import type { z } from 'zod'
import { fetchedTags, meaningOf, type RunState } from '../../journal/index.ts'
import { count, counted } from '../words.ts'
import type {
  acceptedSchema,
  candidatesSchema,
  eventsSchema,
  portfolioSchema,
  screeningSchema,
} from './company-actions-schema.ts'
import { eventsSentence } from './events.ts'

type PortfolioTold = z.infer<typeof portfolioSchema>
type EventsTold = z.infer<typeof eventsSchema>
type AcceptedTold = z.infer<typeof acceptedSchema>
type CandidatesTold = z.infer<typeof candidatesSchema>
type ScreeningTold = z.infer<typeof screeningSchema>

export function readCandidates({ plan, candidates }: RunState): CandidatesTold {
  if (candidates === null || plan.candidates == null) return null
  const { counts, paid, reused, lost, refused, answers } = candidates
  return {
    limit: plan.candidates.limit,
    budget: plan.candidates.budget,
    questions: counts?.listed ?? null,
    asked: paid,
    reused,
    found: Object.values(answers).filter(one => one.length > 0).length,
    lost,
    refused,
    left: counts?.left ?? null,
    incomplete: counts?.incomplete ?? null,
  }
}

/** The accepted companies, and how many of them have their tags. */
export function readAccepted({ plan, accepted }: RunState): AcceptedTold {
  const by = plan.candidates?.fetch
  if (accepted === null || by == null) return null
  const { listed, done, paid, lost, refused, job, found } = accepted
  const fetched = Object.keys(fetchedTags(found)).length
  return { by, companies: listed, fetched, paid, lost, refused, left: Math.max(0, (listed ?? 0) - done), job }
}

/** If reports may not contain row content, they contain no company names either. */
export function readCompanyActions({ plan, companies, portfolio, screening }: RunState): {
  portfolio: PortfolioTold
  screening: ScreeningTold
} {
  const listed = companies?.listed ?? null
  const isSilent = plan.report.rows === 'none'
  const portfolioPart = portfolio && {
    id: portfolio.id,
    name: portfolio.name,
    created: portfolio.created,
    companies: listed,
    added: portfolio.added,
    present: portfolio.present,
    refused: portfolio.refused,
    refusals: portfolio.refusals.map(one => ({ ...one })),
    removed: portfolio.removed,
    kept: portfolio.compared === null ? 0 : portfolio.compared.gone - portfolio.removed,
    rules: { ...portfolio.rules },
  }
  if (screening === null || plan.screen == null) return { portfolio: portfolioPart, screening: null }
  const risks = Object.entries(screening.risks)
    .map(([dataset, counts]) => ({ dataset, meaning: meaningOf(dataset), ...counts }))
    .sort((a, b) => b.companies - a.companies || (a.dataset < b.dataset ? -1 : 1))
  const { datasets, threshold, countries, budget } = plan.screen
  const { searches, reused, withHits, hits, refused, refusals, found } = screening
  return {
    portfolio: portfolioPart,
    screening: {
      ...{ datasets: [...datasets], threshold, countries: [...countries], budget, companies: listed },
      ...{ searches, reused, withHits, hits, risks, refused },
      refusals: refusals.map(one => ({ ...one })),
      found: isSilent ? [] : found.map(one => ({ ...one, risks: { ...one.risks } })),
    },
  }
}

export interface CompanyActionLine {
  readonly about: 'events' | 'candidates' | 'accepted' | 'portfolio' | 'screening'
  readonly text: string
  readonly isAlert: boolean
}

export function companyActionLines({
  events = null,
  candidates,
  accepted,
  portfolio,
  screening,
}: {
  events?: EventsTold
  candidates: CandidatesTold
  accepted: AcceptedTold
  portfolio: PortfolioTold
  screening: ScreeningTold
}): CompanyActionLine[] {
  const lines: CompanyActionLine[] = []
  const add = (about: CompanyActionLine['about'], text: string, isAlert: boolean): void =>
    void lines.push({ about, text, isAlert })
  if (events !== null) {
    add('events', eventsSentence(events).slice(0, -1), events.events > 0)
    for (const { company, key, rule, old, new: now } of events.listed.slice(0, 20))
      add(
        'events',
        `${company.name} (${[company.id, key].filter(text => text !== '').join(', ')}) ${rule}: ${old} -> ${now}`,
        true,
      )
  }
  if (candidates !== null) {
    const { questions, asked, reused, found, lost, refused, incomplete } = candidates
    const parts = [`${count(asked)} of ${counted(questions, 'question')} asked`, `${count(found)} with companies`]
    if (reused > 0) parts.splice(1, 0, `${count(reused)} known`)
    if (lost > 0) parts.push(`${counted(lost, 'answer')} lost`)
    if (refused > 0) parts.push(`${count(refused)} refused`)
    if (incomplete !== null && incomplete > 0) parts.push(`${counted(incomplete, 'row')} without name or country`)
    add('candidates', parts.join(', '), lost + refused > 0)
  }
  if (accepted !== null && accepted.companies !== null && accepted.companies + accepted.fetched > 0) {
    const { fetched, lost, refused, left } = accepted
    const parts = [`${counted(fetched, 'accepted company', 'accepted companies')} fetched`]
    if (lost > 0) parts.push(`${count(lost)} lost`)
    if (refused > 0) parts.push(`${count(refused)} not given by the service`)
    if (left > 0) parts.push(`${count(left)} not asked for`)
    add('accepted', parts.join(', '), lost + refused + left > 0)
  }
  if (portfolio !== null) {
    const { id, name, created, added, present, refused, removed, kept, rules } = portfolio
    const which = id === null ? 'not reached yet' : `${name ?? ''} (${id}${created ? ', made by this run' : ''})`
    const parts = [`${counted(added, 'company', 'companies')} added`, `${count(present)} in it already`]
    if (removed > 0) parts.push(`${count(removed)} removed`)
    if (kept > 0) parts.push(`${count(kept)} not in the list any more`)
    if (refused > 0) parts.push(`${count(refused)} refused`)
    const active = Object.values(rules).reduce((sum, one) => sum + one, 0)
    if (active > 0) parts.push(`${counted(active, 'rule')} active`)
    add('portfolio', `${which}: ${parts.join(', ')}`, refused > 0)
  }
  if (screening !== null) {
    const { companies, searches, reused, withHits, hits, risks, refused, found } = screening
    const of = companies === null ? '' : ` of ${counted(companies, 'company', 'companies')}`
    const credits = `${counted(searches, 'credit')}${reused === 0 ? '' : `, ${count(reused)} known`}`
    const screened = searches + reused
    const without = refused === 0 ? '' : `, ${count(refused)} could not be`
    const with_ = withHits === 0 ? 'no hits' : `${count(withHits)} with ${counted(hits, 'hit')}`
    const some = of === '' ? counted(screened, 'company', 'companies') : `${count(screened)}${of}`
    add('screening', `${some} screened (${credits})${without}: ${with_}`, withHits > 0)
    for (const { dataset, meaning, companies: some, hits: many } of risks) {
      const what = meaning === '' ? dataset : `${dataset}, ${meaning}`
      add('screening', `${what}: ${counted(some, 'company', 'companies')}, ${counted(many, 'hit')}`, true)
    }
    for (const { id, name, searchId, hits: many } of found.slice(0, 20))
      add('screening', `${name} (${id}): ${counted(many, 'hit')}, search ${searchId}`, true)
  }
  return lines
}
