/**
 * Redacts answers for a cassette: keys, types, nulls, counts, states, codes and their order stay; names, numbers, dates, texts and
 * unknown values become placeholders of the same shape. Secrets are masked by the rules of the journal.
 */

import {
  COMPANY_NUMBERS,
  DATASETS,
  HIT_DECISIONS,
  JOB_NAME,
  JOB_STATUSES,
  KEPT_TIMES,
  MAPPINGS,
  parseWireDate,
  RISK_RATINGS,
  RUN_PLACEHOLDER,
  SEARCH_STATUSES,
  TAGS,
} from '../../contract/index.ts'
import type { Placeholder } from './placeholders.ts'
import WORDS from './words.json' with { type: 'json' }

const DELIMITERS = [',', ';', '\t', '|']

/** Columns of the service whose cells are not data of a company, each with the cells that are kept. */
const KEPT: Readonly<Record<string, RegExp>> = {
  'match.outcome': /^(?:matched|manualMatched|review|unmatched|duplicate|failed)$/,
  'match.score': /^\d{0,3}(?:\.\d{1,6})?$/,
  'match.matchScore': /^\d{0,3}(?:\.\d{1,6})?$/,
  'general.rowNumber': /^\s*-?\d{1,9}\s*$/,
  'general.duplicate': /^\s*(?:y|yes|n|no|true|false|0|1)\s*$/i,
  'general.banding': /^[A-Z]{0,2}\d{0,2}$/i,
  'general.pattern': /^[A-Z0-9]{0,8}$/i,
}

const plain = (name: string): string => name.toLowerCase().replace(/[\s_]+/g, '')

/** Columns that fettle's own service adds. */
const MATCH_COLUMNS = ['candidateId', 'candidateName', 'candidates', 'why', 'reason', 'register', 'otherIds']

const HEADERS: ReadonlySet<string> = new Set(
  [...MAPPINGS, ...TAGS.standard, ...Object.keys(KEPT), ...MATCH_COLUMNS.map(name => `match.${name}`)].map(plain),
)
const KEPT_BY_NAME: ReadonlyMap<string, RegExp> = new Map(Object.entries(KEPT).map(([name, kept]) => [plain(name), kept]))

/** A header of the interface, or of a file without one, is kept; any other is data of its owner. */
export const redactHeader = (cell: string, redact: Redact): string =>
  HEADERS.has(plain(cell)) || /^COLUMN [A-Z]{1,3}$/.test(cell) ? cell : redact.text(cell)

/** A cell may hold JSON, such as a list of candidates. */
export function redactCell(cell: string, redact: Redact): string {
  if (!/^\s*[[{]/.test(cell)) return redact.text(cell)
  try {
    return JSON.stringify(redact.json(JSON.parse(cell)))
  } catch {
    return redact.text(cell)
  }
}

const ENDS = ',;\t|\r\n'

/** Where the cell that is quoted at `from` ends, behind its last quote; null if it is not closed before the next cell. */
function endOfQuoted(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] === '"') continue
    return at + 1 === text.length || ENDS.includes(text[at + 1]!) ? at + 1 : null
  }
  return null
}

/** The cells of a text, each with its end: a delimiter, a line end, or nothing. */
function* readCells(text: string, delimiter: string) {
  for (let at = 0; at < text.length; ) {
    const close = text[at] === '"' ? endOfQuoted(text, at) : null
    let stop = close ?? at
    if (close === null) while (stop < text.length && !(text[stop] === delimiter || /[\r\n]/.test(text[stop]!))) stop += 1
    const cell = close === null ? text.slice(at, stop) : text.slice(at + 1, close - 1).replaceAll('""', '"')
    const end = text.startsWith('\r\n', stop) ? '\r\n' : (text[stop] ?? '')
    at = stop + end.length
    yield { text: cell, isQuoted: close !== null, end }
  }
}

function findDelimiter(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1)
  const counts = DELIMITERS.map(delimiter => ({ delimiter, count: line.split(delimiter).length }))
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).delimiter
}

/** Redacts delimited text with a header. */
export function redactTable(text: string, redact: Redact): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const delimiter = findDelimiter(text)
  const kept: (RegExp | undefined)[] = []
  let isHeader = true
  let column = 0
  let written = mark
  for (const { text: cell, isQuoted, end } of readCells(text.slice(mark.length), delimiter)) {
    if (isHeader) kept.push(KEPT_BY_NAME.get(plain(cell)))
    const isKept = !isHeader && kept[column]?.test(cell) === true
    const shown = isHeader ? redactHeader(cell, redact) : isKept ? cell : redactCell(cell, redact)
    written += (isQuoted ? `"${shown.replaceAll('"', '""')}"` : shown) + end
    column += 1
    if (end !== delimiter) {
      isHeader = false
      column = 0
    }
  }
  return written
}

