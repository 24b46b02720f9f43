/**
 * A company name to what is compared: its core words, its legal form's class, its initials. Knows the tables of legal forms
 * and abbreviations; knows no other name.
 */
import abbreviations from './abbreviations.json' with { type: 'json' }
import legalForms from './legal-forms.json' with { type: 'json' }
import { withoutMarketSuffix } from './market-suffixes.ts'
import { splitWords } from './text.ts'

/** Classes of legal forms. Two classes agree or contradict, except `weak`: "a company" without its kind. */
export type LegalClass =
  | 'private'
  | 'public'
  | 'corporation'
  | 'llc'
  | 'partnership'
  | 'cooperative'
  | 'nonprofit'
  | 'state'
  | 'weak'

/** A name as it is compared. */
export interface ParsedCompanyName {
  /** Core words: without legal form and stop words, abbreviations spelled out. Empty for a text that holds no name. */
  readonly words: readonly string[]
  /** Class of the legal form; null when the name shows none. */
  readonly legal: LegalClass | null
}

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
const STOP_WORDS: ReadonlySet<string> = new Set(abbreviations.stopWords.split(' '))
const CUT_FORMS = ['limited', 'corporation', 'incorporated', 'company', 'aktiengesellschaft']
const LONGEST_FORM = Math.max(...[...FORMS.keys()].map(form => form.split(' ').length))
/** More words than this do not make a name clearer; what follows is not compared. */
const MOST_WORDS = 24

/** `Limite`, `Corpora`: a form that a column too narrow has cut off. */
const isCutForm = (word: string): boolean => word.length > 3 && CUT_FORMS.some(form => form.startsWith(word))

/** Length in words of the legal form that the words end with, leaving at least one word before it; 0 for none. */
function formAtEnd(list: readonly string[]): number {
  const last = list.at(-1)
  if (last === undefined) return 0
  if (!LAST_WORDS.has(last)) return list.length > 1 && isCutForm(last) ? 1 : 0
  for (let size = Math.min(LONGEST_FORM, list.length - 1); size > 0; size--) {
    if (FORMS.has(list.slice(-size).join(' '))) return size
  }
  return 0
}

/** The same at the start of the words. */
function formAtStart(list: readonly string[]): number {
  const first = list[0]
  if (first === undefined || !FIRST_WORDS.has(first)) return 0
  for (let size = Math.min(LONGEST_FORM, list.length - 1); size > 0; size--) {
    if (LEADING.has(list.slice(0, size).join(' '))) return size
  }
  return 0
}

/** `ADYEN NV ADYEN`, `LOGITECH INTERNATIONAL SA LOGIT`: a feed's short name repeated behind the legal form goes. */
function withoutEcho(list: string[]): string[] {
  const first = list[0]
  if (first === undefined) return list
  const echo = list.findIndex((word, at) => at > 1 && word.length > 1 && first.startsWith(word) && FORMS.has(list[at - 1] ?? ''))
  return echo < 0 ? list : list.slice(0, echo)
}

/** `wuerttemberg` and `wurttemberg`: both ways of writing an umlaut become one. */
export const collapseUmlauts = (word: string): string => word.replace(/([aou])e/g, '$1')

/** Reads a name. Never throws; a text of punctuation, an empty one or one over 500 characters has no words. */
export function parseCompanyName(text: string): ParsedCompanyName {
  const clean = text.length > 3 ? withoutMarketSuffix(text) : text
  const all = withoutEcho(splitWords(clean)).slice(0, MOST_WORDS)
  let list = all
  let legal: LegalClass | null = null
  const note = (form: string): void => {
    const kind = FORMS.get(form) ?? null
    if (kind !== null && (legal === null || legal === 'weak')) legal = kind
  }
  for (let size = formAtEnd(list); size > 0; size = formAtEnd(list)) {
    note(list.slice(-size).join(' '))
    list = list.slice(0, -size)
  }
  const opening = formAtStart(list)
  if (opening > 0) {
    note(list.slice(0, opening).join(' '))
    list = list.slice(opening)
  }
  const core: string[] = []
  for (const [at, word] of list.entries()) {
    if (at > 0 && MIDDLE.has(word)) note(word)
    else {
      const full = ABBREVIATIONS.get(word) ?? word
      if (!STOP_WORDS.has(full)) core.push(collapseUmlauts(full))
    }
  }
  // `The Company`, `Limited`: nothing is left, so what was taken for form or filling is the name.
  if (core.length > 0) return { words: core, legal }
  const telling = all.filter(word => !STOP_WORDS.has(word) || FORMS.has(word))
  return { words: (telling.length > 0 ? telling : all).map(collapseUmlauts), legal: null }
}
