/** Names of branches, read as the names of their firms: `Acme S.A. Paris Branch`, `Acme GmbH, Zweigniederlassung Schweiz`, `Acme Ltd (UK Branch)`. */
import { hasFormAtEnd } from './company-name.ts'

/** The place is in front of the English word, and behind the others. */
const ENGLISH = 'branch(?: office)?'
const OTHERS =
  '(?:haupt|zweig)?niederlassung|zweigstelle|filiale?|succursale|sucursala?|sede secondaria|bijkantoor|filiaal|sivuliike|oddzia[lł]|organiza[cč]n[iíaá] (?:slo[zž]ka|zlo[zž]ka)|od[sš]t[eě]pn[yý] z[aá]vod|fi[oó]ktelepe?'
const whole = (words: string): string => `(?<!\\p{L})(?:${words})(?!\\p{L})`

const ANY = new RegExp(whole(`${ENGLISH}|${OTHERS}`), 'iu')
const OF_FIRM = /\bbranch(?: office)? of (?:the )?(.+)$/iu
const IN_BRACKETS = new RegExp(`^([^([]+)[([][^()[\\]]*${whole(`${ENGLISH}|${OTHERS}`)}[^()[\\]]*[)\\]]\\s*$`, 'iu')
const PLACE_BEHIND = new RegExp(`^(.+?)[\\s,;–—-]+${whole(OTHERS)}.*$`, 'iu')
const PLACE_IN_FRONT = new RegExp(`^(.+?)[\\s,;–—-]+${ENGLISH}\\s*$`, 'iu')

const MOST_LETTERS = 300
/** Words that name the place in front of the word for a branch. */
const PLACE_WORDS = 3

const trim = (text: string): string => text.replace(/^[\s,;–—-]+|[\s,;–—(-]+$/gu, '')

/** The names that the firm of a branch may have, the longest first; none for a name of no branch. */
export function listFirmNames(text: string): string[] {
  if (text.length > MOST_LETTERS || !ANY.test(text)) return []
  const [, firm] = OF_FIRM.exec(text) ?? IN_BRACKETS.exec(text) ?? PLACE_BEHIND.exec(text) ?? []
  if (firm !== undefined) return trim(firm) === '' ? [] : [trim(firm)]
  const [, rest] = PLACE_IN_FRONT.exec(text) ?? []
  const names: string[] = []
  for (let name = trim(rest ?? ''); name !== '' && names.length <= PLACE_WORDS; ) {
    names.push(name)
    const end = name.search(/\s\S+$/u)
    if (hasFormAtEnd(name) || end === -1) break
    name = trim(name.slice(0, end))
  }
  return names
}
