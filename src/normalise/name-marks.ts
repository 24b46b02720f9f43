/**
 * The parts of a company name that distinguish sister companies: numbers, numerals and single letters (`Fund II`, `No. 2`, `1987`, `Block B`),
 * points of the compass, countries, what is in brackets, and the words by which a group names its parts (`Trading`, `Properties`).
 */
import abbreviations from './abbreviations.json' with { type: 'json' }
import { COUNTRY_NAMES, countryNamed } from './country.ts'
import { isNative, splitWords } from './text.ts'

/**
 * The kinds of marks, by the character in front of each. A number or point that one name lacks distinguishes two companies; a letter (a class of
 * shares, a name cut off), a country or a word in brackets only if the other name has a different word.
 */
const [NUMBER, COMPASS, LETTER, COUNTRY, BRACKET, PART] = ['#', '^', '-', '@', '(', '~'] as const
/**
 * A word that distinguishes two companies if one name lacks it: one by which a group names its companies, and what is in brackets in front
 * of the legal form, which is part of the name: `Wines (Newry) Limited`, but not `Wines Limited (invoices)`, nor the initials in `Quillon
 * (QV) Ventilation ApS`.
 */
const DISTINCT = '+'
const { holding, group, services, international, trading, properties } = abbreviations.abbreviations
/** Each word by which a group names its companies, to its usual spelling. */
const GROUP_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({ holding, group, services, international, trading, properties, europe: 'european', uk: '' }).flatMap(
    ([usual, others]) => [usual, ...others.split(' ')].filter(Boolean).map(word => [word, usual]),
  ),
)
/** A name that is not written in Latin letters: it distinguishes nothing, but its words are transliterated. */
const NATIVE = '%'

const NUMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries(abbreviations.abbreviations)
    .filter(([number]) => /^\d+$/.test(number))
    .flatMap(([number, words]) => words.split(' ').map(word => [word, number])),
)
const ROMAN = /^x{0,3}(?:ix|iv|v?i{0,3})$/
const LETTERS: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 }

/** Two to 39 in Roman numerals; single letters are letters but for the last one of a name. */
function romanNumber(word: string): number {
  const values = [...word].map(letter => LETTERS[letter]!)
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0)
}

/** Each word to its points: `northeast` to `north east`. English, German, French, Spanish, Italian, Portuguese, Dutch, Nordic. */
const POINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    north: 'north northern nthn nord norte noord norra nordre',
    south: 'south southern sthn sued zuid syd sodra sondre',
    east: 'east eastern oost ostra ostre',
    west: 'west western ouest oeste ovest vest vestre vastra',
    'north east': 'northeast northeastern nordost',
    'north west': 'northwest northwestern nordwest',
    'south east': 'southeast southeastern sudost',
    'south west': 'southwest southwestern sudwest',
    upper: 'upper',
    lower: 'lower',
  }).flatMap(([points, words]) => words.split(' ').map(word => [word, points])),
)

const NATIONS = new Set(['england', 'scotland', 'wales', 'ulster'])
const SHORT_COUNTRIES = new Set(['uk', 'usa', 'uae'])
const findCountry = (text: string): string =>
  NATIONS.has(text) ? text : text.length > 3 || SHORT_COUNTRIES.has(text) ? countryNamed(text) : ''

const PARTS = new Set(
  'trading properties property investments investment trustees trustee nominees nominee estates leasing treasury pensions pension'.split(
    ' ',
  ),
)

const BRACKETED = /[([]([^()[\]]{1,60})[)\]]/g
/** `DL-,0025`, `EO 1,-`: a par value has numbers that are not part of the name. */
const PAR_VALUE = /\d\s?,|,\s?-?\d|-\s?,/

export const STOP_WORDS: ReadonlySet<string> = new Set(abbreviations.stopWords.split(' '))

/** Words in front of a letter that make it a mark: `Block A Management`. */
const LETTERED = new Set('block unit series class phase tower plot site zone fund house no lot building'.split(' '))

/** The mark of a number, numeral or letter; null for another word. */
function numberMark(words: readonly string[], at: number): string | null {
  const word = words[at]!
  const known = /^[1-9]\d{0,5}$/.test(word) ? word : NUMBERS.get(word)
  if (known !== undefined) return NUMBER + known
  if (word.length > 1) return ROMAN.test(word) ? `${NUMBER}${romanNumber(word)}` : null
  const [before = '', after = ''] = [words[at - 1], words[at + 1]]
  if (!/^[a-z]$/.test(word) || words.length === 1) return null
  // `y`, `e`, `i` and `a` are words of other languages, but not at the end.
  const isWord = after !== '' && !LETTERED.has(before) && (STOP_WORDS.has(word) || 'aeiouy'.includes(word))
  if (isWord || before === 'and' || after === 'and') return null
  if (at > 0 && (after === '' || LETTERED.has(before)) && LETTERS[word] !== undefined) return `${NUMBER}${LETTERS[word]}`
  return LETTER + word
}

/** Words that may be a mark. */
const MARKING: ReadonlySet<string> = new Set([
  ...GROUP_WORDS.keys(),
  ...NUMBERS.keys(),
  ...POINTS.keys(),
  ...PARTS,
  ...NATIONS,
  ...SHORT_COUNTRIES,
  ...COUNTRY_NAMES.filter(name => name.length > 3),
])
const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** Whether a word may be a mark, which few are. */
const mayMark = (word: string): boolean =>
  word.length === 1 || isDigit(word.charCodeAt(0)) || MARKING.has(word) || ROMAN.test(word)

/**
 * The marks of a name as one text, sorted; '' for a name without. `words` are its words in order, without the legal form and not yet
 * spelled out. `hasForm`: its legal form is at the end.
 */
