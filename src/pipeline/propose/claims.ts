/**
 * Finds the meanings of a header by its words: the whole header first, then without filler words, then its parts. Values of the
 * column decide later whether a claim is right.
 */
import { MAPPINGS, type Mapping } from '../../contract/index.ts'
import SYNONYMS from './synonyms.json' with { type: 'json' }

/** What a column may be proposed for; `other` is a meaning that no mapping takes. */
export type Target = Mapping | 'key' | 'other'

/** `party` (`supplier`), a number or code, and words without a meaning are parts of headers. */
type Meaning = Target | 'party' | 'number' | 'filler'

/** One meaning of a header, from 0 to 1 sure. */
interface Claim {
  readonly target: Target
  readonly strength: number
}

/** The claims of a header, the strongest first; `holds` names several things in one column, as in `PLZ Ort`. */
export interface Claims {
  readonly claims: readonly Claim[]
  readonly holds: readonly Target[]
  /** The number at the end, as in `Address 2`, else 1. */
  readonly ordinal: number
}

/** A header that is a known word, one with words that add nothing, a known word among others, and a vague one. */
const WHOLE = 0.9
const TRIMMED = 0.85
const PART = 0.55
const VAGUE = 0.5
const SHARED = 0.6
/** Shorter words mean something only when they stand alone. */
const SHORTEST_PART = 3

interface Entry {
  readonly meaning: Meaning
  readonly isVague: boolean
}

/** `Laender` and `Länder` are one. */
const foldKey = (words: readonly string[]): string => words.join(' ').replace(/([aou])e/g, '$1')

/**
 * synonyms.json: language -> meaning -> words, folded as in words.ts and separated by `|`. A word after `~` is vague: it counts
 * only together with the values of the column. Words of one or two letters count only when they are the whole header.
 */
let built: ReadonlyMap<string, readonly Entry[]> | undefined

function index(): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>()
  for (const words of Object.values(SYNONYMS))
    for (const [meaning, list] of Object.entries(words) as [Meaning, string][])
      for (const word of list.split('|')) {
        const parts = wordsOf(word.replace(/^~/, ''))
        const entry = { meaning, isVague: word.startsWith('~') }
        for (const key of new Set([foldKey(parts), foldKey([parts.join('')])])) {
          const there = found.get(key) ?? []
          if (!there.some(claim => claim.meaning === meaning && claim.isVague <= entry.isVague)) there.push(entry)
          found.set(key, there)
        }
      }
  return found
}

const PARTS: readonly Meaning[] = ['party', 'number', 'filler']
const isTarget = (meaning: Meaning): meaning is Target => !PARTS.includes(meaning)
const findEntries = (words: readonly string[]): readonly Entry[] => {
  // Built when it is first asked: most runs of a pipeline do not.
  built ??= index()
  return built.get(foldKey(words)) ?? []
}
const means = (word: string, ...meanings: readonly Meaning[]): boolean =>
  findEntries([word]).some(entry => meanings.includes(entry.meaning))

/** `Supplier` alone may be the header of a name or of a number: the values decide. */
const OF_PARTY: readonly Claim[] = [
  { target: 'name', strength: VAGUE },
  { target: 'key', strength: VAGUE },
]

export function claimsOf(header: string): Claims {
  // A word may be written as no programmer would: `USt-IdNr`.
  const asWritten = whole(fold(header.slice(0, 200)).split(' '), WHOLE)
  if (asWritten.length > 0) return { claims: asWritten, holds: [], ordinal: 1 }
  const all = wordsOf(header)
  const last = all.at(-1) ?? ''
  const ordinal = /^\d{1,2}$/.test(last) && all.length > 1 ? Number(last) : 1
  const none: Claims = { claims: [], holds: [], ordinal }
  const numbered = whole(all, WHOLE)
  if (numbered.length > 0) return { ...none, claims: numbered, ordinal: 1 }
  const words = (ordinal === 1 && !/^0?1$/.test(last) ? all : all.slice(0, -1)).flatMap(compound)
  const plain = whole(words, WHOLE)
  if (plain.length > 0) return { ...none, claims: plain }
  const rest = words.filter(word => !means(word, 'filler', 'party'))
  const isParty = words.some(word => means(word, 'party'))
  if (isParty && rest.length > 0 && rest.every(word => means(word, 'number')))
    return { ...none, claims: [{ target: 'key', strength: TRIMMED }] }
  if (rest.length === 0) return { ...none, claims: isParty ? OF_PARTY : [] }
  const trimmed = whole(rest, TRIMMED)
  if (trimmed.length > 0) return { ...none, claims: trimmed }
  return { ...none, ...within(words) }
}

function whole(words: readonly string[], strength: number): Claim[] {
  const entries = findEntries(words).filter(({ meaning }) => isTarget(meaning))
  if (words.length === 1 && means(words[0]!, 'party')) return [...OF_PARTY]
  const sure = entries.filter(entry => !entry.isVague)
  const chosen = sure.length > 0 ? sure : entries
  const isShared = new Set(chosen.map(entry => entry.meaning)).size > 1
  return chosen.map(({ meaning, isVague }) => ({
    target: meaning as Target,
    strength: Math.min(isVague ? VAGUE : strength, isShared ? SHARED : 1),
  }))
}

/** The longest known words within; words of several meanings side by side are several things in one column. */
function within(words: readonly string[]): Pick<Claims, 'claims' | 'holds'> {
  const found: Claim[] = []
  for (let from = 0; from < words.length; ) {
    const size = longestAt(words, from)
    found.push(...whole(words.slice(from, from + size), PART).slice(0, 1))
    from += Math.max(1, size)
  }
  const targets = [...new Set(found.map(finding => finding.target))]
  if (targets.includes('other')) return { claims: [{ target: 'other', strength: PART }], holds: [] }
  if (targets.length > 1) return { claims: [], holds: targets }
  return { claims: found.slice(0, 1), holds: [] }
}

function longestAt(words: readonly string[], from: number): number {
  for (let to = words.length; to > from; to--) {
    const part = words.slice(from, to)
    if (part.join('').length >= SHORTEST_PART && whole(part, PART).length > 0) return to - from
  }
  return 0
}

/** `lieferantennummer` as two words, when both are known: whose it is, or what adds nothing, before what it is. */
function compound(word: string): string[] {
  if (word.length < 7 || findEntries([word]).length > 0) return [word]
  for (let at = 4; at <= word.length - 2; at++) {
    const first = word.slice(0, at)
    const second = word.slice(at)
    if (!means(first, 'party', 'filler')) continue
    if (findEntries([second]).some(({ meaning }) => meaning !== 'filler')) return [first, second]
  }
  return [word]
}

export const ADDRESSES = MAPPINGS.filter(mapping => mapping.startsWith('address'))

const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '#': ' no ',
  '№': ' no ',
  ς: 'σ',
}

/** The text in small letters without accents; `Straße` is `strasse`, `N°` is `n`. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı#№ς]/g, letter => PLAIN[letter]!)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The words of a header: `CompanyName`, `company_name` and `VATNumber1` are parted where a reader would. */
export function wordsOf(header: string): string[] {
  const parted = header
    .slice(0, 200)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\d)/gu, '$1 $2')
  return fold(parted)
    .split(' ')
    .filter(word => word !== '')
}
