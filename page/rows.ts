/** The rows of the page, unpacked from its data, and what may be asked of them. It knows no element and no decision made here. */
import type { RowCandidate } from '../src/pipeline/model/row-types.ts'
import type { PackedRow, PageData } from '../src/report/html/data.ts'
import { reasonsOf } from '../src/report/why.ts'

/** A company that a row may be; its fields stand in the order of the page's. */
export type Candidate = Omit<RowCandidate, 'fields'> & { readonly fields: readonly string[] }

/** A row to decide about. */
export interface Row {
  /** Place among the rows of the page. */
  readonly at: number
  readonly number: number
  readonly key: string | null
  readonly fingerprint: string
  readonly score: number | null
  readonly why: string
  readonly name: string
  readonly country: string
  readonly cells: readonly string[]
  readonly candidates: readonly Candidate[]
  /** What was decided before this page was written. */
  readonly decision: PackedRow[7]
  /** What stands in it, in small letters, to be searched. */
  readonly text: string
}

/** The rows of a page under the names of their cells. */
export interface Rows {
  readonly run: string
  readonly mappings: readonly string[]
  readonly fields: readonly string[]
  readonly list: readonly Row[]
}

/** Unpacks the data of a page. */
export function unpack({ run, mappings, fields, rows }: PageData): Rows {
  const nameAt = mappings.indexOf('name')
  const countryAt = mappings.findIndex(name => name === 'country' || name === 'countryCode')
  const list = rows.map(([number, key, fingerprint, score, why, cells, packed, decision], at): Row => {
    const candidates = packed.map(([id, name, score, why, parts, fields]) => ({ id, name, score, why, parts, fields }))
    const name = cells[nameAt] ?? ''
    const text = [key ?? '', ...cells, ...candidates.flatMap(one => [one.id, one.name])].join(' ').toLowerCase()
    const country = cells[countryAt] ?? ''
    return {
      at,
      number,
      key,
      fingerprint,
      score,
      why: why || (candidates[0]?.why ?? ''),
      name,
      country,
      cells,
      candidates,
      decision,
      text,
    }
  })
  return { run, mappings, fields, list }
}

/** What speaks against the best candidate, in words. */
export const against = ({ why }: Row): string[] =>
  reasonsOf(why)
    .filter(({ kind }) => kind === 'against' || kind === 'plain')
    .map(({ text }) => text)

/** How often each text occurs, the most frequent first. */
export function frequent(texts: readonly string[]): [text: string, times: number][] {
  const times = new Map<string, number>()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  return [...times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}
