/**
 * Parses a company name into core words and the class of its legal form. legal-forms.json has the forms in normalised spelling by
 * region and class, in the manner of GLEIF's ELF list; abbreviations.json maps short forms, spelling pairs and number words to
 * one spelling. The suffixes that exchanges, brokers and filing systems append go: `DL-,0025`, `O.N.`, `ADR`, `Common Stock`, `/MD/`.
 */
import abbreviations from './abbreviations.json' with { type: 'json' }
import legalForms from './legal-forms.json' with { type: 'json' }
import { nameMarks, STOP_WORDS } from './name-marks.ts'
import { isNative, MAX_TEXT, splitWords, withoutNativeForms } from './text.ts'

const END = '[\\s.)]*$'

/** Suffixes by themselves. Each is anchored at the end and applied to the last characters only, so it stays linear. */
const STRONG: readonly RegExp[] = [
  // par value: currency letters before a figure, `EO 1`, `DL-,001`, `RP100`
  new RegExp(
    `[\\s.,-](?:DL|EO|LS|HD|YC|YN|SF|SK|NK|DK|CD|AD|RP|ZY|BA|KC|UH|SD|ND|RC|TB|SG|IR|LT|RB|RS|PP|UF|TN|TA|PS|PT|MX|AP|TL)\\s{0,2}-?\\s{0,2}[,.]?\\d[\\d.,/]*${END}`,
    'i',
  ),
  new RegExp(`[\\s.]O\\.\\s?N${END}`, 'i'),
  new RegExp(
    `[\\s-](?:common (?:stock|shares)|ordinary shares|(?:american )?depositary (?:shares|receipts)|registered shares|ord(?:\\.|inary)? sh?s?|ord|drn|cdi|npv|regs|reg s)${END}`,
    'i',
  ),
  new RegExp(`[\\s.](?:sp\\.? ?|u|uns\\.?)?(?:adr|ads|gdr|adrs|gdrs)(?:\\s?/?\\s?[\\d,.]+)?${END}`, 'i'),
  new RegExp(`\\s(?:class|cl\\.?) ?[a-h]${END}`, 'i'),
  new RegExp(`[\\s.]cert\\.? of shs${END}`, 'i'),
  new RegExp(`\\s\\(new${END}`, 'i'),
  // the filer's state or country: `/MD/`, `\\UK`, `/Cayman Islands/`
  /\s{0,3}[/\\][a-z][a-z. ]{1,18}[/\\]?\s{0,3}$/i,
]

/** Suffixes only before a strong one: `NA O.N.`, `INH. EO 1`, `H YC 1`, `CL.A DL-001`. */
const WEAK = new RegExp(
  `[\\s.](?:na|nam|nom|inh|act\\.?nom|act\\.?nouv|vz|vzo|st|sp|pfd|pref|regs?|reg\\.? ?s|cva|gdr|new|cons|cl\\.? ?[a-c])${END}|\\s[a-h]-?${END}`,
  'i',
)

/** Any of them, in one pass: most names have none. */
const ANY = new RegExp(STRONG.map(({ source }) => source).join('|'), 'i')

export function withoutMarketSuffix(name: string): string {
  let rest = name
  let found = false
  for (let round = 0; round < 4; round++) {
    const start = Math.max(0, rest.length - 40)
    const end = rest.slice(start)
    const strong = ANY.test(end) ? STRONG.map(pattern => end.search(pattern)).find(at => at >= 0) : undefined
    const tail = strong ?? (found ? end.search(WEAK) : -1)
    if (tail < 0 || start + tail < 2) return rest
    rest = rest.slice(0, start + tail)
    found = true
  }
  return rest
}

/**
 * Classes of legal forms. Two classes agree or contradict, except `weak`: "a company" without its kind. `gmbh` and `ag` are the private and
 * public companies of Western Europe; `private` and `public` are Ltd, PLC and what is translated as these.
 */
