/**
 * Reads the companies that an answer proposes: all from the column `match.candidates`, else the best one alone. Entries of unknown form
 * are ignored.
 */
import type { ProposedCompany } from '../model/requests.ts'
import type { Answer } from './answers.ts'
import { isTagLike } from './enriched-columns.ts'
import { COMPANY_TAGS, NAME_TAGS } from './enriched-file.ts'

/** Missing text is '', a missing score null. */
export type Candidate = ProposedCompany

const MOST = 10

/** A number from 0 to 1, null for anything else. */
export function readScore(cell: string): number | null {
  const score = Number(cell)
  return cell.trim() === '' || !(score >= 0 && score <= 1) ? null : score
}

/** Best first; empty when the service proposes none. A match that does not stand is the first. */
export function listCandidates(answer: Answer): readonly Candidate[] {
  const { row, columns, reason } = answer
  const proposed = [...proposedIn(answer), ...answer.proposed].filter(isFirst).slice(0, MOST)
  const read: Read = name => (row[columns.find(name)] ?? '').trim()
  const id = COMPANY_TAGS.map(read).find(text => text !== '') ?? ''
  if (reason === '' || id === '') return proposed
  const tags = columns.header.flatMap(name =>
    isTagLike(name) && !name.startsWith('match.') ? [[name, read(name)] as const] : [],
  )
  const company: Candidate = {
    id,
    name: NAME_TAGS.map(read).find(text => text !== '') ?? '',
    score: readScore(read('match.score')),
    why: [bandText(read), patternText(read), read('match.why')].filter(text => text !== '').join(' | '),
    parts: {},
    fields: {},
    tags: Object.fromEntries(tags),
  }
  return [company, ...proposed.filter(other => other.id !== id)]
}

const isFirst = ({ id }: Candidate, at: number, all: readonly Candidate[]): boolean =>
  all.findIndex(other => other.id === id) === at

type Read = (name: string) => string

function bandText(read: Read): string {
  const [band, meaning] = [read('general.banding'), read('general.bandingDesc')]
  return band === '' ? '' : `band ${band}${meaning === '' ? '' : `, ${meaning}`}`
}

const patternText = (read: Read): string => (read('general.pattern') === '' ? '' : `pattern ${read('general.pattern')}`)

function proposedIn({ row, columns }: Answer): readonly Candidate[] {
  const read = (name: string): string => row[columns.find(name)] ?? ''
  const listed = listIn(read('match.candidates')).flatMap(readCandidate).slice(0, MOST)
  if (listed.length > 0) return listed
  const [id, name] = [read('match.candidateId'), read('match.candidateName')]
  if (id === '' && name === '') return []
  return [{ id, name, score: readScore(read('match.score')), why: read('match.why'), parts: {}, fields: {}, tags: {} }]
}

function listIn(cell: string): readonly unknown[] {
  if (!cell.startsWith('[')) return []
  try {
    const list: unknown = JSON.parse(cell)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function readCandidate(value: unknown): Candidate[] {
  if (!isRecord(value)) return []
  const { id, name } = value
  if (typeof id !== 'string' || typeof name !== 'string' || (id === '' && name === '')) return []
  const { score, why, parts, fields, tags } = value
  return [
    {
      id,
      name,
      score: typeof score === 'number' && score >= 0 && score <= 1 ? score : null,
      why: typeof why === 'string' ? why : '',
      parts: only(parts, Number.isFinite) as Record<string, number>,
      fields: only(fields, isText) as Record<string, string>,
      tags: only(tags, isText) as Record<string, string>,
    },
  ]
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
function only(value: unknown, fits: (one: unknown) => boolean): Record<string, unknown> {
  if (!isRecord(value)) return {}
  return Object.values(value).every(fits) ? value : Object.fromEntries(Object.entries(value).filter(([, part]) => fits(part)))
}
