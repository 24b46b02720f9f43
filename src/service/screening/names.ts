/**
 * The spellings of a name to search for, each with the highest score it may reach: a name without middle names or a weak alias
 * never reaches 100.
 */
import type { Entry, PersonName } from './entry.ts'

export interface Spelling {
  readonly text: string
  /** 0 to 100. */
  readonly most: number
}

/** For weak aliases and names without their known middle names: the strictest threshold below 100. */
const INCOMPLETE = 95
/** For names without guessed middle names: the order of words differs between cultures. */
const GUESSED = 85

const withoutMiddle = ({ first, middle, last }: PersonName): Spelling[] =>
  middle === '' || first === '' || last === '' ? [] : [{ text: `${first} ${last}`, most: INCOMPLETE }]

const withoutGuessedMiddle = (name: string): Spelling[] => {
  const words = name.split(/\s+/)
  return words.length < 3 || words.length > 5 ? [] : [{ text: `${words[0]} ${words.at(-1)}`, most: GUESSED }]
}

/** The spellings of a search, the full name first. */
export const searchSpellings = (name: string, person: PersonName | null, isPerson: boolean): Spelling[] => [
  { text: name, most: 100 },
  ...(person === null ? (isPerson ? withoutGuessedMiddle(name) : []) : withoutMiddle(person)),
]

/** The spellings of an entry: its name, its aliases, and for a person the name without middle names. */
export function spellingsOf(entry: Entry, isPerson: boolean): Spelling[] {
  const found = new Map<string, number>()
  const add = ({ text, most }: Spelling): void => {
    if (text !== '') found.set(text, Math.max(most, found.get(text) ?? 0))
  }
  add({ text: entry.name, most: 100 })
  for (const { type, name } of entry.aliases) add({ text: name, most: type.startsWith('weak') ? INCOMPLETE : 100 })
  if (isPerson) for (const one of entry.person === null ? withoutGuessedMiddle(entry.name) : withoutMiddle(entry.person)) add(one)
  return [...found].map(([text, most]) => ({ text, most }))
}
