/** Decides about each row by the decision table of the plan, and counts what each rule decided. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Decider, type Decision } from '../decide/decide.ts'
import { testTable } from '../decide/problems.ts'
import { appliesOn, columnsOf, type DecisionTable, OTHERWISE } from '../decide/table.ts'
import { digestOf } from '../files/file-chunks.ts'
import { readJsonLines, writeJsonLines } from '../files/json-lines.ts'
import type { CompanyEvents, DecideCounts, HitToDecide, JudgedHits, MatchExample, UnscreenedCompany } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { RowDecision } from './changes/row-states.ts'
import { firstCell, isFound, type RowResult } from './decisions/apply-decisions.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { COMPANY_TAGS, NAME_TAGS } from './enriched-file.ts'
import { COMPANY_EVENTS_FILE, HITS_FILE } from './file-names.ts'
import { NOT_WHOLE } from './hits/judge-hits.ts'
import { shownKey, shownName } from './output/report-row.ts'
import type { JoinedRow } from './row-sink.ts'

/** Of the column `screen.hits`, and `screen.SAN` for a dataset. */
const SCREEN = 'screen.'
/** Of the column `events.count`, `events.status` for a kind, and `events.105` for a rule. */
const EVENTS = 'events.'

/** A column that only the run has, and never the list. */
export const isOfRun = (name: string): boolean => name.startsWith(SCREEN) || name.startsWith(EVENTS)

/** What a run found about companies, by their ids. */
export interface Findings {
  /** Null without searches. */
  readonly hits: ReadonlyMap<string, JudgedHits> | null
  /** Why companies were not searched for, in a word. */
  readonly unscreened?: ReadonlyMap<string, string>
  /** Null without events. */
  readonly events: ReadonlyMap<string, CompanyEvents> | null
}

/** Keeps what the searches found; `publish` decides by it from then on. Throws FETTLE_OUTPUT_WRITE. */
export const storeHits = (
  workDir: string,
  judged: readonly JudgedHits[],
  unscreened: readonly UnscreenedCompany[],
): Promise<void> => writeJsonLines(join(workDir, HITS_FILE), [...judged, ...unscreened])

/** Keeps what happened to the companies of the portfolio; `publish` decides by it from then on. Throws FETTLE_OUTPUT_WRITE. */
export const storeEvents = (workDir: string, companies: readonly CompanyEvents[]): Promise<void> =>
  writeJsonLines(join(workDir, COMPANY_EVENTS_FILE), companies)

/** Nothing before the searches. A company that was not searched for has no hits that a rule could read. */
export async function readHits(workDir: string): Promise<Pick<Findings, 'hits' | 'unscreened'>> {
  const all = await readById<JudgedHits | UnscreenedCompany>(join(workDir, HITS_FILE))
  if (all === null) return NO_HITS
  const hits = new Map<string, JudgedHits>()
  const unscreened = new Map<string, string>()
  for (const [id, company] of all)
    if ('hits' in company) hits.set(id, company)
    else unscreened.set(id, company.state)
  return { hits, unscreened }
}

/** The hits that a person decides about; none where no decisions about hits are applied. */
export async function readHitsToDecide(workDir: string): Promise<HitToDecide[]> {
  const { hits } = await readHits(workDir)
  return [...(hits?.values() ?? [])].flatMap(({ toDecide = [] }) => toDecide)
}

export const NO_HITS = { hits: null }

/** Null where no events were read: there was no portfolio yet. */
export const readEvents = (workDir: string): Promise<Findings['events']> =>
  readById<CompanyEvents>(join(workDir, COMPANY_EVENTS_FILE))

async function readById<Company extends { readonly id: string }>(path: string): Promise<ReadonlyMap<string, Company> | null> {
  if (!existsSync(path)) return null
  const found = new Map<string, Company>()
  for await (const company of readJsonLines<Company>(path)) found.set(company.id, company)
  return found
}

