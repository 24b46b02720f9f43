/** What searches found, with what people decided about it: a file of the run directory, and the columns `screen.*` of an output. */
import type { FoundHits, HitCounts, JudgedHits, ListedHit, UnscreenedCompany } from '../../model/results.ts'
import { storeHits } from '../decide-rows.ts'
import { firstCell, isFound } from '../decisions/apply-decisions.ts'
import { COMPANY_TAGS } from '../enriched-file.ts'
import type { JoinedRow } from '../row-sink.ts'
import {
  countJudged,
  describeEntry,
  describeLine,
  HitDecisions,
  hitToDecide,
  type JudgedHit,
  joinDirectors,
} from './judge-hits.ts'

/** As many as a report lists. */
const MAX_LISTED = 100

const ORDER = { back: 0, confirmed: 1, open: 2, cleared: 3 } as const

const toListed = ({ id, name, person }: FoundHits, { hit, state, line, changed }: JudgedHit): ListedHit => ({
  ...{ id, name, person, entry: describeEntry(hit), state: state === 'back' ? 'came back' : state },
  why: line === null ? '' : [describeLine(line), ...changed].join('; '),
})

/** Applies the decisions, and keeps the result; `publish` writes and decides by it from then on. Throws FETTLE_DECISIONS, FETTLE_OUTPUT_WRITE. */
export async function judgeAndStore(
  workDir: string,
  screened: readonly FoundHits[],
  unscreened: readonly UnscreenedCompany[],
  options: { readonly hitDecisions?: () => Promise<HitDecisions | null> },
): Promise<HitCounts> {
  const applied = (await options.hitDecisions?.()) ?? null
  const decisions = applied ?? new HitDecisions([], '')
  const companies = new Map<string, { own: JudgedHits | null; listed?: number | undefined; readonly directors: JudgedHits[] }>()
  const counts = { open: 0, back: 0, cleared: 0, confirmed: 0 }
  const listed: { readonly order: number; readonly shown: ListedHit }[] = []
  for (const company of screened) {
    const judged = decisions.judge(company, company.found ?? [])
    const result = countJudged(company, judged)
    const whole = applied === null ? result : { ...result, toDecide: judged.map(hit => hitToDecide(company, hit)) }
    const about = companies.get(company.id) ?? { own: null, directors: [] }
    companies.set(company.id, about)
    if (company.person !== undefined) about.directors.push(whole)
    else Object.assign(about, { own: whole, listed: company.directors })
    for (const state of ['back', 'cleared', 'confirmed'] as const) counts[state] += result[state]
    counts.open += result.hits - result.back - result.confirmed
    for (const hit of judged) if (hit.state !== 'cleared') listed.push({ order: ORDER[hit.state], shown: toListed(company, hit) })
  }
  const joined = [...companies].flatMap(([id, { own, directors, listed }]) => {
    const all = own !== null && listed === undefined ? own : joinDirectors(id, own, directors, listed)
    // A company that was not searched for is not clear because its directors are.
    return own === null && all.hits === 0 ? [] : [all]
  })
  const ofCompanies = unscreened.filter(({ person }) => person === undefined)
  await storeHits(workDir, joined, ofCompanies)
  const first = listed.sort((a, b) => a.order - b.order).slice(0, MAX_LISTED)
  return { ...counts, listed: first.map(({ shown }) => shown) }
}

type Cell = (row: Pick<JoinedRow, 'result' | 'screened' | 'unscreened'>) => string

const ofScreened =
  (read: (found: JudgedHits) => string | number): Cell =>
  ({ screened }) =>
    screened === null ? '' : String(read(screened))

/** The columns of an output that come from the searches. */
export const SCREEN_CELLS: Readonly<Record<string, Cell>> = {
  'screen.state': ({ result, screened, unscreened }) => {
    if (screened !== null) return screened.state
    if (!isFound(result)) return result.outcome === 'skipped' ? '' : 'no company'
    return unscreened ?? (firstCell(result, COMPANY_TAGS) === '' ? 'no id' : 'not reached')
  },
  'screen.hits': ofScreened(({ hits }) => hits),
  'screen.cleared': ofScreened(({ cleared }) => cleared),
  'screen.confirmed': ofScreened(({ confirmed }) => confirmed),
  'screen.back': ofScreened(({ back }) => back),
  'screen.why': ofScreened(({ why }) => why),
}