export type LegalClass =
  | 'private'
  | 'public'
  | 'gmbh'
  | 'ag'
  | 'corporation'
  | 'llc'
  | 'partnership'
  | 'cooperative'
  | 'nonprofit'
  | 'state'
  | 'weak'

export interface ParsedCompanyName {
  /** Core words: without legal form and stop words, abbreviations spelled out. Empty for a text without a name. */
  readonly words: readonly string[]
  /** All words but the legal form at the end, as written: also those that `words` leaves out, which may be a name. */
  readonly named: readonly string[]
  /** Class of the legal form; null when the name shows none. */
  readonly legal: LegalClass | null
  /** What distinguishes the company from its sisters, as one text (name-marks.ts). */
  readonly marks: string
  /** It ends in the suffix of an exchange, whose lists cut names off. */
  readonly hasMarketSuffix: boolean
}

/** Forms by which companies of a country are named; others, such as llc, are used everywhere. */
const LAWS: Readonly<Partial<Record<LegalClass, string>>> = {
  private: 'British',
  public: 'British',
  corporation: 'American',
  gmbh: 'continental',
  ag: 'continental',
}

/** Whether no company has both forms: it may change from a Ltd to a PLC, but not from an Inc. to a GmbH. */
export const areOfTwoLaws = (one: LegalClass, other: LegalClass): boolean =>
  LAWS[one] !== undefined && LAWS[other] !== undefined && LAWS[one] !== LAWS[other]

/** Legal form to its class. A form of several regions has the class of the first. */
const FORMS: ReadonlyMap<string, LegalClass> = new Map(
  Object.values(legalForms.closing)
    .flatMap(region => Object.entries(region))
    .reverse()
    .flatMap(([kind, forms]) => forms.split('|').map(form => [form, kind as LegalClass])),
)
const LAST_WORDS: ReadonlySet<string> = new Set([...FORMS.keys()].map(form => form.slice(form.lastIndexOf(' ') + 1)))
const LEADING: ReadonlySet<string> = new Set(legalForms.leading.split('|'))
const FIRST_WORDS: ReadonlySet<string> = new Set([...LEADING].map(form => form.split(' ', 1)[0] ?? ''))
const MIDDLE: ReadonlySet<string> = new Set(legalForms.middle.split('|'))
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(abbreviations.abbreviations).flatMap(([to, from]) => from.split(' ').map(word => [word, to])),
)
/** Words that have short forms, as they may be misspelt. */
export const LONG_WORDS: readonly string[] = [...new Set([...ABBREVIATIONS].flat())].filter(word => word.length > 7)
/** The one spelling of a word: `distribution` and `distrib` are one. */
export const plainWord = (word: string): string => collapseUmlauts(ABBREVIATIONS.get(word) ?? word)
const CUT_FORMS = ['limited', 'corporation', 'incorporated', 'company', 'aktiengesellschaft']
const LONGEST_FORM = Math.max(...[...FORMS.keys()].map(form => form.split(' ').length))
/** Further words do not distinguish a name and are ignored. */
const MAX_WORDS = 24

/** `Limite`, `Corpora`: a form cut off by a narrow column. */
const isCutForm = (word: string): boolean => word.length > 3 && CUT_FORMS.some(form => form.startsWith(word))

/** Number of words of the legal form at the end, with at least one word before it; 0 without a form. */
function formAtEnd(words: readonly string[]): number {
  const last = words.at(-1)
  if (last === undefined) return 0
  if (!LAST_WORDS.has(last)) return words.length > 1 && isCutForm(last) ? 1 : 0
  for (let size = Math.min(LONGEST_FORM, words.length - 1); size > 0; size--) {
    if (FORMS.has(words.slice(-size).join(' '))) return size
  }
  return 0
}

function formAtStart(words: readonly string[]): number {
  const first = words[0]
  if (first === undefined || !FIRST_WORDS.has(first)) return 0
  for (let size = Math.min(LONGEST_FORM, words.length - 1); size > 0; size--) {
    if (LEADING.has(words.slice(0, size).join(' '))) return size
  }
  return 0
}

