/**
 * The names of a person or business as the engine is asked for them, each with the highest score it may reach: a name without its
 * middle names is not the whole name, a weak alias not a sure one. Pure; it scores nothing.
 */
import type { Entry, PersonName } from './entry.ts'

/** A way to write somebody's name. */
export interface Spelling {
  readonly text: string
  /** 0 to 100. */
  readonly most: number
}

/** A weak alias, and a name whose middle names are known and left out: as sure as the strictest threshold below 100. */
const NEARLY = 95
/** Middle names guessed from the order of the words, which many peoples write otherwise. */
const GUESSED = 85

const shortOf = ({ first, middle, last }: PersonName): Spelling[] =>
  middle === '' || first === '' || last === '' ? [] : [{ text: `${first} ${last}`, most: NEARLY }]

const guessOf = (name: string): Spelling[] => {
  const words = name.split(/\s+/)
  return words.length < 3 || words.length > 5 ? [] : [{ text: `${words[0]} ${words.at(-1)}`, most: GUESSED }]
}

/** The spellings of what a search asks for, the full one first. */
export const spellingsAsked = (name: string, person: PersonName | null, isPerson: boolean): Spelling[] => [
  { text: name, most: 100 },
  ...(person === null ? (isPerson ? guessOf(name) : []) : shortOf(person)),
]

/** The spellings of a list's entry: its name, its aliases, and for a person the name without the middle names. */
export function spellingsOf(entry: Entry, isPerson: boolean): Spelling[] {
  const found = new Map<string, number>()
  const add = ({ text, most }: Spelling): void => {
    if (text !== '') found.set(text, Math.max(most, found.get(text) ?? 0))
  }
  add({ text: entry.name, most: 100 })
  for (const { type, name } of entry.aliases) add({ text: name, most: type.startsWith('weak') ? NEARLY : 100 })
  if (isPerson) for (const one of entry.person === null ? guessOf(entry.name) : shortOf(entry.person)) add(one)
  return [...found].map(([text, most]) => ({ text, most }))
}
