/** The keys of a review, one table for the page and the terminal, for rows and for hits. Imports nothing: the page uses it in a browser. */

export type Place = 'page' | 'terminal'

/** What is decided about. */
export type About = 'rows' | 'hits'

export type KeyAction = 'best' | 'nth' | 'none' | 'later' | 'undo' | 'next' | 'back' | 'all' | 'search' | 'finish' | 'help'

interface Key {
  readonly action: KeyAction
  /** The first is shown, the others work too. */
  readonly keys: string
  readonly text: string
  /** Of a hit; null where it has no such key. */
  readonly ofHit?: string | null
  readonly only?: Place
}

const KEYS: readonly Key[] = [
  { action: 'best', keys: 'y', text: 'accept best', ofHit: 'it is the company' },
  { action: 'nth', keys: '123456789', text: 'that one', ofHit: null },
  { action: 'none', keys: 'n', text: 'none', ofHit: 'it is not' },
  { action: 'later', keys: 'ls ', text: 'later' },
  { action: 'undo', keys: 'u', text: 'undo' },
  { action: 'finish', keys: 'q', text: 'finish', only: 'terminal' },
  { action: 'search', keys: '/', text: 'search', only: 'page' },
  { action: 'search', keys: '/', text: 'search', ofHit: null, only: 'terminal' },
  { action: 'next', keys: 'j', text: 'next' },
  { action: 'back', keys: 'kb', text: 'back' },
  { action: 'all', keys: 'a', text: 'accept the best of all shown', ofHit: null, only: 'page' },
  { action: 'help', keys: '?', text: 'keys' },
]

const keysOf = (place: Place, about: About): readonly Key[] =>
  KEYS.filter(({ ofHit, only = place }) => only === place && !(about === 'hits' && ofHit === null))

/** What a key does, null for nothing. `nth` is the number of a candidate from 1. */
export const actionOfKey = (key: string, place: Place, about: About = 'rows'): KeyAction | null =>
  keysOf(place, about).find(({ keys }) => key.length === 1 && keys.includes(key))?.action ?? null

/** `y accept the best`, one text a key; without the keys that a row with so few candidates lacks. */
export const keyTexts = (place: Place, about: About = 'rows', candidates = 5): string[] =>
  keysOf(place, about)
    .filter(({ action }) => about === 'hits' || candidates >= ({ best: 1, nth: 2 }[action as string] ?? 0))
    .map(
      ({ action, keys, text, ofHit }) =>
        `${action === 'nth' ? `1–${candidates}` : keys[0]} ${(about === 'hits' && ofHit) || text}`,
    )

/** The first keys that fit into a line of the terminal; the last is `? keys`, which shows all. */
export function keyLine(width: number, about: About = 'rows', candidates = 5): string {
  const texts = keyTexts('terminal', about, candidates)
  const help = texts.pop()!
  while (texts.length > 0 && [...texts, help].join(' · ').length > width) texts.pop()
  return [...texts, help].join(' · ')
}
