/**
 * Searches what was screened before in the new, changed and gone names alone. A search that they do not concern finds now what it found
 * before: two names are scored by themselves, but for which words of the asked name are words of the lists.
 */
import type { NameChange } from './lists/changes.ts'
import {
  addTo,
  allowedEdits,
  CUT_FROM,
  MOST_EDITS,
  type Name,
  type NameIndex,
  PART,
  RARE,
  readName,
  scoreNames,
} from './names.ts'
import { findSoundScript } from './sounds.ts'
import { listSpellings, type Question, type SearchType, searchSpellings } from './spellings.ts'

/** The letters of a text as bits, and those that are in it twice or more; some digits share a bit. */
function readLetters(text: string): { readonly once: number; readonly twice: number } {
  let [once, twice] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const bit = 1 << (code >= 97 ? code - 97 : 26 + (code % 6))
    twice |= once & bit
    once |= bit
  }
  return { once, twice }
}

function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Names by the number of letters of a form of them, and by their letters: few edits change little of both. */
class LetterGroups {
  readonly #groups: { readonly once: number[]; readonly twice: number[]; readonly names: Name[] }[] = []

  add(text: string, name: Name): void {
    const group = this.#groups[text.length] ?? { once: [], twice: [], names: [] }
    this.#groups[text.length] = group
    const { once, twice } = readLetters(text)
    group.once.push(once)
    group.twice.push(twice)
    group.names.push(name)
  }

  /** Adds to `found` all names with at most `edits` edits, in any order of the letters. */
  collect(text: string, edits: number, found: Name[]): void {
    const { once, twice } = readLetters(text)
    for (let longer = -edits; longer <= edits; longer++) {
      const group = this.#groups[text.length + longer]
      if (group === undefined) continue
      // An edit replaces a letter, or adds or leaves one out, and so changes two bits or one.
      const most = 2 * edits - Math.abs(longer)
      for (let at = 0; at < group.names.length; at++) {
        const different = countBits(once ^ (group.once[at] as number))
        if (different <= most && different + countBits(twice ^ (group.twice[at] as number)) <= most)
          found.push(group.names[at] as Name)
      }
    }
  }
}

/** Letters at the beginning by which names are found that a cut one begins. */
const START = 6

/** The changed names of one type. */
class ChangedNames {
  readonly #isPerson: boolean
  readonly #joined = new LetterGroups()
  readonly #whole = new LetterGroups()
  readonly #starts = new Map<string, Name[]>()
  readonly #words = new Map<string, Name[]>()
  readonly #all: Name[] = []
  /** Words that were not in the lists, or were rare there: names with an error that makes such a word, or with an initial, score less. */
  readonly #gained = new Set<string>()
  /** Words that have left the lists, or are rare there now: such names score more. */
  readonly #lost = new Set<string>()

  constructor(changes: readonly NameChange[], type: SearchType, words: NameIndex['words']) {
    this.#isPerson = type === 'individual'
    const come = new Map<string, number>()
    for (const entry of changes) {
      if (entry.type !== type && entry.type !== 'either') continue
      for (const { text } of listSpellings(entry, this.#isPerson)) {
        const name = readName(text, this.#isPerson)
        this.#add(name)
        for (const word of name.words) come.set(word, (come.get(word) ?? 0) + (entry.isNew ? 1 : -1))
      }
    }
    for (const [word, more] of come) {
      const now = words.get(word) ?? 0
      const before = now - more
      for (const count of this.#isPerson ? [0, RARE] : [0]) {
        if (before <= count && now > count) this.#gained.add(word)
        if (before > count && now <= count) this.#lost.add(word)
      }
    }
  }

  #add(name: Name): void {
    this.#all.push(name)
    this.#joined.add(name.joined, name)
    this.#whole.add(name.whole, name)
    addTo(this.#starts, name.whole.slice(0, START), name)
    for (const word of new Set(name.words)) addTo(this.#words, word, name)
  }

  concern({ name, person, threshold }: Question, hasHits: boolean): boolean {
    // It is found by its consonants too.
    if (findSoundScript(name) !== null) return true
    for (const { text } of searchSpellings(name, person, this.#isPerson)) {
      const asked = readName(text, this.#isPerson)
      // A word that is not known makes a score higher.
      if (this.#near(asked, threshold).some(near => scoreNames(asked, near, this.#isPerson, () => 0) >= threshold)) return true
      for (const words of [asked.words, asked.all])
        for (const word of words) if (this.#lost.has(word) || (hasHits && this.#gained.has(word))) return true
    }
    return false
  }

  /** All names that may score at least `least`: a case for each rule of `scoreNames`. */
  #near(asked: Name, least: number): Name[] {
    const found: Name[] = []
    if (asked.words.length === 0) return found
    // The listed name may have two letters more.
    this.#joined.collect(asked.joined, allowedEdits(asked.joined.length + MOST_EDITS), found)
    this.#whole.collect(asked.whole, MOST_EDITS, found)
    if (asked.length >= CUT_FROM)
      found.push(...(asked.whole.length < START ? this.#all : (this.#starts.get(asked.whole.slice(0, START)) ?? [])))
    // One name has all words of the other, or the same words but for initials.
    if (least <= PART || (this.#isPerson && asked.words.some(word => word.length === 1)))
      for (const word of asked.words) for (const name of this.#words.get(word) ?? []) found.push(name)
    return found
  }
}

/** The changes of lists since an earlier state of them. */
export class Reverse {
  readonly #changed: Readonly<Record<SearchType, ChangedNames>>

  /** `words`: the words of the lists now. */
  constructor(changes: readonly NameChange[], words: Readonly<Record<SearchType, NameIndex['words']>>) {
    this.#changed = {
      individual: new ChangedNames(changes, 'individual', words.individual),
      business: new ChangedNames(changes, 'business', words.business),
    }
  }

  /** Whether a search may find something else than at that state. `hasHits`: whether it found anything. */
  concerns(question: Question, hasHits: boolean): boolean {
    return this.#changed[question.type].concern(question, hasHits)
  }
}
