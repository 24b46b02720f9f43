/** Names of branches, read as the names of their firms: `Acme S.A. Paris Branch`, `Acme GmbH, Zweigniederlassung Schweiz`, `Acme Ltd (UK Branch)`. */
import { hasFormAtEnd } from './company-name.ts'

/** The place is in front of the English word, and behind the others. */
const WORDS =
  /(?<!\p{L})(?:(branch(?: office)?)|(?:haupt|zweig)?niederlassung|zweigstelle|filiale?|succursale|sucursala?|sede secondaria|bijkantoor|filiaal|sivuliike|oddzia[lł]|organiza[cč]n[iíaá] (?:slo[zž]ka|zlo[zž]ka)|od[sš]t[eě]pn[yý] z[aá]vod|fi[oó]ktelepe?)(?!\p{L})/giu
const OF_FIRM = /^\s+of (?:the )?/iu
const TO_END_OF_BRACKET = /^[^()[\]]*[)\]]\s*$/

const MOST_LETTERS = 300
/** Words that name the place in front of the word for a branch. */
const PLACE_WORDS = 3

const trim = (text: string): string => text.replace(/^[\s,;–—-]+|(?<![\s,;–—(-])[\s,;–—(-]+$/gu, '')

/** The names that the firm of a branch may have, the longest first; none for a name of no branch. */
export function listFirmNames(text: string): string[] {
  if (text.length > MOST_LETTERS) return []
  for (const { 0: word, 1: english, index } of text.matchAll(WORDS)) {
    const names = listNamesBeside(text.slice(0, index), text.slice(index + word.length), english !== undefined)
    if (names.length > 0) return names
  }
  return []
}

function listNamesBeside(before: string, behind: string, isEnglish: boolean): string[] {
  const open = Math.max(before.lastIndexOf('('), before.lastIndexOf('['))
  if (open > 0 && TO_END_OF_BRACKET.test(behind)) return listName(before.slice(0, open))
  if (!isEnglish) return listName(before)
  if (OF_FIRM.test(behind)) return listName(behind.replace(OF_FIRM, ''))
  return behind.trim() === '' ? listWithoutPlace(before) : []
}

const listName = (text: string): string[] => (trim(text) === '' ? [] : [trim(text)])

function listWithoutPlace(text: string): string[] {
  const names: string[] = []
  for (let name = trim(text); name !== '' && names.length <= PLACE_WORDS; ) {
    names.push(name)
    const end = name.lastIndexOf(' ')
    if (hasFormAtEnd(name) || end === -1) break
    name = trim(name.slice(0, end))
  }
  return names
}
