/**
 * Placeholders of the same shape: each word and number of a text is replaced by a different one of the same length and the same kinds of
 * characters. It is a permutation under a key, so equal texts stay equal, different ones different, and no table is kept.
 */
import { createHmac } from 'node:crypto'

/** The placeholder of a text. */
export type Placeholder = (text: string) => string

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(1900, 0, 1)
const DAYS = Math.round((Date.UTC(2100, 0, 1) - FIRST_DAY) / DAY_MS)
/** A date, with its time of day if it has one, or a run of letters, marks and digits. */
const TOKEN =
  /(?<![\p{L}\p{N}])(?<date>(?:19|20)\d\d-\d\d-\d\d)(?:(?<time>[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?)|(?!\p{N}))|[\p{L}\p{M}\p{N}]+/gu

/** Up to this size a permutation is a shuffled table; above it a Feistel network. */
const TABLE = 4096
const ROUNDS = 4
const MOST_CACHED = 100_000

const DIGITS = [...'0123456789']

/** A letter with one other form, as long as itself. */
const isLower = (letter: string): boolean => {
  const upper = letter.toUpperCase()
  const isAsLong = [...upper].length === 1 && Buffer.byteLength(upper) === Buffer.byteLength(letter)
  return upper !== letter && upper.toLowerCase() === letter && isAsLong
}

const isUpper = (letter: string): boolean => letter !== letter.toLowerCase() && isLower(letter.toLowerCase())

const findKind = (character: string): string => {
  if (isLower(character)) return 'lower'
  if (/\p{L}/u.test(character)) return isUpper(character) ? 'upper' : 'letter'
  return /\p{M}/u.test(character) ? 'mark' : 'number'
}

/** Codes that have a name and do not belong to a country: unions, parts of countries, reserved ones. */
const NO_COUNTRIES = new Set(['ac', 'cp', 'cq', 'dg', 'ea', 'eu', 'ez', 'ic', 'qo', 'ta', 'un', 'xa', 'xb', 'xk', 'zz'])

/** Codes of countries stay codes of countries, so that a list with them is still one. */
function readCountries(): ReadonlySet<string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const isCountry = (pair: string): boolean => {
    const code = pair.toUpperCase()
    // A code of earlier days is written as the one that followed it.
    const isPresent = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`
    return isPresent && names.of(code) !== undefined && !NO_COUNTRIES.has(pair)
  }
  return new Set(letters.flatMap(first => letters.map(second => first + second)).filter(isCountry))
}

class Placeholders {
  readonly #key: Uint8Array
  readonly #cache = new Map<string, string>()
  readonly #alphabets = new Map<string, readonly string[]>()
  readonly #tables = new Map<string, readonly number[]>()
  #countries: ReadonlySet<string> | null = null

  constructor(key: Uint8Array) {
    this.#key = key
  }

  replace(text: string): string {
    return text.replace(TOKEN, (token: string, date: string | undefined, time = '') => {
      if (date === undefined) return this.#replaceToken(token)
      const replaced = this.#replaceDate(date)
      if (replaced !== null) return replaced + time.replace(/\d/g, '0')
      return token.replace(/[\p{L}\p{M}\p{N}]+/gu, word => this.#replaceToken(word))
    })
  }

  #draw(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex')
  }

  /** The characters of a kind among the 128 around it: they are as long in UTF-8 and in UTF-16. */
  #findAlphabet(character: string): readonly string[] {
    if (/[0-9]/.test(character)) return DIGITS
    const kind = findKind(character)
    const block = character.codePointAt(0)! >> 7
    const name = `${kind} ${block}`
    let alphabet = this.#alphabets.get(name)
    if (alphabet === undefined) {
      const all = Array.from({ length: 128 }, (_, at) => String.fromCodePoint(block * 128 + at))
      alphabet = all.filter(letter => /[\p{L}\p{M}\p{N}]/u.test(letter) && !/[0-9]/.test(letter) && findKind(letter) === kind)
      this.#alphabets.set(name, alphabet)
    }
    return alphabet
  }

  #findTable(size: number, domain: string): readonly number[] {
    const name = `${domain} ${size}`
    let table = this.#tables.get(name)
    if (table === undefined) {
      const order = Array.from({ length: size }, (_, at) => ({ at, by: this.#draw(`table ${name} ${at}`) }))
      table = order.sort((a, b) => (a.by < b.by ? -1 : 1)).map(({ at }) => at)
      this.#tables.set(name, table)
    }
    return table
  }

  /** The place of `value` in a permutation of the numbers below `size`. */
  #permute(value: bigint, size: bigint, domain: string): bigint {
    if (size <= TABLE) return BigInt(this.#findTable(Number(size), domain)[Number(value)]!)
    const half = BigInt(Math.ceil(size.toString(2).length / 2))
    const mask = (1n << half) - 1n
    let found = value
    do {
      let [left, right] = [found >> half, found & mask]
      for (let round = 0; round < ROUNDS; round++) {
        const drawn = BigInt(`0x${this.#draw(`${domain} ${size} ${round} ${right}`)}`) & mask
        ;[left, right] = [right, left ^ drawn]
      }
      found = (left << half) | right
    } while (found >= size)
    return found
  }

  #replaceAll(characters: readonly string[], places: readonly (readonly string[])[], domain: string): string {
    const size = places.reduce((product, alphabet) => product * BigInt(alphabet.length), 1n)
    const value = characters.reduce(
      (sum, character, at) => sum * BigInt(places[at]!.length) + BigInt(places[at]!.indexOf(character)),
      0n,
    )
    let rest = this.#permute(value, size, domain)
    const replaced: string[] = []
    for (const alphabet of places.toReversed()) {
      replaced.unshift(alphabet[Number(rest % BigInt(alphabet.length))]!)
      rest /= BigInt(alphabet.length)
    }
    return replaced.join('')
  }

  /** Zeros in front stay, so that a padded number and the number itself remain the same number. */
  #replaceDigits(digits: string): string {
    const number = digits.replace(/^0+/, '')
    const zeros = digits.slice(0, digits.length - number.length)
    if (number === '') return digits
    const places = [...number].map((_, at) => (at === 0 ? DIGITS.slice(1) : DIGITS))
    return zeros + this.#replaceAll([...number], places, 'number')
  }

  #isCountry(word: string): boolean {
    this.#countries ??= readCountries()
    return this.#countries.has(word)
  }

  /** Upper and lower case of a word have one placeholder, in the case of each. */
  #replaceWord(word: string): string {
    const lower = [...word].map(character => {
      const small = character.toLowerCase()
      return isLower(small) && small.toUpperCase() === character ? small : character
    })
    const places = lower.map(character => this.#findAlphabet(character))
    const domain = places.map(alphabet => alphabet[0]).join('')
    let replaced = this.#replaceAll(lower, places, domain)
    if (/^[a-z]{2}$/.test(lower.join('')))
      while (this.#isCountry(replaced) !== this.#isCountry(lower.join('')))
        replaced = this.#replaceAll([...replaced], places, domain)
    return [...replaced].map((character, at) => (lower[at] === [...word][at] ? character : character.toUpperCase())).join('')
  }

  #replaceDate(date: string): string | null {
    const at = Date.parse(`${date}T00:00:00Z`)
    if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(date)) return null
    const day = Number(this.#permute(BigInt((at - FIRST_DAY) / DAY_MS), BigInt(DAYS), 'date'))
    return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)
  }

  #replaceToken(token: string): string {
    const known = this.#cache.get(token)
    if (known !== undefined) return known
    const replaced = /^[0-9]+$/.test(token) ? this.#replaceDigits(token) : this.#replaceWord(token)
    if (this.#cache.size < MOST_CACHED) this.#cache.set(token, replaced)
    return replaced
  }
}

/** Placeholders under a key: the same key gives the same ones, also in another process. */
export function createPlaceholders(key: Uint8Array): Placeholder {
  const placeholders = new Placeholders(key)
  return text => placeholders.replace(text)
}
