/**
 * Finds names of screening lists that a name may stand for, and scores each pair. Words come from the normalisation that registers use;
 * unlike the matching of companies, nothing is learned from addresses or numbers: a list has names, so typing errors, order and joined
 * words are judged by letters alone. Candidates share pairs of letters, so no single word has to be right.
 */
import { parseCompanyName, plainWord } from '../../normalise/company-name.ts'
import { splitWords } from '../../normalise/text.ts'
import { findSoundScript, isSyllabic, readSounds, type SoundScript } from './sounds.ts'

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sortWords = (words: readonly string[]): string => [...words].sort(byText).join(' ')

/** A name in the form that is compared. Most names are never compared: what only that needs is made on use. */
export class Name {
  /** Words without legal forms, in their order. */
  readonly words: readonly string[]
  /** All letters without spaces. */
  readonly joined: string
  /** Words and the words of the legal form, which may hold the error. */
  readonly all: readonly string[]
  /** The letters with the legal form, which may be joined to a word (`JSCARGUMENT`). */
  readonly whole: string
  /** Class of the legal form; '' without one. */
  readonly legal: string
  /** Letters of the text as written. */
  readonly length: number
  readonly isSyllabic: boolean
  #sorted: string | null = null
  #allSorted: string | null = null

  constructor(text: string, words: readonly string[], all: readonly string[], legal: string) {
    this.words = words
    this.joined = words.join('')
    this.all = all
    this.whole = all.join('')
    this.legal = legal
    this.length = text.trim().length
    this.isSyllabic = isSyllabic(text)
  }

  /** Words in alphabetical order, as one text. */
  get sorted(): string {
    this.#sorted ??= sortWords(this.words)
    return this.#sorted
  }

  get allSorted(): string {
    this.#allSorted ??= sortWords(this.all)
    return this.#allSorted
  }
}

/** Words that many companies have: a name of nothing else needs its articles and opening legal forms (`SAS International`). */
const COMMON: ReadonlySet<string> = new Set(
  [
    ...['international', 'general', 'global', 'world', 'national', 'universal', 'group', 'holding', 'holdings', 'company'],
    ...['trading', 'trade', 'commercial', 'commerce', 'business', 'enterprise', 'enterprises', 'import', 'export', 'services'],
    ...['service', 'industries', 'industrial', 'industry', 'engineering', 'construction', 'technology', 'technologies'],
    ...['shipping', 'transport', 'logistics', 'marine', 'investment', 'investments', 'development', 'management', 'consulting'],
    ...['capital', 'finance', 'bank', 'energy', 'oil', 'gas', 'petroleum', 'solutions', 'systems', 'production', 'products'],
  ].map(plainWord),
)

function findCore({ words, named }: ReturnType<typeof parseCompanyName>, all: readonly string[]): readonly string[] {
  // A name of nothing but legal forms has to be found, too.
  if (words.length === 0) return all
  return words.every(word => COMMON.has(word)) ? named.map(plainWord) : words
}

export function readName(text: string, isPerson: boolean): Name {
  const all = splitWords(text)
  const company = isPerson ? null : parseCompanyName(text)
  return new Name(text, company === null ? all : findCore(company, all), all, company?.legal ?? '')
}

