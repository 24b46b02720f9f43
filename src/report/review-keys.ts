/** The keys of a review, one table for the page and the terminal. Imports nothing: the page uses it in a browser. */

export type Place = 'page' | 'terminal'

export type KeyAction = 'best' | 'nth' | 'none' | 'later' | 'undo' | 'next' | 'back' | 'all' | 'search' | 'finish'

interface Key {
  readonly action: KeyAction
  /** The first is shown, the others work too. */
  readonly keys: string
  readonly text: string
  readonly only?: Place
}

const KEYS: readonly Key[] = [
  { action: 'best', keys: 'y', text: 'accept the best' },
  { action: 'nth', keys: '123456789', text: 'accept that one' },
  { action: 'none', keys: 'n', text: 'none of these' },
  { action: 'later', keys: 'ls ', text: 'later' },
  { action: 'undo', keys: 'u', text: 'undo' },
  { action: 'next', keys: 'j', text: 'next' },
  { action: 'back', keys: 'kb', text: 'back' },
  { action: 'all', keys: 'a', text: 'accept the best of all shown', only: 'page' },
  { action: 'search', keys: '/', text: 'search', only: 'page' },
  { action: 'finish', keys: 'q', text: 'finish', only: 'terminal' },
]

/** What a key does, null for nothing. `nth` is the number of a candidate from 1. */
export const actionOfKey = (key: string, place: Place): KeyAction | null =>
  KEYS.find(({ keys, only = place }) => only === place && key.length === 1 && keys.includes(key))?.action ?? null

/** `y accept the best · 1–3 accept that one · n none of these …`; without the keys that a row with so few candidates lacks. */
export const keyLine = (place: Place, candidates = 5): string =>
  KEYS.filter(({ action, only = place }) => only === place && candidates >= ({ best: 1, nth: 2 }[action as string] ?? 0))
    .map(({ action, keys, text }) => `${action === 'nth' ? `1–${candidates}` : keys[0]} ${text}`)
    .join(' · ')