export type DecidedRow = Pick<JoinedRow, 'inputRow' | 'result'>

type ReadCell = (row: DecidedRow) => string | undefined
/** `isOfList`: it reads cells of the list. */
interface CellReader {
  readonly isOfList: boolean
  readonly read: ReadCell
}

/** Cells that a decision is made from, by where they come from. */
export class ReadCells {
  #ofList: (string | null)[] = []
  #others: (string | null)[] = []

  add(cell: string | undefined, isOfList: boolean): void {
    ;(isOfList ? this.#ofList : this.#others).push(cell ?? null)
  }

  /** A digest of each in hexadecimal; the next cells are of another row. */
  digests(): string {
    const [first, second] = [this.#ofList, this.#others].map(cells => digestOf(JSON.stringify(cells)).toString('hex', 0, 8))
    this.#ofList = []
    this.#others = []
    return `${first}${second}`
  }
}

/** Returns what decides about a row. */
export function rowDecider(plan: Plan, findings: Findings): ((row: DecidedRow) => RowDecision | null) | null {
  const { decide } = plan
  if (decide === undefined) return null
  const decider = new Decider(decide.table, dayOf(plan))
  const sources = decider.fields.map(field => columnsOf(decide.table, field))
  let last: EnrichedColumns | null = null
  let readers: readonly CellReader[] = []
  const readCells = new ReadCells()
  const cells: (string | undefined)[] = []
  return row => {
    const { result } = row
    if (result.outcome === 'skipped') return null
    if (result.columns !== last || readers.length === 0) {
      last = result.columns
      readers = sources.map(names => cellReader(plan, names, result.columns, findings))
    }
    for (let at = 0; at < readers.length; at++) {
      const { isOfList, read } = readers[at]!
      const cell = read(row)
      readCells.add(cell, isOfList)
      cells[at] = cell
    }
    return { ...decider.decide(cells), read: readCells.digests() }
  }
}

/**
 * Reads the first of these columns that the run, the answers or the list have. A list may be an earlier output: its columns never stand
 * for columns of the present answer, also where a row has none.
 */
export function cellReader(
  plan: Plan,
  names: readonly string[],
  columns: EnrichedColumns,
  findings: Findings | null,
): CellReader {
  const found = (read: ReadCell): CellReader => ({ isOfList: false, read })
  for (const name of names) {
    if (name === 'match.outcome') return found(({ result }) => result.outcome)
    if (name.startsWith(SCREEN)) return found(({ result }) => readHit(result, name.slice(SCREEN.length), findings?.hits))
    if (name.startsWith(EVENTS)) return found(({ result }) => readEvent(result, name.slice(EVENTS.length), findings?.events))
    const at = columns.find(name)
    if (at !== -1) return found(({ result }) => result.overrideCell?.(name) ?? result.row[at])
    const own = isOfAnswer(plan, name) ? -1 : (plan.input.header?.indexOf(name) ?? -1)
    if (own !== -1) return { isOfList: true, read: ({ inputRow }) => inputRow[own] }
  }
  const [name = ''] = names
  return found(({ result }) => result.overrideCell?.(name))
}

const isOfAnswer = ({ enrich }: Plan, name: string): boolean =>
  /^(?:match|answer)\./.test(name) || enrich?.tags.includes(name) === true

/** Undefined for a company that was not searched for with all its directors, and where a hit names no dataset: absence of hits is not known then. */
function readHit(result: RowResult, what: string, hits: Findings['hits'] = null): string | undefined {
  const found = findCompany(result, hits)
  if (found === undefined || (found.hits === 0 && NOT_WHOLE.has(found.state))) return undefined
  if (what === 'hits') return String(found.hits)
  const counts = Object.entries(found.risks)
  const sumOf = (isCounted: (dataset: string) => boolean): number =>
    counts.reduce((sum, [dataset, count]) => (isCounted(dataset) ? sum + count : sum), 0)
  if (sumOf(() => true) < found.hits) return undefined
  // A service may name SAN-CURRENT for a search of SAN, or SAN for one of SAN-CURRENT: never too few hits.
  const parts = sumOf(dataset => dataset.startsWith(`${what}-`))
  const whole = sumOf(dataset => what.startsWith(`${dataset}-`))
  return String(Math.max(found.risks[what] ?? 0, parts, whole))
}

/** Undefined for a company that was not in the portfolio: whether something happened to it is not known. */
function readEvent(result: RowResult, what: string, events: Findings['events'] = null): string | undefined {
  const found = findCompany(result, events)
  return found && String(found.counts[what] ?? 0)
}

export const findCompany = <Company>(result: RowResult, all: ReadonlyMap<string, Company> | null): Company | undefined =>
  isFound(result) ? all?.get(firstCell(result, COMPANY_TAGS)) : undefined

const EXAMPLES = 3

type Rules = DecideCounts['rules'][number]

/** Counts decisions by rule, and by the field that a rule lacked. */
export class DecisionCounter {
  /** Null where a decision tree of the service decides. */
  readonly #table: DecisionTable | null
  readonly #path: string
  readonly #asOf: string
  readonly #groups = new Map<string, { -readonly [K in keyof Rules]: Rules[K] }>()

  constructor(table: DecisionTable | null, path: string, asOf: string) {
    this.#table = table
    this.#path = path
    this.#asOf = asOf
  }

  /** `example` is asked for while examples are wanted, and gives null to show none. */
  add({ rule, decision, missing }: Decision, example: () => MatchExample | null): void {
    const id = missing === null ? rule : `${rule}\n${missing}`
    let group = this.#groups.get(id)
    if (group === undefined) {
      group = { rule, decision, missing, rows: 0, examples: [] }
      this.#groups.set(id, group)
    }
    group.rows++
    const shown = group.examples.length === EXAMPLES ? null : example()
    if (shown !== null) group.examples = [...group.examples, shown]
  }

  counts(): DecideCounts {
    const [table, path, asOf] = [this.#table, this.#path, this.#asOf]
    const order = [...(table?.rules ?? []).map(({ name }) => name), OTHERWISE]
    const rules = [...this.#groups.values()].sort((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule) || b.rows - a.rows)
    const tested = table === null ? [] : testTable(table, asOf)
    const reached = new Set([...rules, ...tested].map(({ rule }) => rule))
    const count = (decision: string): number =>
      rules.reduce((sum, group) => (group.decision === decision ? sum + group.rows : sum), 0)
    const unreached = (table?.rules ?? [])
      .filter(rule => appliesOn(rule, asOf) && !reached.has(rule.name))
      .map(({ name }) => name)
    return { path, asOf, accept: count('accept'), refer: count('refer'), decline: count('decline'), rules, unreached }
  }
}

/** The day of the decisions of a plan. */
export const dayOf = ({ decide, decideOn = '' }: Pick<Plan, 'decide' | 'decideOn'>): string => decide?.asOf ?? decideOn

/** A row as an example of what a rule decided; null where reports show no rows. */
export function exampleOf(plan: Plan, { number, inputRow, result }: Pick<JoinedRow, 'number' | 'inputRow' | 'result'>) {
  if (plan.report.rows !== 'all') return null
  const company = isFound(result)
    ? { id: firstCell(result, COMPANY_TAGS), name: firstCell(result, NAME_TAGS) }
    : { id: '', name: '' }
  return { row: number, key: shownKey(plan, inputRow), name: shownName(plan, inputRow), company }
}

/** The columns of an output that come from the table. */
export const DECISION_CELLS: Readonly<Record<string, (decision: Decision) => string>> = {
  decision: ({ decision }) => decision,
  'decision.rule': ({ rule }) => rule,
  'decision.why': ({ why }) => why,
}