/** A word that may end a legal form: `limited`, `spa`. */
export const isLegalWord = (word: string): boolean => LAST_WORDS.has(word)

/** Whether a name ends with a legal form. */
export const hasFormAtEnd = (text: string): boolean => formAtEnd(splitWords(text)) > 0

/** `ADYEN NV ADYEN`, `LOGITECH INTERNATIONAL SA LOGIT`: removes a feed's short name repeated after the legal form. */
function withoutEcho(words: string[]): string[] {
  const first = words[0]
  if (first === undefined) return words
  const echo = words.findIndex(
    (word, at) => at > 1 && word.length > 1 && first.startsWith(word) && FORMS.has(words[at - 1] ?? ''),
  )
  return echo < 0 ? words : words.slice(0, echo)
}

/** `Boeing Company (The)`: the article hides the legal form. */
const withoutLastArticle = (words: string[]): string[] =>
  words.length > 1 && words.at(-1) === 'the' ? words.slice(0, -1) : words

/** `C0mmercial`: a zero between letters is an o. */
const withoutZeros = (word: string): string => (word.includes('0') ? word.replace(/(?<=[a-z])0(?=[a-z])/g, 'o') : word)

/** `wuerttemberg` and `wurttemberg`: maps both spellings of an umlaut to one. */
export const collapseUmlauts = (word: string): string => (/[aou]e/.test(word) ? word.replace(/([aou])e/g, '$1') : word)

/**
 * Whether a word of the name is cut off: a full stop stands behind a word of three letters or more that is not a legal form (`NORTHERN STAR
 * RES.LTD.`).
 */
export function hasCutWord(text: string): boolean {
  if (text.length > MAX_TEXT || !text.includes('.')) return false
  for (const [, word = ''] of text.toLowerCase().matchAll(/(?<!\p{L})(\p{L}{3,})\./gu)) if (!LAST_WORDS.has(word)) return true
  return false
}

/** Never throws; an empty text, one of punctuation or one over 500 characters has no words. */
export function parseCompanyName(text: string): ParsedCompanyName {
  const native = isNative(text) && text.length <= MAX_TEXT ? withoutNativeForms(text) : null
  const written = native?.rest ?? text
  const clean = written.length > 3 ? withoutMarketSuffix(written) : written
  const hasMarketSuffix = clean !== written
  const all = withoutLastArticle(withoutEcho(splitWords(clean).map(withoutZeros))).slice(0, MAX_WORDS)
  let words = all
  let legal: LegalClass | null = null
  const noteKind = (kind: LegalClass | null): void => {
    if (kind !== null && (legal === null || legal === 'weak')) legal = kind
  }
  const note = (form: string): void => noteKind(FORMS.get(form) ?? null)
  for (const kind of native?.kinds ?? []) noteKind(kind as LegalClass)
  for (let size = formAtEnd(words); size > 0; size = formAtEnd(words)) {
    note(words.slice(-size).join(' '))
    words = words.slice(0, -size)
  }
  const hasForm = words.length < all.length
  const named = words
  const opening = formAtStart(words)
  if (opening > 0) {
    note(words.slice(0, opening).join(' '))
    words = words.slice(opening)
  }
  const marks = nameMarks(clean, words, hasForm)
  const core: string[] = []
  for (const [at, word] of words.entries()) {
    if (at > 0 && MIDDLE.has(word)) note(word)
    else {
      const full = ABBREVIATIONS.get(word) ?? word
      if (!STOP_WORDS.has(full)) core.push(collapseUmlauts(full))
    }
  }
  // `The Company`, `Limited`: the name consists of legal forms and stop words alone.
  if (core.length > 0) return { words: core, named, legal, marks, hasMarketSuffix }
  const significant = all.filter(word => !STOP_WORDS.has(word) || FORMS.has(word))
  const left = significant.length > 0 ? significant : all
  return { words: left.map(collapseUmlauts), named: all, legal: null, marks: '', hasMarketSuffix }
}
