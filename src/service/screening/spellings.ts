/** What is searched, and the spellings under which a name is searched and listed. */
import type { Dataset } from '../../contract/index.ts'
import type { Entry, PersonName } from './entry.ts'

export type SearchType = 'individual' | 'business'

export interface Question {
  readonly type: SearchType
  readonly name: string
  /** Parts of a person's name, if given. */
  readonly person: PersonName | null
  readonly threshold: number
  readonly datasets: readonly Dataset[]
  /** All when empty. */
  readonly countryCodes: readonly string[]
  readonly dateOfBirth: string | null
  readonly isDobRequired: boolean
  readonly gender: 'male' | 'female' | null
  /** All when empty. */
  readonly pepTiers: readonly number[]
}

export interface Found {
  readonly list: string
  readonly entry: Entry
  readonly match: string
  /** 0 to 100. */
  readonly score: number
}

interface Spelling {
  readonly text: string
  /** 0 to 100. */
  readonly most: number
}

/** For weak aliases and names without their known middle names: the strictest threshold below 100. */
const INCOMPLETE = 95
/** For names without guessed middle names: the order of words differs between cultures. */
const GUESSED = 85

/** Letters of a first and a last name. */
const SHORT = 9

const withoutMiddle = ({ first, middle, last }: PersonName): Spelling[] =>
  middle === '' || first === '' || last === '' ? [] : [{ text: `${first} ${last}`, most: INCOMPLETE }]

const withoutGuessedMiddle = (name: string): Spelling[] => {
  const [, last, first] = /^([^,]+),\s*([^\s,]+)\s[^,]+$/.exec(name) ?? []
  // The comma shows which words are the last name. A short name is the name of many.
  if (last !== undefined && first !== undefined)
    return first.length + last.length < SHORT ? [] : [{ text: `${first} ${last}`, most: GUESSED }]
  const words = name.split(/\s+/)
  return words.length < 3 || words.length > 5 ? [] : [{ text: `${words[0]} ${words.at(-1)}`, most: GUESSED }]
}

/** A name with a guessed middle name has no room for another difference. */
export const capScore = (score: number, most: number): number =>
  most === GUESSED ? score - (100 - GUESSED) : Math.min(score, most)

/** The spellings of a search, the full name first. */
export const searchSpellings = (name: string, person: PersonName | null, isPerson: boolean): Spelling[] => [
  { text: name, most: 100 },
  ...(person === null ? (isPerson ? withoutGuessedMiddle(name) : []) : withoutMiddle(person)),
]

/** The spellings of an entry: its name, its aliases, and for a person the name without middle names. */
export function listSpellings(entry: Pick<Entry, 'name' | 'person' | 'aliases'>, isPerson: boolean): Spelling[] {
  const found = new Map<string, number>()
  const add = ({ text, most }: Spelling): void => {
    if (text !== '') found.set(text, Math.max(most, found.get(text) ?? 0))
  }
  add({ text: entry.name, most: 100 })
  for (const { type, name } of entry.aliases) add({ text: name, most: type.startsWith('weak') ? INCOMPLETE : 100 })
  if (isPerson) (entry.person === null ? withoutGuessedMiddle(entry.name) : withoutMiddle(entry.person)).forEach(add)
  return [...found].map(([text, most]) => ({ text, most }))
}
