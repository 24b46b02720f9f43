/**
 * What a name cell may hold beside one name: remarks around the name (`10023 - ACME LTD`, `Acme Ltd, Leeds`, `FAO Accounts, Acme Ltd`), or
 * two names (`Acme Ltd t/a Bluebird`). Each is a second reading: it stands beside the whole cell, never in its place.
 */
import { hasFormAtEnd, isLegalWord, parseCompanyName, withoutMarketSuffix } from './company-name.ts'
import { splitWords } from './text.ts'

export interface NameReading {
  /** The part of the cell that is read as a name. */
  readonly text: string
  /** It is the other one of two names in the cell, or what is left out may be part of the name: it proves a company only with other evidence. */
  readonly isOther: boolean
  /** The text whose numbers, places and brackets distinguish sisters: with `Acme Ltd - North`, `Acme Ltd` still is the one in the north. */
  readonly markedBy: string
  /** What stands behind the name and may be its town; '' otherwise. */
  readonly tail: string
}

/** A cell without any of these signs is one name: most are, and the patterns below cost more. */
const SIGNS =
  /[|;:*#\\/([{<!&–—]| -|- |\d{4}|\b(?:t[-.]a|o a|dba|fka|aka|fao|att|attn|att[.]|attention|trading|doing|operating|handelend|known|formerly|former|previously|prev|now|vormals|ehemals|anciennement|care|c[. ]o|f[.]k|d[.]b|z[. ]?h\w*|t[.]?a[.]?v|do|don't|not|no|closed|div|division|subsidiary|branch|member|part|accounts?|finance|purchas\w+|procurement|marketing|sales|legal|it|hr|human|pay\s?roll|ap|bought|reception|head\s?office|hq|head\s?quarters|invoic\w+|billing|goods|warehouse|stores|dep(?:t|artment)|buchhaltung|einkauf|rechnungswesen|comptabilit.|achats|boekhouding|inkoop|contabilidad|compras|contabilit.)(?![a-z])/i

const END_OF_WORD = '(?![\\p{L}\\d])'
const OPENING = '[\\s,;:|/\\\\([–—-]'
/** A word between two names, with the signs around it. */
const between = (words: string): RegExp => new RegExp(`${OPENING}+(?:${words})${END_OF_WORD}[.:;]?\\s*`, 'iu')

/** `DO NOT USE` from there on; shorter remarks only between signs: `** CLOSED **`, `(duplicate)`, `Acme Ltd - blocked`. */
const UNUSED = "do not use|don't use|not in use|do not pay|no longer used"
const STATES = 'closed|inactive|blocked|duplicated?|obsolete|on hold|on stop|deleted|old|old account|dormant'
/** `10023 - ACME LTD`, `[V00123] Acme`, `2026695 IBM`; a number of four digits may be a year of the name. */
const CODE_IN_FRONT =
  '(?:[[(#]\\s?[a-z]{0,4}[-_ ]?\\d{2,12}[a-z]?\\s?[\\])]?|(?:[a-z]{1,4}[-_]?)?\\d{3,12}[a-z]?(?=\\s*[-–—:|_/;]+\\s)|[a-z]{0,3}\\d{5,12}|0\\d{3,11})\\s*[-–—:|_/;.]*\\s+(?=[\\p{L}"\'])'
/** `ACME LTD (10023)`, `ACME LTD - V00123`, `ACME LTD 000509`, `Acme Ltd A/C 4471`. */
const ACCOUNT = '(?:a/c|acct?|account|cust(?:omer)?|vendor|supplier)\\b[\\s.:#]*'
const CODE_BEHIND = `(?:[[(#]\\s?(?:${ACCOUNT})?[a-z]{0,4}[-_]?\\d{5,12}[a-z]?\\s?[\\])]?|[-–—:|_/,]\\s*[a-z]{0,4}[-_]?\\d{5,12}|\\s(?:0\\d{3,11}|[a-z]{0,2}\\d{5,12})|[\\s(,-]+${ACCOUNT}(?:no\\b[\\s.:]*)?[a-z]{0,4}[-_]?\\d{2,12}\\)?)\\s*$`
const REMARKS: readonly RegExp[] = [
  `^[\\s*#!_<([{-]*(?:${UNUSED})[\\s*#!_>)\\]}:,.-]*(?=[\\p{L}\\d])`,
  `[\\s*#!_<([{-]*(?:${UNUSED})${END_OF_WORD}.*$`,
  `\\s*[*#!<([{–—-]+\\s*(?:${STATES}|test|use \\p{L}{0,10}\\s?\\d+)\\s*[*#!>)\\]}–—-]*\\s*$`,
  `^\\s*[*#!<([{]+\\s*(?:${STATES})\\s*[*#!>)\\]}]+\\s*[:-]?\\s*`,
  `^\\s*${CODE_IN_FRONT}`,
  `\\s*${CODE_BEHIND}`,
].map(pattern => new RegExp(pattern, 'iu'))
const ENTITY = /&(?:amp|quot|apos|nbsp|#\d{1,4});/gi

/** Who is to read the letter, or whose post box it goes to. */
const CONTACT =
  /(?:^|[\s,;(–—-])(?:f\.?a\.?o\.?|for the attention of|attention|attn?|z\.? ?h(?:d|dn|anden)\.?|t\.?a\.?v\.?)\s*[.:;]?\s/iu
const CARE_OF = /(?:^|[\s,;(–—-])(?:c\/o|c\.o\.|c o|care of|in care of|p\/a)\s*[.:]?\s/iu

/** The name in front of it is the firm's, the one behind it what it calls itself. */
const TRADING = between(
  't/a|t\\\\a|t\\.a\\.|t-a|trading as|trading under(?: the name)?(?: of)?|d/?b/?a|d\\.b\\.a\\.|doing business as|o/a|o a|operating as|h/o|handelend onder(?: de naam)?|a/?k/?a|also known as|known as',
)
/** One of the names is older; the one in front is taken for today's. */
const FORMERLY = between(
  'formerly(?: known as| called| trading as)?|former(?=[:\\s].*\\))|previously(?: known as| called)?|prev\\.|f/?k/?a|f\\.k\\.a\\.|n/k/a|now known as|now called|vormals|ehemals|anciennement|ex(?=\\s[^)]*\\))',
)
/** The name behind it is the firm's, or the name of a larger one. */
const PART_OF = between('(?:an? )?(?:div(?:ision|\\.)?|subsidiary|branch|member|part) of(?: the)?')

/** `Canada Revenue Agency | Agence du revenu du Canada`, `Acme / Bluebird`; not the dash of `Eisen- und Stahlwerke`. */
const SEPARATED =
  /\s*[|;]\s*|\s+[/\\]\s*|(?<=\p{L}{4})\s?\/\s?(?=\p{L}{4})|\s+[–—-]{1,2}\s*|\s*[–—]\s+|(?<=[\p{L})])-\s+(?!(?:and|und|u|og|och|en|et|y|e|&)\s)/iu

/** A part of a firm that pays, buys or opens letters, as the words behind its name begin. */
const DEPARTMENT = new RegExp(
  `${OPENING}+(?:the )?(?:${[
    '(?:accounts?(?: payable| receivable)?|a/p|ap|finance|purchas(?:e|ing)|procurement|marketing|sales|legal|it|hr|human resources|pay ?roll)(?: dep(?:t|artment)\\.?| office| team| division)?',
    '(?:bought|sales|purchase) ledger|reception|head ?office|hq|head ?quarters|invoic(?:es?|ing)|billing|goods in|warehouse|stores|dep(?:t|artment)\\b.*',
    'buchhaltung|einkauf|rechnungswesen|comptabilit[eé]|(?:service )?achats|boekhouding|inkoop|contabilidad|compras|contabilit[aà]',
  ].join('|')})\\.?[\\s)\\]]*$`,
  'iu',
)
const SIGN = /^\s*[,;:|/\\([–—-]/u

const hasLetters = (text: string): boolean => /\p{L}.*\p{L}/u.test(text)
const trim = (text: string): string =>
  text
    .replace(/^[\s,;:|/\\*#–—-]+|[\s,;:|/\\*#–—([{-]+$/gu, '')
    .replace(/^([^()[\]]*)[)\]]+$/u, '$1')
    .trim()

type Part = Pick<NameReading, 'text' | 'isOther'> & Partial<Pick<NameReading, 'markedBy' | 'tail'>>

/** The parts before and behind a word between two names; null without it. */
function partAt(text: string, pattern: RegExp): readonly [before: string, behind: string] | null {
  const found = pattern.exec(text)
  return found === null ? null : [trim(text.slice(0, found.index)), trim(text.slice(found.index + found[0].length))]
}

function readRemarks(text: string): Part[] {
  const plain = text.replace(ENTITY, entity => (/amp/i.test(entity) ? '&' : ' '))
  for (const pattern of REMARKS) {
    const rest = plain.replace(pattern, '')
    if (rest !== plain) return [{ text: trim(rest), isOther: false }]
  }
  return [{ text: plain, isOther: false }]
}

/** `FAO Jo Smith, Acme Ltd`: the name is behind the person; else in front of the word. */
function readContact(text: string): Part[] {
  const parts = partAt(text, CONTACT)
  if (parts !== null) {
    const [before, behind] = parts
    if (hasLetters(before)) return [{ text: before, isOther: false }]
    const at = behind.search(/[,;|/]|\s[–—-]\s/u)
    return at < 0 ? [] : [{ text: trim(behind.slice(at)), isOther: false }]
  }
  const hosted = partAt(text, CARE_OF)
  if (hosted === null) return []
  const [guest, host] = hosted
  return hasLetters(guest)
    ? [
        { text: guest, isOther: false },
        { text: host, isOther: true },
      ]
    : [{ text: host, isOther: true }]
}

function readTwoNames(text: string): Part[] {
  const names = partAt(text, TRADING) ?? partAt(text, FORMERLY)
  if (names !== null) return names.map((part, at) => ({ text: part, isOther: at === 1 }))
  const parent = partAt(text, PART_OF)
  return parent === null ? [] : parent.map(part => ({ text: part, isOther: true }))
}

/** Whether a word in the cell shows that it has two names, or a name and a host: the whole cell is not a name then. */
export const hasTwoNames = (cell: string): boolean =>
  cell.length <= MAX_CELL && SIGNS.test(cell) && [TRADING, FORMERLY, CARE_OF].some(pattern => pattern.test(cell))

/** Words of four letters or more that two halves share: one name in two languages. */
const sharesWord = (one: string, other: string): boolean => {
  const words = splitWords(one).filter(word => word.length > 3)
  const others = splitWords(other)
  return words.some(word => others.includes(word))
}

function readDepartment(text: string): Part[] {
  const found = DEPARTMENT.exec(text)
  if (found === null) return []
  const name = trim(text.slice(0, found.index))
  return [{ text: name, isOther: !SIGN.test(found[0]) && !hasFormAtEnd(name) }]
}

/** The parts beside a bar, slash or dash: one name in two languages, or two names, and either may be meant. */
function readSeparated(text: string): Part[] {
  const parts = text
    .split(SEPARATED)
    .map(trim)
    .filter(part => /\p{L}{4}/u.test(part))
  if (parts.length < 2 || parts.length > 3) return []
  const [first = '', second = ''] = parts
  const isOne = parts.length === 2 && /[|/]/.test(text) && !hasFormAtEnd(second) && sharesWord(first, second)
  return parts.map(part => ({ text: part, isOther: !isOne, markedBy: isOne ? part : text }))
}

/** Whether what is left out has a number, place or word by which sister companies differ: `Acme Ltd - North`. */
const distinguishes = (rest: string): boolean => parseCompanyName(`name ${rest.replace(/[()[\]]/g, ' ')}`).marks !== ''

/** `Acme Ltd, Leeds`, `ACME LIMITED LEEDS`, `Acme Ltd (Leeds)`: what stands behind the legal form. */
function readTail(text: string): Part[] {
  if (/[|;]|\s[/\\]/.test(text)) return []
  const words = [...text.matchAll(/[\p{L}\d.&'’/]+/gu)]
  for (let at = words.length - 2; at > 0 && at >= words.length - 5; at--) {
    const [word = ''] = words[at]!
    const end = words[at]!.index + word.length
    if (!isLegalWord(splitWords(word).join(''))) continue
    const name = text.slice(0, end)
    const tail = text.slice(end)
    if (!hasFormAtEnd(name) || hasFormAtEnd(`name ${tail}`)) return []
    const isSigned = /^\s*[),.]*\s*[,;([–—-]/u.test(tail)
    return [
      { text: trim(name), isOther: !isSigned || distinguishes(tail), markedBy: text, tail: trim(tail.replace(/[()[\]]/g, ' ')) },
    ]
  }
  return []
}

const RULES = [readRemarks, readContact, readTwoNames, readDepartment, readTail, readSeparated]
/** Readings of one cell at most. */
const MAX_READINGS = 6
/** Longer cells are not names with a remark, and the patterns take quadratic time. */
const MAX_CELL = 160

/** A usual legal form with words behind it. */
const hasTail = (cell: string): boolean =>
  /\b(?:limited|ltd|plc|llp|llc|inc|incorporated|corp|corporation|co|company|gmbh|[bn]v|srl|sarl|sas?|spa|aps|oyj?|sro|a[bgs]|kft)\b[.)]*[\s,]+[^\s.,]/i.test(
    cell,
  )

/** The second readings of a name cell, without the cell itself; most cells have none. */
export function listReadings(cell: string): readonly NameReading[] {
  if (cell.length > MAX_CELL || !(SIGNS.test(cell) || hasTail(cell))) return []
  // The name of a security; `t/a Bluebird` only looks like one.
  if (!cell.includes('/') && withoutMarketSuffix(cell) !== cell) return []
  const found = new Map<string, NameReading>()
  const read = (text: string, isOther: boolean): void => {
    for (const rule of RULES) {
      const parts = rule(text).filter(part => hasLetters(part.text) && part.text !== text)
      if (parts.length === 0) continue
      for (const { text: part, isOther: isOtherPart, markedBy = part, tail = '' } of parts) {
        if (found.size >= MAX_READINGS || found.has(part) || part === cell) continue
        found.set(part, { text: part, isOther: isOther || isOtherPart, markedBy, tail })
        read(part, isOther || isOtherPart)
      }
      return
    }
  }
  read(cell.trim(), false)
  return [...found.values()]
}
