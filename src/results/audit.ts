/**
 * Compares a row with the company that a service matched it with, by the tags of the answer. A company is doubtful if its name and its
 * place differ, or its number and, however little, its name. A name alone shows nothing: the service may know a further one.
 */
import type { Plan } from '../pipeline/model/types.ts'
import type { Answer } from './answers.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { type Evidence, evidenceIn, hasShared, type Kind, kindOfMapping, kindOfTag, numberIn } from './evidence.ts'

/** A column or a check of the plan asks for the matches in doubt. */
export const isAudited = ({ output, checks }: Pick<Plan, 'output' | 'checks'>): boolean =>
  output?.columns.includes('match.doubt') === true || checks.some(({ name }) => name === 'doubtful')

type Audit = (uploadRow: readonly string[], answer: Pick<Answer, 'row' | 'columns'>) => string

type Places = readonly (readonly [Kind, number])[]

/** Returns what finds the doubt about a match, as `match.why` writes reasons: `name 0.13 | address ≠`; '' for none. */
export function auditorOf(plan: Pick<Plan, 'mappings' | 'output' | 'checks'>): Audit {
  if (!isAudited(plan)) return () => ''
  const own = plan.mappings.flatMap(({ mapping, index, value }): Places => {
    const kind = value === undefined ? kindOfMapping(mapping) : null
    return kind === null ? [] : [[kind, index]]
  })
  const numberAt = plan.mappings.find(({ mapping }) => mapping === 'orgNumber')?.index ?? -1
  const tags = new WeakMap<EnrichedColumns, Places>()
  return (uploadRow, { row, columns }) => {
    const found = tags.get(columns) ?? listTags(columns)
    tags.set(columns, found)
    return doubtAbout(evidenceIn(own, uploadRow), numberIn(uploadRow[numberAt] ?? ''), evidenceIn(found, row))
  }
}

const listTags = ({ added, header }: EnrichedColumns): Places =>
  added.flatMap((at): Places => {
    const kind = kindOfTag(header[at] ?? '')
    return kind === null ? [] : [[kind, at]]
  })

/** A name below it is different at a different address. */
const NEARLY_SAME = 0.7
/** Addresses that have half of the words of the shorter one are the same; a single word, such as a town, shows nothing. */
const SAME_ADDRESS = 0.5
const LEAST_ADDRESS = 2
/** Organisation numbers up to this length are compared with any letters: `SC123456` and `01234567`. */
const SHORT_NUMBER = 8

function doubtAbout(row: Evidence, orgNumber: string, company: Evidence): string {
  if (hasShared(row.numbers, company.numbers)) return ''
  const name = nameLikeness(row, company)
  const address = addressLikeness(row, company)
  const isOtherNumber = [...company.numbers].some(number => isOneKind(number, orgNumber))
  const isElsewhere = address !== null && address < SAME_ADDRESS
  const isAbroad = row.countries.size > 0 && company.countries.size > 0 && !hasShared(row.countries, company.countries)
  const isDoubtful = name !== null && (((isElsewhere || isAbroad) && name < NEARLY_SAME) || (isOtherNumber && name < 1))
  if (!isDoubtful) return ''
  const differences = [isOtherNumber ? 'number ≠' : '', isElsewhere ? 'address ≠' : '', isAbroad ? 'country ≠' : '']
  return [`name ${name.toFixed(2)}`, ...differences.filter(text => text !== '')].join(' | ')
}

/** As far as letters and lengths show, without leading zeros: a VAT number beside an organisation number is not a different one. */
function isOneKind(number: string, other: string): boolean {
  if (![number, other].every(text => /^[A-Z]{0,2}\d+$/.test(text))) return false
  const isSameForm = number.replace(/\d/g, '') === other.replace(/\d/g, '') && Math.abs(number.length - other.length) <= 1
  return isSameForm || Math.max(number.length, other.length) <= SHORT_NUMBER
}

function addressLikeness({ places }: Evidence, company: Evidence): number | null {
  const least = Math.min(places.size, company.places.size)
  if (least < LEAST_ADDRESS) return null
  return [...places].filter(word => company.places.has(word)).length / least
}

function nameLikeness(row: Evidence, company: Evidence): number | null {
  if (row.names.length === 0 || company.names.length === 0) return null
  return Math.max(...row.names.flatMap(words => company.names.map(other => compareNames(words, other))))
}

/** Letter pairs in common by which names are alike whose words are joined, split or misspelt; of a word, by which it is misspelt. */
const ALIKE_LETTERS = 0.55
const MISSPELT = 0.7
/** Words in common, by their letters, as a share of the shorter name: by itself, and where the first words are the same. */
const ALIKE_WORDS = 0.6
const ALIKE_BEGINNING = 0.34
const INITIALS = 0.9

/** From 0 to 1, for the same letters. */
function compareNames(words: readonly string[], other: readonly string[]): number {
  const [letters, otherLetters] = [words.join(''), other.join('')]
  if (letters === otherLetters) return 1
  if (isInitials(words, other) || isInitials(other, words)) return INITIALS
  const pairs = sharePairs(letters, otherLetters)
  const [shorter, longer] = letters.length <= otherLetters.length ? [words, other] : [other, words]
  const same = shorter.filter(word => longer.some(candidate => isSameWord(word, candidate)))
  const share = same.join('').length / shorter.join('').length
  const isAlike = share >= ALIKE_WORDS || (share >= ALIKE_BEGINNING && isSameWord(words[0]!, other[0]!))
  const likeness = Math.max(share, pairs)
  return Math.min(0.99, isAlike || pairs >= ALIKE_LETTERS ? likeness : Math.min(0.49, likeness))
}

const isInitials = (words: readonly string[], other: readonly string[]): boolean =>
  words.length === 1 && other.length > 1 && words[0] === other.map(word => word.charAt(0)).join('')

/** The same, cut off or misspelt. */
function isSameWord(word: string, other: string): boolean {
  const [shorter, longer] = word.length <= other.length ? [word, other] : [other, word]
  if (word === other || (shorter.length >= 3 && longer.startsWith(shorter))) return true
  return shorter.length >= 5 && sharePairs(word, other) >= MISSPELT
}

/** Letter pairs that both have, as a share of all (Dice). */
function sharePairs(text: string, other: string): number {
  const left = pairsOf(other)
  let shared = 0
  for (const pair of pairsOf(text)) {
    const at = left.indexOf(pair)
    if (at < 0) continue
    left.splice(at, 1)
    shared++
  }
  const all = pairsOf(text).length + pairsOf(other).length
  return all === 0 ? 0 : (2 * shared) / all
}

const pairsOf = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2))
