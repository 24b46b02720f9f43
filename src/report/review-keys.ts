/** The keys of a review, one table for the page and the terminal, for rows, hits and pairs of rows. Imports nothing: the page uses it in a browser. */

export type Place = 'page' | 'terminal'

/** What is decided about. */
export type About = 'rows' | 'hits' | 'pairs'

export type KeyAction = 'best' | 'nth' | 'none' | 'later' | 'undo' | 'next' | 'back' | 'all' | 'search' | 'finish' | 'help'

interface Key {
  readonly action: KeyAction
  /** The first is shown, the others work too. */
  readonly keys: string
  readonly text: string
  /** Of a hit or a pair; null where it has no such key. */
  readonly hits?: string | null
  readonly pairs?: string | null
  readonly only?: Place
}

const KEYS: readonly Key[] = [
  { action: 'best', keys: 'y', text: 'accept best', hits: 'it is the company', pairs: 'same company' },
  { action: 'nth', keys: '123456789', text: 'that one', hits: null, pairs: null },
  { action: 'none', keys: 'n', text: 'none', hits: 'it is not', pairs: 'different companies' },
  { action: 'later', keys: 'ls ', text: 'later' },
  { action: 'undo', keys: 'u', text: 'undo' },
  { action: 'finish', keys: 'q', text: 'finish', only: 'terminal' },
  { action: 'search', keys: '/', text: 'search', only: 'page' },
  { action: 'search', keys: '/', text: 'search', hits: null, pairs: null, only: 'terminal' },
  { action: 'next', keys: 'j', text: 'next' },
  { action: 'back', keys: 'kb', text: 'back' },
  { action: 'all', keys: 'a', text: 'accept the best of all shown', hits: null, pairs: null, only: 'page' },
  { action: 'help', keys: '?', text: 'keys' },
]

/** What a key is for; null for any other key. */
const readText = (key: Key, about: About): string | null => {
  const own = about === 'rows' ? undefined : key[about]
  return own === undefined ? key.text : own
}

const keysOf = (place: Place, about: About): readonly Key[] =>
  KEYS.filter(key => (key.only ?? place) === place && readText(key, about) !== null)

/** What a key does, null for nothing. `nth` is the number of a candidate from 1. */
export const actionOfKey = (key: string, place: Place, about: About = 'rows'): KeyAction | null =>
  keysOf(place, about).find(({ keys }) => key.length === 1 && keys.includes(key))?.action ?? null

/** `y accept the best`, one text a key; without the keys that a row with so few candidates lacks. */
export const keyTexts = (place: Place, about: About = 'rows', candidates = 5): string[] =>
  keysOf(place, about)
    .filter(({ action }) => about !== 'rows' || candidates >= ({ best: 1, nth: 2 }[action as string] ?? 0))
    .map(key => `${key.action === 'nth' ? `1–${candidates}` : key.keys[0]} ${readText(key, about)}`)

/** The first keys that fit into a line of the terminal; the last is `? keys`, which shows all. */
export function keyLine(width: number, about: About = 'rows', candidates = 5): string {
  const texts = keyTexts('terminal', about, candidates)
  const help = texts.pop()!
  while (texts.length > 0 && [...texts, help].join(' · ').length > width) texts.pop()
  return [...texts, help].join(' · ')
}