export interface RedactOptions {
  readonly placeholder: Placeholder
  readonly runId: string
  /** The link of a cassette for a link of the service. */
  readonly link: (text: string) => string
  /** Whether a text contains a secret. */
  readonly leaks: (text: string) => boolean
}

export interface Redact {
  /** Text without structure: every word and number. */
  text(text: string): string
  /** Text for people, of an error or of a page: words of the interface stay readable. */
  message(text: string): string
  json(value: unknown): unknown
  /** Parameters of a path or a query, by their names. */
  params(values: Iterable<readonly [string, string]>): Record<string, string>
}

/** Words of the interface: a value among them is a code, under one of these keys. */
const CODES: ReadonlySet<string> = new Set([
  ...JOB_STATUSES,
  ...SEARCH_STATUSES,
  ...RISK_RATINGS,
  ...HIT_DECISIONS,
  ...Object.keys(DATASETS),
  ...MAPPINGS,
  ...TAGS.standard,
  ...['business', 'individual', 'male', 'female', 'pepTier1', 'pepTier2', 'pepTier3', 'free', 'paid'],
  ...COMPANY_NUMBERS,
  ...['csv', 'json', 'asc', 'desc', 'en', 'true', 'false'],
])
const CODE_KEY =
  /^(?:status|riskRating|decision|creditType|mapping|enrichment|datasets|type|gender|pepTiers?|fileType|sort\w*|language|archived|hasHeader|companyNumbers)$/
/** A state that the contract does not know: the set is open. */
const STATE = /^[a-z][A-Za-z]{1,39}$/
const COUNT_KEY =
  /^(?:total\w*|\w*Count|matched|manualMatched|unmatched|duplicates|page|pageSize|size|next|prev|first|last|threshold|\w*[sS]core|band[A-E]\w*|successful|failed|isActive|isProcessed)$/
const LINK_KEY = /^(?:filePath|downloadUrl|documentLink|link)$/
const MESSAGE_KEY = /^(?:message|error|errors|title|details?)$/
/** A key that is data itself, such as a name: all keys of the interface are identifiers. */
const KEY = /^[A-Za-z_$][\w$.[\]-]{0,79}$/
/** The index of a column, beside the name of its mapping. */
const INDEX = /^\d{1,5}$/
const MOST_DIGITS = 15

const KNOWN_WORDS: ReadonlySet<string> = new Set([...WORDS.split(' '), ...[...CODES].map(code => code.toLowerCase())])

export function createRedact({ placeholder, runId, link, leaks }: RedactOptions): Redact {
  const text = (value: string): string => {
    const own = JOB_NAME.exec(value)
    if (own?.[1] === runId) return `fettle-${RUN_PLACEHOLDER}${own[2] ?? ''}`
    return value.split(runId).map(placeholder).join(RUN_PLACEHOLDER)
  }

  const message = (value: string): string =>
    value
      .split(runId)
      .map(part => part.replace(/[\p{L}\p{M}\p{N}]+/gu, word => (KNOWN_WORDS.has(word.toLowerCase()) ? word : placeholder(word))))
      .join(RUN_PLACEHOLDER)

  const number = (value: number): number => {
    const digits = String(value)
    if (!/^-?\d+(?:\.\d+)?$/.test(digits) || digits.length > MOST_DIGITS) return Math.sign(value)
    return Number(placeholder(digits))
  }

  const isKept = (value: string, key: string, isMapping: boolean): boolean => {
    if (leaks(value)) return false
    if (KEPT_TIMES.has(key)) return parseWireDate(value) !== null
    if (key === 'value') return isMapping && INDEX.test(value)
    return (CODE_KEY.test(key) && CODES.has(value)) || (key === 'status' && STATE.test(value))
  }

  const string = (value: string, key: string, isMapping: boolean): string => {
    if (isKept(value, key, isMapping)) return value
    if (LINK_KEY.test(key) && value !== '') return link(value)
    return MESSAGE_KEY.test(key) ? message(value) : text(value)
  }

  /** `key` is the one that the value, or the list around it, stands under. */
  const walk = (value: unknown, key: string, isMapping = false): unknown => {
    if (typeof value === 'string') return string(value, key, isMapping)
    if (typeof value === 'number') return COUNT_KEY.test(key) ? value : number(value)
    if (Array.isArray(value)) return value.map(item => walk(item, key))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    const hasMapping = entries.some(([name]) => name === 'mapping')
    return Object.fromEntries(
      entries.map(([name, item]) => [
        KEY.test(name) && !leaks(name) ? name : text(name),
        // Errors by field: the fields are ours, the texts the service's.
        walk(item, key === 'errors' ? key : name, hasMapping),
      ]),
    )
  }

  const params: Redact['params'] = values =>
    Object.fromEntries(
      [...values].map(([name, value]) => [name, COUNT_KEY.test(name) && INDEX.test(value) ? value : string(value, name, false)]),
    )

  return { text, message, json: value => walk(value, ''), params }
}
