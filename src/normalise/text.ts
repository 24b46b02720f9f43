/**
 * Normalises text to lower-case words of a–z and 0–9. Every expression is linear in the length of the text. Names in other scripts get one
 * form of each character, and their legal forms are found without a space around them. Transliteration itself is any-ascii's: Chinese
 * characters become their Mandarin reading, also in Japanese names.
 */
import anyAscii from 'any-ascii'
import legalForms from './legal-forms.json' with { type: 'json' }

/** Longer cells are neither names nor addresses and have no words (goal: any input is matched within 50 ms). */
export const MAX_TEXT = 500

const DOT = 46
const MARKS = /['`&+]/
const NOT_ASCII = /[^\x00-\x7f]/

const isLetter = (word: string): boolean => word.length === 1 && word >= 'a' && word <= 'z'

/** `s.p.a` to `spa`, `pharmaceut.gr` to two words: dots join single letters and separate other words. */
function splitDots(word: string): string[] {
  const parts = word.split('.').filter(part => part !== '')
  return parts.length > 1 && parts.every(part => part.length === 1) ? [parts.join('')] : parts
}

/**
 * The words of a text without accents, case and punctuation. Other scripts are transliterated, `&` and `+` become `and`, apostrophes
 * are removed, dotted and spaced initials are joined (`S. p. A.` is `spa`). A text over MAX_TEXT characters has no words.
 */
export function splitWords(text: string): string[] {
  if (text.length > MAX_TEXT) return []
  const ascii = NOT_ASCII.test(text) ? anyAscii(unifyScript(text)) : text
  const lower = ascii.toLowerCase()
  const plain = MARKS.test(lower) ? lower.replace(/['`]+/g, '').replace(/[&+]/g, ' and ') : lower
  const found: string[] = []
  let initials = ''
  const note = (word: string): void => {
    if (isLetter(word)) {
      initials += word
      return
    }
    if (initials !== '') found.push(initials)
    initials = ''
    if (word !== '') found.push(word)
  }
  let start = -1
  let hasDot = false
  for (let at = 0; at <= plain.length; at++) {
    const code = at < plain.length ? plain.charCodeAt(at) : 0
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === DOT) {
      if (start < 0) start = at
      if (code === DOT) hasDot = true
    } else if (start >= 0) {
      const piece = plain.slice(start, at)
      if (hasDot) for (const word of splitDots(piece)) note(word)
      else note(piece)
      start = -1
      hasDot = false
    }
  }
  note('')
  return found
}

export const normaliseText = (text: string): string => splitWords(text).join(' ')

/** A letter of a script that is neither Latin nor a part of one. */
const NATIVE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Georgian}\p{Script=Armenian}\p{Script=Devanagari}]/u

/** Characters below this are Latin letters and their accents. */
const FIRST_NATIVE = 0x370

/** Whether a name has letters that have to be transliterated. */
export function isNative(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= FIRST_NATIVE) return NATIVE.test(text)
  return false
}

/** Accents of Latin, Greek and Cyrillic letters, points of Hebrew and Arabic: marks that a list may leave out. Marks of other scripts are letters. */
const ACCENTED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*/gu
const POINTS = /(?<=[\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+/gu
const BETWEEN_KANA_AND_HAN = /(?<=\p{Script=Katakana}ー?)(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\p{Script=Katakana})/gu

const plainLetter = (letter: string): string => letter.normalize('NFKD').replace(/\p{M}+/gu, '')

/** `Ã¼`: two bytes of UTF-8 that were read as Latin-1. */
const MOJIBAKE = /[ÂÃ][\x80-\xbf]/
/** Then no character is of another code page. */
const NOT_LATIN_1 = /[^\x00-\xff]/

/** `MÃ¼ller` is `Müller`; other text is unchanged. */
function withoutMojibake(text: string): string {
  if (!MOJIBAKE.test(text) || NOT_LATIN_1.test(text)) return text
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return decoded.includes('\ufffd') ? text : decoded
}

/**
 * Text with one form of each character: full and half width, ligatures and circled forms (`㈱`) become plain ones (NFKC), accents go, and
 * Katakana is parted from Chinese characters, since it is a separate word (`トヨタ自動車`).
 */
function unifyScript(text: string): string {
  if (!isNative(text))
    return withoutMojibake(text)
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
  return text.normalize('NFKC').replace(ACCENTED, plainLetter).replace(POINTS, '').replace(BETWEEN_KANA_AND_HAN, ' ')
}

type Form = readonly [form: string, kind: string]

/** Forms as unified text, the longest first, so that `股份有限公司` is not read as `有限公司`. */
const readForms = (table: Readonly<Record<string, string>>): Form[] =>
  Object.entries(table)
    .flatMap(([kind, forms]) => forms.split('|').map(form => [unifyScript(form), kind] as const))
    .sort((a, b) => b[0].length - a[0].length)

/** Written without spaces: they stand at either end, and the longer ones also in front of a branch. */
const JOINED = readForms(legalForms.native.joined)
/** Words between spaces. */
const SPACED = readForms(legalForms.native.spaced)
const LONG_FORM = 4

/** Takes the legal forms of a native script out of a name. Gives the rest and the class of each form, as they stand in legal-forms.json. */
export function withoutNativeForms(text: string): { readonly rest: string; readonly kinds: readonly string[] } {
  let rest = unifyScript(text).trim()
  const kinds: string[] = []
  // A name that consists of its legal form keeps it.
  if (JOINED.some(([form]) => form === rest)) return { rest, kinds }
  const take = (kind: string, shorter: string): void => {
    const name = shorter.replace(/^[\s,、・()]+|[\s,、・(]+$/gu, '')
    if (name === '') return
    rest = name
    kinds.push(kind)
  }
  for (const [form, kind] of JOINED) {
    const at = rest.indexOf(form)
    if (at < 0) continue
    const isAtEnd = at === 0 || at + form.length === rest.length
    if (isAtEnd || form.length >= LONG_FORM) take(kind, `${rest.slice(0, at)} ${rest.slice(at + form.length)}`)
  }
  for (const [form, kind] of SPACED) {
    if (rest.startsWith(`${form} `)) take(kind, rest.slice(form.length))
    else if (rest.endsWith(` ${form}`)) take(kind, rest.slice(0, -form.length))
  }
  return { rest, kinds }
}
