/** The rows of the page, unpacked from its data. */
import type { RowCandidate } from '../src/model/results.ts'
import type { PackedRow, PageData } from '../src/report/html/data.ts'
import { reasonsOf, reviewWords, unmatchedWords } from '../src/report/why.ts'

/** A candidate; its fields are in the order of `fields` of the page. */
export type Candidate = Omit<RowCandidate, 'fields'> & { readonly fields: readonly string[] }

export interface Row {
  /** Index among the rows of the page. */
  readonly at: number
  /** Of its element. */
  readonly id: string
  readonly number: number
  readonly key: string | null
  readonly fingerprint: string
  readonly score: number | null
  readonly why: string
  readonly name: string
  readonly country: string
  readonly cells: readonly string[]
  readonly candidates: readonly Candidate[]
  /** Why a person has to look at it, or why it has no company; '' if unknown. */
  readonly reason: string
  /** It has no company: it is not in review. */
  readonly isUnmatched: boolean
  /** The decision in the report. */
  readonly decision: PackedRow[7]
  /** Lower-case text for the search. */
  readonly text: string
}

export interface Rows {
  readonly run: string
  readonly mappings: readonly string[]
  readonly fields: readonly string[]
  readonly list: readonly Row[]
}

export function unpack({ run, mappings, fields, rows }: PageData): Rows {
  const nameAt = mappings.indexOf('name')
  const countryAt = mappings.findIndex(name => name === 'country' || name === 'countryCode')
  const list = rows.map(
    ([number, key, fingerprint, score, why, cells, packed, decision, reason, isUnmatched = false], at): Row => {
      const candidates = packed.map(([id, name, score, why, parts, fields]) => ({ id, name, score, why, parts, fields }))
      const name = cells[nameAt] ?? ''
      const text = [key ?? '', ...cells, ...candidates.flatMap(one => [one.id, one.name])].join(' ').toLowerCase()
      const country = cells[countryAt] ?? ''
      return {
        at,
        id: `row-${at}`,
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
        reason: isUnmatched ? unmatchedWords(reason) : reviewWords(reason),
        isUnmatched,
        text,
      }
    },
  )
  return { run, mappings, fields, list }
}

/** What the best candidate shares with the row and where it differs, for the filter: names and addresses by how alike they are. */
export const traits = ({ why }: Row): string[] =>
  reasonsOf(why).flatMap(({ kind, text }) => {
    const [, name, alike] = /^((?:former |confirmed )?name|address) (\d+)% alike$/.exec(text) ?? []
    if (name !== undefined) return [`${name} ${bandOf(Number(alike))}`]
    return kind === 'near' ? [] : [text]
  })

const bandOf = (alike: number): string =>
  alike === 100 ? 'the same' : alike >= 90 ? '90–99% alike' : alike >= 50 ? '50–89% alike' : 'under 50% alike'

/** How often each text occurs, the most frequent first. */
export function frequent(texts: readonly string[]): [text: string, times: number][] {
  const times = new Map<string, number>()
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1)
  return [...times].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}