/** Edits between two texts (a letter added, left out, changed, or two swapped); `most + 1` when there are more than `most`. */
export function countEdits(a: string, b: string, most: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > most) return most + 1
  let start = 0
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let endA = a.length
  let endB = b.length
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  const width = endB - start
  let before: number[] = []
  let last = Array.from({ length: width + 1 }, (_, at) => at)
  for (let row = 1; row <= endA - start; row++) {
    const now = [row]
    let least = row
    const letter = a.charCodeAt(start + row - 1)
    for (let at = 1; at <= width; at++) {
      const other = b.charCodeAt(start + at - 1)
      let cost = Math.min((last[at] ?? 0) + 1, (now[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (letter === other ? 0 : 1))
      const isSwap = row > 1 && at > 1 && letter === b.charCodeAt(start + at - 2) && other === a.charCodeAt(start + row - 2)
      if (isSwap) cost = Math.min(cost, (before[at - 2] ?? 0) + 1)
      now.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    before = last
    last = now
  }
  return Math.min(last[width] ?? most + 1, most + 1)
}

/** Most letters that a column of a narrow list holds; a name of this length may be cut off. */
export const CUT_FROM = 28
/** Edits that a name of this many letters may have. A shorter one has too many neighbours. */
const ONE_EDIT = 4
const TWO_EDITS = 8
/** The same name with another legal form: likely the same group of companies. */
const OTHER_FORM = 90
const JOINED = 96
const CUT = 90
/** For an error in a short word of an organisation, or beside another legal form. */
const DOUBTFUL = 80
const INITIAL = 85
/** The same consonants in another script. */
const SOUNDS = 88
/** One name has all words of the other, and a few more. */
export const PART = 78
/** By the number of edits: below 85 when a wrong word is a word of the lists, and so may be right. */
const EDITED = [99, 94, 88] as const
const EDITED_TO_KNOWN = [99, 86, 78] as const

export const MOST_EDITS = 2
export const allowedEdits = (length: number): number => (length < ONE_EDIT ? 0 : length < TWO_EDITS ? 1 : MOST_EDITS)

/** Letters of a name of an organisation that may have an error: to another word of the lists, and to no other. */
const SHORT_NAME = 7
const SHORTEST_NAME = 5

interface Rest {
  readonly asked: string[]
  readonly listed: string[]
}

/** The words that only one of two names has. */
function restOf(asked: readonly string[], listed: readonly string[]): Rest {
  const open = [...listed]
  const rest = asked.filter(word => {
    const at = open.indexOf(word)
    if (at >= 0) open.splice(at, 1)
    return at < 0
  })
  return { asked: rest, listed: open }
}

interface Changed {
  readonly edits: number
  /** Words of the asked name, and the listed words that they may stand for. */
  readonly changed: readonly string[]
  readonly partners: readonly string[]
}

/** Edits of words that differ, paired so that the sum is small; null when a word has no partner. */
function pairWords({ asked, listed }: Rest, most: number): Changed | null {
  if (asked.length !== listed.length || asked.length > 3) return null
  const open = [...listed]
  const changed: string[] = []
  const partners: string[] = []
  let edits = 0
  for (const word of asked) {
    let [best, cost] = [-1, most - edits + 1]
    for (const [at, other] of open.entries()) {
      const found = countEdits(word, other, Math.min(most - edits, Math.max(1, Math.ceil(other.length / 3))))
      const isWhole = found <= Math.max(1, Math.ceil(other.length / 3))
      if (isWhole && found < cost) [best, cost] = [at, found]
    }
    if (best < 0) return null
    partners.push(...open.splice(best, 1))
    edits += cost
    changed.push(word)
  }
  return { edits, changed, partners }
}

/** A word of at most this many listed names: with it, an initial may leave out a middle name. */
export const RARE = 10

/** Whether initials alone set two names of persons apart, or initials and a middle name, and at least one longer word is the same. */
function areInitials({ asked, listed }: Rest, { words }: Name, countOf: (word: string) => number): boolean {
  const more = listed.length - asked.length
  if (asked.length === 0 || asked.length >= words.length || more < 0 || more > 1) return false
  if (more === 1 && !words.some(word => word.length >= ONE_EDIT && !asked.includes(word) && countOf(word) <= RARE)) return false
  const open = [...listed]
  return asked.every(word => {
    const at = open.findIndex(other => word.length === 1 && other.startsWith(word))
    if (at >= 0) open.splice(at, 1)
    return at >= 0
  })
}

const counts = new Int16Array(128)

function haveSameLetters(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) {
    counts[left.charCodeAt(at) & 127]!++
    counts[right.charCodeAt(at) & 127]!--
  }
  const isSame = counts.every(count => count === 0)
  counts.fill(0)
  return isSame
}

const longer = (a: string, b: string): number => Math.max(a.length, b.length)

/**
 * Whether the changed words, or the names, are too short for an error to be likelier than another name. An error may have left out a letter: the
 * longer of the two counts. One error that makes no other word of the lists is likely one.
 */
function isShort(asked: Name, listed: Name, { edits, changed, partners }: Changed, isOtherWord: boolean): boolean {
  const letters = longer(changed.join(''), partners.join(''))
  const least = edits > 1 || isOtherWord ? SHORT_NAME : SHORTEST_NAME
  return longer(asked.joined, listed.joined) < least || letters < (edits > 1 ? TWO_EDITS - 1 : ONE_EDIT)
}

/** Of a person: a word of two letters is another name rather than an error. */
const isOtherPerson = ({ changed }: Changed): boolean => changed.join('').length < 3

/** 0 to 100. `countOf`: how many listed names have a word of the asked name; then a score may be less. */
export function scoreNames(asked: Name, listed: Name, isPerson: boolean, countOf: (word: string) => number): number {
  const form = asked.legal !== listed.legal && asked.legal !== '' && listed.legal !== '' ? OTHER_FORM : 100
  if (asked.sorted === listed.sorted && asked.sorted !== '') return form
  if (asked.joined === listed.joined || asked.whole === listed.whole) return Math.min(form, JOINED)
  if (asked.allSorted === listed.allSorted) return form
  let best = 0
  const rest = restOf(asked.words, listed.words)
  const most = allowedEdits(Math.max(asked.joined.length, listed.joined.length))
  /** `isForm`: the error is in the legal form, so that the forms differ because of it. */
  const note = (change: Changed, isForm = false): void => {
    const { edits, changed } = change
    if (edits > most) return
    const isOtherWord = changed.some(word => word.length > 1 && countOf(word) > 0)
    const score = (isOtherWord ? EDITED_TO_KNOWN : EDITED)[edits] ?? 0
    const isDoubtfulHere = isPerson
      ? isOtherPerson(change)
      : (form < 100 && !isForm) || isShort(asked, listed, change, isOtherWord)
    const isDoubtful = edits > 0 && (isDoubtfulHere || asked.isSyllabic)
    best = Math.max(best, isDoubtful ? Math.min(score, DOUBTFUL) : score)
  }
  const pairs = pairWords(rest, most)
  if (pairs !== null) note(pairs)
  if (!isPerson) {
    // An error may hide a legal form or a short form of a word (`LIMTED`), so all words are compared too.
    const whole = pairWords(restOf(asked.all, listed.all), most)
    const isOfForm = (word: string): boolean => word.length >= ONE_EDIT && !listed.words.includes(word)
    if (whole !== null) note(whole, whole.edits === 1 && whole.partners.every(isOfForm))
    // Single letters are joined to their neighbours, which differ in another order.
    if (asked.whole.length > 11 && haveSameLetters(asked.whole, listed.whole)) best = Math.max(best, CUT)
  }
  if (rest.asked.length !== rest.listed.length && rest.asked.length < 4) {
    const edits = countEdits(asked.joined, listed.joined, most)
    if (edits <= most) note({ edits, changed: rest.asked, partners: rest.listed })
    // `Bin Ladin Usama` and `Usama Binladin`: joined, and in another order.
    if (rest.asked.length > 0 && rest.asked.join('') === rest.listed.join('')) best = Math.max(best, JOINED)
    else if (rest.asked.length > 0 && rest.asked.length + rest.listed.length < 6) {
      const part = countEdits(rest.asked.join(''), rest.listed.join(''), 1)
      if (part <= 1 && rest.listed.join('').length >= ONE_EDIT) note({ edits: part, changed: rest.asked, partners: rest.listed })
    }
  }
  if (asked.length >= CUT_FROM && asked.length < listed.length && listed.whole.startsWith(asked.whole)) best = Math.max(best, CUT)
  const [shorter, longer] = rest.asked.length === 0 ? [asked, rest.listed] : [listed, rest.asked]
  const isPart = (rest.asked.length === 0 || rest.listed.length === 0) && longer.length < 3
  if (isPart && shorter.words.length > (isPerson ? 1 : 0) && shorter.joined.length > 8) best = Math.max(best, PART)
  if (isPerson && areInitials(rest, asked, countOf)) best = Math.max(best, INITIAL)
  return Math.min(best, form)
}

const GRAMS = 37 * 37
const codeOf = (letter: number): number => (letter >= 97 ? letter - 96 : letter - 21)

/** The pairs of letters of a name, each once, with the edges of its words. */
function gramsOf(words: readonly string[]): number[] {
  const found = new Set<number>()
  for (const word of words) {
    let last = 0
    for (let at = 0; at < word.length; at++) {
      const now = codeOf(word.charCodeAt(at))
      found.add(last * 37 + now)
      last = now
    }
    found.add(last * 37)
  }
  return [...found]
}

const NONE = new Uint32Array()
/**
 * Names that share this many pairs of letters, as a part of the asked name's plus twice a part of both names', are compared letter by
 * letter. Whether a name is found never depends on how many others are near.
 */
const LEAST_SHARE = 0.7

export function addTo<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const items = map.get(key)
  if (items === undefined) map.set(key, [item])
  else items.push(item)
}

