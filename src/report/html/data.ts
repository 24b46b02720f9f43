/**
 * The rows to review as data for the script of the page (page/rows.ts): JSON, packed so that thousands of rows fit into a mail.
 * Text is not escaped: the script escapes what it shows.
 */
import type { HitToDecide, RowSample } from '../../model/results.ts'
import { safeJson } from '../formats/escape.ts'
import type { Report, Result, Sample } from '../schema.ts'
import { html, type Markup, trusted } from './markup.ts'

/** A row of the page; `outcome` is unknown for the samples of a report. */
export interface PageRow extends Sample {
  readonly outcome?: RowSample['outcome']
}

/** Whether it has neither a company nor a decision: it is not to be reviewed, but may be decided. */
export const isUnmatched = ({ outcome, decision }: Pick<PageRow, 'outcome' | 'decision'>): boolean =>
  outcome === 'unmatched' && decision === null

/** Unmatched rows of such a page. */
const MOST_UNMATCHED = 1000

/** Characters of rows in a page that is small enough to mail. */
export const MAILABLE = 3_500_000

const COMPANY_FIELDS = ['tradingName', 'previousName', 'status', 'register', 'otherIds'] as const

/** `mappings` names the cells of a row, `fields` the cells of a candidate. */
export interface PageData {
  readonly run: string
  readonly pipeline: string
  readonly mappings: readonly string[]
  readonly fields: readonly string[]
  readonly rows: readonly PackedRow[]
}

export type PackedRow = readonly [
  row: number,
  key: string | null,
  fingerprint: string,
  score: number | null,
  why: string,
  cells: readonly string[],
  candidates: readonly PackedCandidate[],
  decision: Sample['decision'],
  reason: string | null,
  isUnmatched?: true,
]

export type PackedCandidate = readonly [
  id: string,
  name: string,
  score: number | null,
  why: string,
  parts: Readonly<Record<string, number>>,
  fields: readonly string[],
]

/** How much of what there is the page has. */
export interface Packed {
  readonly element: Markup | null
  readonly shown: number
  readonly all: number
  /** Unmatched rows without a decision. */
  readonly unmatched: { readonly shown: number; readonly all: number }
}

export interface HitData {
  readonly run: string
  readonly hits: readonly HitToDecide[]
}

/** Pairs in a list, as the table of them and what is shown beside it. */
export interface PairData {
  /** The name of the list. */
  readonly list: string
  /** The name of the file of decisions that the page offers. */
  readonly file: string
  readonly names: readonly string[]
  /** A decision, two cells for each of `fields`, two of row numbers, two keys. */
  readonly rows: readonly (readonly string[])[]
  readonly fields: readonly string[]
  /** For each pair further rows of the two groups: the rows of the one of the pair, then own rows, then `fields`. */
  readonly others: readonly (readonly (readonly string[])[])[]
}

/** Characters of hits in a page that is small enough to mail. */
const MOST_OF_HITS = 600_000

/** The hits up to a budget, those that came back first; null without any. */
export function hitPageData(report: Report, hits: readonly HitToDecide[], budget: number) {
  if (hits.length === 0) return null
  const inOrder = hits.toSorted((a, b) => Number(b.state === 'back') - Number(a.state === 'back'))
  const texts = fitting(inOrder, scriptJson, budget === MAILABLE ? MOST_OF_HITS : budget)
  const json = `{"run":${scriptJson(report.metadata.runId)},"hits":[${texts.join(',\n')}]}`
  const element = html`<script type="application/json" id="hits-data">${trusted(json)}<\/script>`
  return { element, shown: texts.length, all: hits.length, unmatched: NONE }
}

/** The texts of the first items that fit into `budget` characters. */
function fitting<Item>(items: readonly Item[], write: (item: Item) => string, budget: number): string[] {
  const texts: string[] = []
  let left = budget
  for (const item of items) {
    const text = write(item)
    left -= text.length
    if (left < 0) break
    texts.push(text)
  }
  return texts
}

const NONE = { shown: 0, all: 0 }

/** Packs rows up to `budget` characters, those to review first. */
export function pageData(report: Report, result: Result, given: readonly PageRow[], budget: number): Packed {
  if (given.length === 0) return { element: null, shown: 0, all: 0, unmatched: NONE }
  const toReview = given.filter(row => !isUnmatched(row))
  const unmatched = given.filter(isUnmatched)
  const rows = [...toReview, ...(budget === MAILABLE ? unmatched.slice(0, MOST_UNMATCHED) : unmatched)]
  const decided = toReview.filter(({ outcome }) => outcome === 'unmatched').length
  const allUnmatched = Math.max(unmatched.length, (report.totals.unmatched ?? 0) - decided)
  const mappings: string[] = result.mappings.map(column => column.mapping)
  const known = new Set(rows.flatMap(row => row.candidates.flatMap(({ fields }) => Object.keys(fields))))
  const fields = [...mappings, ...COMPANY_FIELDS.filter(name => known.has(name) && !mappings.includes(name))]
  const head = { run: report.metadata.runId, pipeline: result.name, mappings, fields }
  const texts = fitting(rows, sample => scriptJson(packed(sample, mappings, fields)), budget)
  const json = `${scriptJson(head).slice(0, -1)},"rows":[${texts.join(',\n')}]}`
  const element = html`<script type="application/json" id="rows">${trusted(json)}<\/script>`
  return {
    element,
    shown: Math.min(texts.length, toReview.length),
    all: toReview.length,
    unmatched: {
      shown: Math.max(0, texts.length - toReview.length),
      all: unmatched.length === 0 ? 0 : allUnmatched,
    },
  }
}

/** JSON that cannot end its element. */
export const scriptJson = (value: unknown): string => safeJson(value).replaceAll('<', '\\u003c')

function packed(sample: PageRow, mappings: readonly string[], fields: readonly string[]): PackedRow {
  const { row, key, fingerprint, score, why, cells, candidates, candidate, decision, reason } = sample
  const all: PackedCandidate[] = candidates.map(({ id, name, score, why, parts, fields: texts }) => {
    return [id, name, score, why, parts, trimmed(fields.map(field => texts[field] ?? ''))]
  })
  if (all.length === 0 && candidate !== null) all.push([candidate.id, candidate.name, score, why, {}, []])
  // The row usually has the reasons of the best candidate.
  const own = all[0]?.[3] === why ? '' : why
  const cellsOfRow = trimmed(mappings.map(name => cells[name] ?? ''))
  const known = [row, key, fingerprint, score, own, cellsOfRow, all, decision, reason] as const
  return isUnmatched(sample) ? [...known, true] : known
}

const trimmed = (texts: readonly string[]): string[] => texts.slice(0, texts.findLastIndex(text => text !== '') + 1)
