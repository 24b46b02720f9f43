/** Changes of a name that a screening should survive; `fettle screening verify` and the bench share them. */

/** Null where the change does not apply. `random` returns numbers from 0 to 1. */
type Change = (name: string, random: () => number, isPerson: boolean) => string | null

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const FORM = /(?<![\s,])[\s,]+(?:ltd|limited|llc|inc|co|company|corp|corporation|gmbh|ag|sa|s\.a|plc|fze|llp)\.?$/i
/** Letters that a narrow column holds. */
const COLUMN = 30

const wordsIn = (name: string): string[] =>
  name
    .replaceAll(',', ' ')
    .split(/\s+/)
    .filter(word => word !== '')

const pick = <T>(list: ArrayLike<T>, random: () => number): T => list[Math.floor(random() * list.length)] as T

/** One letter left out, doubled, changed or swapped with the next, in a word of four letters or more. */
function addError(name: string, random: () => number): string | null {
  const places = [...name.matchAll(/\p{L}{4,}/gu)].flatMap(({ index, 0: word }) =>
    Array.from({ length: word.length - 1 }, (_, at) => index + at),
  )
  if (places.length === 0) return null
  const at = pick(places, random)
  const [before, letter, after] = [name.slice(0, at), name[at]!, name.slice(at + 1)]
  const kind = Math.floor(random() * 4)
  if (kind === 0) return before + after
  if (kind === 1) return before + letter + letter + after
  if (kind === 2) return before + pick(LETTERS.replace(letter.toLowerCase(), ''), random) + after
  return before + after[0] + letter + after.slice(1)
}

const ACCENTS: Readonly<Record<string, string>> = {
  ...{ a: 'á', e: 'é', i: 'ï', o: 'ö', u: 'ü', c: 'ç', n: 'ñ' },
  ...{ A: 'Á', E: 'É', I: 'Ï', O: 'Ö', U: 'Ü', C: 'Ç', N: 'Ñ' },
}

const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(' ').map(pair => pair.split(':') as [string, string]))

/** Cyrillic letters as passports write them (ICAO 9303), which differs from the transliteration of the search. */
const PASSPORT = pairs(
  'а:a б:b в:v г:g д:d е:e ё:e ж:zh з:z и:i й:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ъ:ie ы:y ь: э:e ю:iu я:ia і:i ї:i є:ie ґ:g',
)
const CYRILLIC = pairs(
  'shch:щ sh:ш ch:ч zh:ж kh:х gh:г th:т ck:к ts:ц ya:я yu:ю ph:ф a:а b:б c:к d:д e:е f:ф g:г h:х i:и j:дж k:к l:л m:м n:н o:о p:п q:к r:р s:с t:т u:у v:в w:в x:кс y:й z:з',
)
const LATIN_PART = /shch|sh|ch|zh|kh|gh|th|ck|ts|ya|yu|ph|[a-z]/g

/** A Cyrillic name in Latin letters, a Latin one in Cyrillic. */
function transliterate(name: string): string | null {
  const lower = name.toLowerCase()
  if (/^[\p{Script=Cyrillic}\P{L}]+$/u.test(name) && /\p{L}/u.test(name))
    return lower.replace(/\p{Script=Cyrillic}/gu, letter => PASSPORT.get(letter) ?? letter)
  if (!/[a-z]/.test(lower) || /[^\x00-\x7f]/.test(lower)) return null
  return lower.replace(/(?<=[bcdfghjklmnpqrstvwxz])y/g, 'i').replace(LATIN_PART, part => CYRILLIC.get(part) ?? part)
}

/** What a report writes for each. */
export const MEANINGS = {
  unchanged: 'as listed',
  accents: 'other accents',
  order: 'words in reverse',
  legalForm: 'without the legal form',
  oneError: 'one typing error',
  twoErrors: 'two typing errors',
  transliteration: 'in Cyrillic or Latin letters',
  cut30: 'cut off at 30 characters',
  joined: 'two words joined',
  split: 'a word split',
  initial: 'the first name as an initial',
} as const

export type Mutation = keyof typeof MEANINGS

export const MUTATION_NAMES = Object.keys(MEANINGS) as readonly Mutation[]

export const MUTATIONS: Readonly<Record<Mutation, Change>> = {
  unchanged: name => name,
  accents: name => name.replaceAll(/[aeioucn]/gi, letter => ACCENTS[letter] ?? letter),
  order: name => (wordsIn(name).length < 2 ? null : wordsIn(name).reverse().join(' ')),
  legalForm: (name, _random, isPerson) => (isPerson || !FORM.test(name) ? null : name.replace(FORM, '')),
  oneError: addError,
  twoErrors: (name, random) => {
    const once = addError(name, random)
    return once === null || wordsIn(name).join('').length < 8 ? null : addError(once, random)
  },
  transliteration: transliterate,
  cut30: name => (name.length <= COLUMN ? null : name.slice(0, COLUMN)),
  joined: (name, random) => {
    const words = wordsIn(name)
    if (words.length < 2) return null
    const at = Math.floor(random() * (words.length - 1))
    return [...words.slice(0, at), words[at]! + words[at + 1]!, ...words.slice(at + 2)].join(' ')
  },
  split: (name, random) => {
    const words = wordsIn(name)
    const long = words.flatMap((word, at) => (word.length > 6 ? [at] : []))
    if (long.length === 0) return null
    const at = pick(long, random)
    const cut = 3 + Math.floor(random() * (words[at]!.length - 5))
    return words.with(at, `${words[at]!.slice(0, cut)} ${words[at]!.slice(cut)}`).join(' ')
  },
  initial: (name, _random, isPerson) => {
    const { first = '', last = '' } =
      (/^(?<last>[^,]+),(?<first>.+)$/.exec(name) ?? /^(?<first>\S+)\s+(?<last>.+)$/.exec(name.trim()))?.groups ?? {}
    const [letter] = /\p{L}/u.exec(first) ?? []
    return !isPerson || letter === undefined ? null : `${letter} ${last}`
  },
}
