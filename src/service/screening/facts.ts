/**
 * Finds the stored hit that a found one is. As with the decisions of pipelines, a decision holds for an entry with its facts, under any id; where it
 * may be about one of several entries, it holds for none.
 */
import { compareFacts, type Facts, namesIn, readHit } from '../../model/hit-facts.ts'
import type { Entry } from './entry.ts'
import { fullHitRecord } from './records.ts'
import type { Hit, PairedHit } from './searches-store.ts'
import type { Found, SearchType } from './spellings.ts'

/** The facts by which a person decides, as pipelines read them from the record. */
function readFacts(entry: Entry, type: SearchType): Facts {
  const about = { id: '', search: '', list: '', entry, match: '', score: 0, decision: 'undecided', note: null } as const
  const hit: Hit = { ...about, createdAt: 0, modifiedAt: 0, modifiedBy: 0 }
  const record = fullHitRecord({ type, hit, entry, nameOf: () => null, correlationId: '' })
  return readHit({ ...record }, text => text).facts
}

/** The facts of an entry as one text. */
export const entryFacts = (entry: Entry, type: SearchType = entry.type === 'individual' ? 'individual' : 'business'): string =>
  JSON.stringify(readFacts(entry, type))

const isSamePlace = (a: Found, b: Found): boolean => a.list === b.list && a.entry.id === b.entry.id

export function pairHits(type: SearchType, stored: readonly Hit[], found: readonly Found[]): PairedHit[] {
  const left = new Set(stored)
  const pairs = new Map<Found, Hit>()
  const pair = (hit: Found, before: Hit): void => {
    left.delete(before)
    pairs.set(hit, before)
  }
  for (const hit of found) {
    const same = [...left].findLast(
      before => isSamePlace(before, hit) && JSON.stringify(before.entry) === JSON.stringify(hit.entry),
    )
    if (same !== undefined) pair(hit, same)
  }
  const open = found.filter(hit => !pairs.has(hit))
  if (open.length === 0) return found.map(hit => ({ found: hit, stored: pairs.get(hit) ?? null, note: null }))
  const facts = new Map<Found, string>([...open, ...left].map(hit => [hit, entryFacts(hit.entry, type)]))
  const isAlike = (a: Found, b: Found): boolean => a.list === b.list && facts.get(a) === facts.get(b)
  for (const hit of open) {
    const same = [...left].findLast(before => isSamePlace(before, hit) && isAlike(before, hit))
    if (same !== undefined) pair(hit, same)
  }
  for (const hit of open) {
    if (pairs.has(hit)) continue
    const alike = open.filter(other => !pairs.has(other) && isAlike(other, hit))
    const before = [...left].filter(candidate => isAlike(candidate, hit))
    const isClear = alike.length <= before.length && new Set(before.map(({ decision }) => decision)).size === 1
    if (isClear) for (const [at, other] of alike.entries()) pair(other, before[at]!)
  }
  const decided = [...left].filter(({ decision }) => decision !== 'undecided')
  const noteFor = (hit: Found): string | null => {
    const before =
      decided.findLast(past => isSamePlace(past, hit)) ??
      decided.findLast(past => past.list === hit.list && hasName(type, past, hit))
    return before === undefined ? null : explain(type, before, hit)
  }
  return found.map(hit => {
    const before = pairs.get(hit)
    return before === undefined ? { found: hit, stored: null, note: noteFor(hit) } : { found: hit, stored: before, note: null }
  })
}

function hasName(type: SearchType, past: Found, hit: Found): boolean {
  const names = namesIn(readFacts(past.entry, type))
  return [...namesIn(readFacts(hit.entry, type))].some(name => names.has(name))
}

/** Longest note of a hit (contract §12). */
const LONGEST_NOTE = 10_000

function explain(type: SearchType, { entry, decision }: Hit, hit: Found): string {
  const changed = compareFacts(readFacts(entry, type), readFacts(hit.entry, type))
  const why = changed.length === 0 ? 'several entries have these facts' : changed.join('; ')
  return `Decided before as ${decision}, and came back: ${why}`.slice(0, LONGEST_NOTE)
}