/** Names of one kind, in the order of their numbers. */
export class NameIndex {
  readonly #isPerson: boolean
  readonly #texts: readonly string[]
  readonly #names: (Name | undefined)[]
  readonly #postings: Uint32Array[]
  readonly #sizes: Uint16Array
  readonly #shared: Uint16Array
  /** How often each word is in the names. */
  readonly words: ReadonlyMap<string, number>
  /** Numbers of the names with the same words, in any order. */
  readonly #same = new Map<string, number[]>()
  /** Numbers of the names with the same letters. */
  readonly #letters = new Map<string, number[]>()
  /** Numbers of the names by their consonants: made for the first name in such a script. */
  readonly #sounds = new Map<SoundScript, ReadonlyMap<string, readonly number[]>>()

  constructor(texts: readonly string[], isPerson: boolean) {
    this.#isPerson = isPerson
    this.#texts = texts
    this.#names = new Array(texts.length)
    this.#sizes = new Uint16Array(texts.length)
    this.#shared = new Uint16Array(texts.length)
    const words = new Map<string, number>()
    const postings = Array.from({ length: GRAMS }, (): number[] => [])
    for (const [at, text] of texts.entries()) {
      const name = readName(text, isPerson)
      for (const word of name.words) words.set(word, (words.get(word) ?? 0) + 1)
      addTo(this.#same, name.sorted, at)
      addTo(this.#letters, name.whole, at)
      const grams = gramsOf(name.words)
      this.#sizes[at] = grams.length
      for (const gram of grams) postings[gram]?.push(at)
    }
    this.words = words
    this.#postings = postings.map(numbers => Uint32Array.from(numbers))
  }

  /** The names that score at least `least`, by number. */
  find(text: string, least: number): { number: number; score: number }[] {
    const asked = readName(text, this.#isPerson)
    const alike = new Set(this.#soundAlike(text))
    return [...new Set([...this.#candidates(asked), ...alike])]
      .map(number => {
        const score = scoreNames(asked, this.#nameAt(number), this.#isPerson, word => this.words.get(word) ?? 0)
        return { number, score: alike.has(number) ? Math.max(score, SOUNDS) : score }
      })
      .filter(({ score }) => score >= least)
  }

  #soundAlike(text: string): readonly number[] {
    const script = findSoundScript(text)
    const asked = script && readSounds(text, script)
    if (script === null || asked === null) return []
    const sounds = this.#sounds.get(script) ?? this.#indexSounds(script)
    this.#sounds.set(script, sounds)
    return sounds.get(asked) ?? []
  }

  #indexSounds(script: SoundScript): ReadonlyMap<string, readonly number[]> {
    const sounds = new Map<string, number[]>()
    for (const [number, listed] of this.#texts.entries()) addTo(sounds, readSounds(listed, script) ?? '', number)
    return sounds
  }

  #nameAt(number: number): Name {
    const name = this.#names[number] ?? readName(this.#texts[number] ?? '', this.#isPerson)
    this.#names[number] = name
    return name
  }

  #candidates(asked: Name): Set<number> {
    if (asked.words.length === 0) return new Set()
    const found = new Set([...(this.#same.get(asked.sorted) ?? []), ...(this.#letters.get(asked.whole) ?? [])])
    const grams = gramsOf(asked.words)
    const shared = this.#shared
    for (const gram of grams) {
      const numbers = this.#postings[gram] ?? NONE
      for (let at = 0; at < numbers.length; at++) shared[numbers[at] as number]!++
    }
    for (let number = 0; number < shared.length; number++) {
      const count = shared[number] as number
      if (count === 0) continue
      shared[number] = 0
      const both = grams.length + (this.#sizes[number] as number)
      if (count / grams.length + (2 * count) / both >= LEAST_SHARE) found.add(number)
    }
    return found
  }
}