export function nameMarks(text: string, words: readonly string[], hasForm = false): string {
  if (!text.includes('(') && !text.includes('[') && !words.some(mayMark) && !isNative(text)) return ''
  const marks = new Set<string>()
  const hasParValue = PAR_VALUE.test(text)
  if (isNative(text)) marks.add(NATIVE)
  for (const [at, word] of words.entries()) {
    const groupWord = words.length > 1 ? GROUP_WORDS.get(word) : undefined
    if (groupWord !== undefined) marks.add(DISTINCT + groupWord)
    const number = numberMark(words, at)
    const points = POINTS.get(word)
    if (number !== null && !hasParValue) marks.add(number)
    else if (points !== undefined) for (const point of points.split(' ')) marks.add(COMPASS + point)
    else if (PARTS.has(word) && at > 0 && words[at + 1] !== 'as') marks.add(PART + word.slice(0, 6))
    else {
      const country = findCountry(word)
      if (country !== '') marks.add(COUNTRY + country)
    }
  }
  if (text.includes('(') || text.includes('[')) {
    for (const [, inner = ''] of text.matchAll(BRACKETED)) {
      const country = /^[A-Z]{2}$/.test(inner) ? countryNamed(inner.toLowerCase()) : findCountry(inner.trim().toLowerCase())
      if (country !== '') marks.add(COUNTRY + country)
      const inside = splitWords(inner)
      const initials = words.map(word => (inside.includes(word) ? '' : word.charAt(0))).join('')
      for (const word of inside)
        if (word.length > 1 && words.includes(word) && !STOP_WORDS.has(word)) {
          if (country === '') marks.add(BRACKET + word)
          if (hasForm && word !== initials) marks.add(DISTINCT + word)
        }
    }
  }
  return [...marks].sort().join(' ')
}

/**
 * How two names differ in what distinguishes sisters: `2` by a number, letter, point or place, `1` by the word for a part alone, else `0`.
 * If neither has words that the other lacks (`hasOwnWords`), words in brackets and parts are only spelled in another way.
 */
export function marksDiffer(one: string, other: string, hasOwnWords = true): 0 | 1 | 2 {
  if (one === other) return 0
  const [ours, theirs] = [one.split(' '), other.split(' ')]
  const own = ours.filter(mark => mark !== '' && !theirs.includes(mark))
  const known = theirs.filter(mark => mark !== '' && !ours.includes(mark))
  // `Fund` may be `Fund I`, and an `I` at the end the rest of `Inc`.
  const isOneSided = (mark: string): boolean => (mark.startsWith(NUMBER) && mark !== '#1') || mark.startsWith(COMPASS)
  if ([...own, ...known].some(isOneSided)) return 2
  const isPlace = (mark: string): boolean => mark.startsWith(COUNTRY) || (hasOwnWords && mark.startsWith(BRACKET))
  const isLetter = (mark: string): boolean => mark.startsWith(LETTER)
  if ([isPlace, isLetter].some(is => own.some(is) && known.some(is))) return 2
  return [...own, ...known].some(mark => hasOwnWords && mark.startsWith(PART)) ? 1 : 0
}

/** The words without which a name belongs to a different company, by its marks. */
export const distinctWords = (marks: string): string[] =>
  marks.includes(DISTINCT)
    ? marks
        .split(' ')
        .filter(mark => mark.startsWith(DISTINCT))
        .map(mark => mark.slice(1))
    : []

/** It is a word by which a group names its companies, in its usual spelling. */
export const isGroupWord = (word: string): boolean => GROUP_WORDS.get(word) === word

/** Whether one of two names is written in Latin letters and the other is not, by their marks: what agrees was transliterated. */
export const isTransliterated = (one: string, other: string): boolean => one.includes(NATIVE) !== other.includes(NATIVE)

/**
 * Whether no company has both names: one has a number that the other lacks, or each has a point, a country, a word in brackets or a word by
 * which groups name their companies that the other lacks. `letters`: a single letter counts too.
 */
export function marksContradict(left: string, right: string, letters = false): boolean {
  if (left === right) return false
  const [ours, theirs] = [left.split(' '), right.split(' ')]
  const own = ours.filter(mark => mark !== '' && !theirs.includes(mark))
  const known = theirs.filter(mark => mark !== '' && !ours.includes(mark))
  if ([...own, ...known].some(mark => mark.startsWith(NUMBER) && mark !== '#1')) return true
  const kinds = [
    (mark: string) => mark.startsWith(COMPASS),
    (mark: string) => mark.startsWith(COUNTRY) || mark.startsWith(BRACKET),
    (mark: string) => mark.startsWith(DISTINCT) && isGroupWord(mark.slice(1)),
    (mark: string) => letters && mark.startsWith(LETTER),
  ]
  return kinds.some(is => own.some(is) && known.some(is))
}

/** Numerals that are one letter. The one for 1 distinguishes nothing alone. */
const SHORT_NUMERALS = ['#5', '#10']

/**
 * Takes out the marks that are not numerals in a list: where more names have a five than a two, `V` is the rest of a legal form such as `B V`.
 * `all`: the marks of its names.
 */
export function dropFalseNumerals(all: Iterable<string>): (marks: string) => string {
  const counts = new Map(['#2', ...SHORT_NUMERALS].map(mark => [mark, 0]))
  for (const marks of all)
    if (marks.includes(NUMBER)) for (const mark of marks.split(' ')) if (counts.has(mark)) counts.set(mark, counts.get(mark)! + 1)
  const dropped = SHORT_NUMERALS.filter(mark => counts.get(mark)! > counts.get('#2')!)
  return marks =>
    dropped.some(mark => marks.includes(mark))
      ? marks
          .split(' ')
          .filter(mark => !dropped.includes(mark))
          .join(' ')
      : marks
}
