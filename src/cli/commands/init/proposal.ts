/** Shared by `init` and `clean`: flags for reading a list and mapping its columns, and the proposal as a table. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { MAPPINGS } from '../../../contract/data-cleaning/mappings.ts'
import { defined } from '../../../defined.ts'
import { FettleError, type Issue } from '../../../errors.ts'
import { joinPaths } from '../../../files/paths.ts'
import { columnName, type Decisions, nearest, type Proposal, type Proposed, type Section } from '../../../pipeline/index.ts'
import { describeSections } from '../../../prepare/lines-around.ts'
import { findColumn, type InspectedColumns, inspectColumns, proposeFor, type Reading } from '../../../prepare/propose.ts'
import { clip, escapeTerminal } from '../../../report/formats/escape.ts'
import { counted } from '../../../report/words.ts'
import { type Flags, usageError } from '../../command.ts'
import { isOn, listFlag, skipFlags, textFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { fitted } from '../../terminal/progress/screen.ts'
import type { Prompt } from '../../terminal/prompt.ts'

const TARGETS: readonly string[] = [...MAPPINGS, 'key']

/** The path of one file, or of several as one list. */
export function readReading(flags: Flags, cwd: string): Reading {
  const sheet = isOn(flags, 'all-sheets') ? '*' : textFlag(flags, 'sheet')
  const skip = skipFlags(flags)
  return {
    path: joinPaths(listFlag(flags, 'file'), path => existsSync(resolve(cwd, path))),
    encoding: textFlag(flags, 'encoding') ?? 'auto',
    delimiter: textFlag(flags, 'delimiter') ?? 'auto',
    header: flags.header !== false,
    ...defined({ quotes: (textFlag(flags, 'quotes') ?? undefined) as Reading['quotes'] }),
    sheet: sheet !== null && /^\d+$/.test(sheet) ? Number(sheet) : sheet,
    skip: { head: skip.head ?? 'auto', tail: skip.tail ?? 'auto' },
    sections: textFlag(flags, 'sections') === 'rows' ? 'rows' : 'skip',
  }
}

/** The keys of `input:` in a pipeline file, without defaults. */
export const inputKeys = (
  { encoding, delimiter, header, sheet, skip }: Reading,
  { around, facts, sections }: Pick<InspectedColumns, 'around' | 'facts' | 'sections'>,
): Record<string, unknown> =>
  defined({
    encoding: encoding === 'auto' ? undefined : encoding,
    delimiter: delimiter === 'auto' ? undefined : delimiter,
    header: header ? undefined : false,
    quotes: facts.quotes === 'relaxed' ? facts.quotes : undefined,
    sheet: sheet ?? undefined,
    ...skipKey(skip, around),
    // Read as it was shown: a total that nothing proves is a row, with a warning.
    sections: facts.sections !== undefined || sections?.doubtful.some(({ isTotal }) => isTotal) ? 'skip' : undefined,
  })

/** Lines are skipped by what they are: the list of another day may have fewer or more of them. */
function skipKey(skip: Reading['skip'], around: InspectedColumns['around']) {
  if (skip.head !== 'auto' || skip.tail !== 'auto') return { skip }
  return around.some(({ head, tail }) => head + tail > 0) ? { skip: 'auto' } : {}
}

/** Sheets that are looked at when the first one has no companies. */
const MOST_SHEETS = 20

/**
 * Inspects the file. Where no column of the first sheet of a workbook may be about companies, such as a sheet of notes, the first sheet that
 * has companies is read, named in `reading`, and printed. A sheet that is a list with problems stays the list.
 */
export async function inspectInput(
  reading: Reading,
  io: Io,
): Promise<{ readonly inspected: InspectedColumns; readonly reading: Reading }> {
  const first = await inspectReading(reading, io)
  if (reading.sheet !== null || first.facts.packed?.as !== 'xlsx' || !(await isAboutNothing(first)))
    return { inspected: first, reading }
  for (let sheet = 2; sheet <= MOST_SHEETS; sheet++) {
    const other = await inspectReading({ ...reading, sheet }, io).catch((error: unknown) => {
      if (!FettleError.is(error)) throw error
      return error
    })
    if (FettleError.is(other) && other.code === 'FETTLE_INPUT_SHEET') break
    if (FettleError.is(other) || other.facts.packed?.as !== 'xlsx' || !(await proposeFor(other, new Map())).isEnough) continue
    const { sheet: name } = other.facts.packed
    const passed = JSON.stringify(first.facts.packed.sheet)
    io.err(
      escapeTerminal(
        `${reading.path}: sheet ${JSON.stringify(name)} is read, since ${passed} has no companies; --sheet names another, --all-sheets reads all with the same columns`,
      ),
    )
    return { inspected: other, reading: { ...reading, sheet: name } }
  }
  return { inspected: first, reading }
}

/** No column may be about companies. A sheet of one column that begins with a sentence is a note. */
async function isAboutNothing(inspected: InspectedColumns): Promise<boolean> {
  const { columns } = await proposeFor(inspected, new Map())
  const header = columns[0]?.column.header ?? ''
  const isSentence = header.includes(' ') && header.endsWith('.')
  return columns.every(({ status }) => status === 'left' || (status === 'unsure' && columns.length === 1 && isSentence))
}

/** Hints of errors name flags instead of pipeline keys. */
async function inspectReading(reading: Reading, io: Io): Promise<InspectedColumns> {
  try {
    return await inspectColumns(reading, io.cwd, io.signal)
  } catch (error) {
    if (!FettleError.is(error)) throw error
    const issues = error.issues.map(namingFlags)
    throw new FettleError(error.code, error.message, { hint: asFlags(error.hint), at: error.at, issues, cause: error })
  }
}

/** With flags in place of pipeline keys, and without a command about a pipeline. */
export function namingFlags({ action, ...issue }: Issue): Issue {
  const kept = action?.command === 'run' ? {} : defined({ action })
  const message = issue.message.replace(/^output\.columns\.\d+: /, '--columns: ').replace(/^enrich\.tags\.\d+: /, '--enrich: ')
  return { ...issue, ...kept, message, hint: issue.hint && asFlags(issue.hint) }
}

const asFlags = (hint: string): string =>
  hint
    .replace(
      /Set input\.skip: auto, or input\.skip: \{ head: (\d+), tail: (\d+) \}( \([^)]*\)).*/,
      'Pass --skip-head $1 --skip-tail $2$3.',
    )
    .replace(
      /Set input\.skip: auto, (?:which|or) .*/,
      'Leave --skip-head and --skip-tail out: lines are skipped by what they are.',
    )
    .replace(/^Set input\.empty: .*/, 'Check the export that wrote it.')
    .replace(/input\.sheet: "\*"/g, '--all-sheets')
    .replace(/input\.skip\.(head|tail): /g, '--skip-$1 ')
    .replace(/input\.(encoding|delimiter|sheet|quotes): ("[^"]*"|[\w-]+)/g, '--$1 $2')
    .replace(/input\.header: (true|false)/g, (_, is) => (is === 'true' ? '--header' : '--no-header'))
    .replace(/\binput\.(sheet)\b/g, '--$1')
    .replace(/\benrich: (\w+)/g, '--enrich $1')
    .replace(/\bbudget\.credits\b/g, '--budget')
    .replace(/; without tags: .*/, '.')
    .replace(/\bset (?=--)/g, 'pass ')
    .replace(/\bSet (?=--)/g, 'Pass ')

/** `--map name=Firma` flags as decisions. Throws FETTLE_USAGE for an unknown mapping or column, with the nearest name. */
export function readDecisions(flags: Flags, { columns }: InspectedColumns, targets = TARGETS): Decisions {
  const decided = new Map<string, number | null>()
  for (const text of listFlag(flags, 'map')) {
    const [, target = '', column = ''] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? []
    const bad = (why: string, hint: string) => usageError(`--map ${text}: ${why}`, hint)
    const example = 'Pass for example --map name=Firma, --map town=#3 (the third column) or --map phone=-.'
    if (column === '') throw bad('expected mapping=HEADER', example)
    assertTarget(target, why => bad(why, `Mappings are ${targets.join(', ')}.`), targets)
    if (decided.has(target)) throw bad(`${target} was given twice`, 'Pass it once.')
    const refuse = (why: string) => bad(why, `Its columns: ${columns.map(columnName).join(', ')}.`)
    decided.set(target, column === '-' ? null : findColumn(column, columns, refuse))
  }
  return decided as Decisions
}

function assertTarget(target: string, refuse: (why: string) => Error, targets = TARGETS): void {
  if (targets.includes(target)) return
  const close = nearest(target, targets)
  throw refuse(`there is no mapping ${JSON.stringify(target)}${close === null ? '' : `; did you mean ${close}?`}`)
}

const HEADER_WIDTH = 28
const EXAMPLES_WIDTH = 60
const MIN_EXAMPLES = 8

/** What was recognised around the table; a flag reads it as rows. */
function skippedLines({ around }: InspectedColumns): string[] {
  const line = (count: number, where: string, texts: readonly string[], flag: string): string[] =>
    count === 0 ? [] : [`  skipped ${counted(count, 'line')} ${where}: ${texts.join('; ')} (to read them as rows: ${flag} 0)`]
  return around.flatMap(({ head, tail, above, below }) => [
    ...line(head, 'above the header', above, '--skip-head'),
    ...line(tail, 'below the last row', below, '--skip-tail'),
  ])
}

/** Rows inside the list that are not companies; those without proof are shown where others have one, or where they may be totals. */
function sectionLines({ facts, sections }: InspectedColumns): string[] {
  if (sections === undefined) return []
  const { found, doubtful, lines } = sections
  const describe = (list: readonly Section[]): string =>
    describeSections(list, lines, { hasFiles: facts.files !== undefined, isShown: true })
  const skipped = `  skipped ${counted(found.length, 'row')} inside the list: ${describe(found)} (to send them: --sections rows)`
  const sent = `  sent ${counted(doubtful.length, 'row')} that may be a heading or a total: ${describe(doubtful)}`
  const isShown = doubtful.length > 0 && (found.length > 0 || doubtful.some(({ isTotal }) => isTotal))
  return [...(found.length > 0 ? [skipped] : []), ...(isShown ? [sent] : [])]
}

export function proposalTable(inspected: InspectedColumns, { columns }: Proposal, io: Io): string {
  const { facts } = inspected
  const screen = io.isTerminal ? io.columns() : Number.POSITIVE_INFINITY
  const headerWidth = Math.min(HEADER_WIDTH, Math.floor(screen / 3))
  const rows = columns.map(({ column: { index, header }, status, target, confidence }) => {
    const shown = status === 'mapped' ? `-> ${target}` : status === 'unsure' ? `?  ${target}` : '-'
    const sureness = status === 'left' ? '' : `${Math.floor(confidence * 100)}%`
    return [String(index + 1), clip(header ?? '', headerWidth), shown, sureness]
  })
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map(row => row[at]!.length)))
  const used = widths.reduce((sum, width) => sum + width + 2, 2)
  const room = Math.min(EXAMPLES_WIDTH, screen - used)
  const lines = rows.map((row, at) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
    // Cut after a word.
    const texts = columns[at]!.column.examples.map(text => text.replace(/[\r\n]+/g, ' '))
    const examples = fitted(texts.join(', '), room).replace(/ \S*…$/, ' …')
    return `  ${[...cells, room < MIN_EXAMPLES ? '' : examples].join('  ')}`.trimEnd()
  })
  const reasons = columns.flatMap(({ column, status, target, why }) =>
    status === 'unsure' || (status === 'left' && /\?|several/.test(why))
      ? [`  ${columnName(column)}${status === 'unsure' ? `, perhaps ${target}` : ''}: ${why}`]
      : [],
  )
  const blank = (facts.emptyRows ?? 0) - (facts.sections?.length ?? 0)
  const empty = blank === 0 ? '' : ` (${blank} of them empty, not sent)`
  const key = columns.find(({ status, target }) => status === 'mapped' && target === 'key')
  const keyLine =
    key === undefined || key.confidence === 1 ? [] : [`  key: reports name rows by ${columnName(key.column)} (${key.why})`]
  const { packed = facts.files?.[0]?.packed } = facts
  const isTable = packed !== undefined && packed.as !== 'gzip'
  const sheet = packed?.as === 'xlsx' && facts.packed !== undefined ? `, sheet ${JSON.stringify(packed.sheet)}` : ''
  const text = isTable ? `${packed.as}${sheet}` : `${facts.encoding}, ${JSON.stringify(facts.delimiter)} between cells`
  const head = `${facts.path}: ${counted(facts.rows, 'row')}${empty}, ${counted(facts.columns, 'column')}, ${text}`
  const unsure = columns.find(({ status }) => status === 'unsure')
  const example = unsure === undefined ? '' : ` (to map one: --map ${mapFlag(unsure)})`
  if (reasons.length > 0) reasons.unshift(`uncertain, omitted${example}:`)
  const choice = inspected.issues.flatMap(({ code, severity, message }) =>
    ['FETTLE_INPUT_SHEET', 'FETTLE_INPUT_QUOTE'].includes(code) && severity === 'info'
      ? [`  ${message.replace(`${facts.path}: `, '')}`]
      : [],
  )
  return [head, ...choice, ...skippedLines(inspected), ...sectionLines(inspected), ...lines, ...keyLine, ...reasons]
    .map(escapeTerminal)
    .join('\n')
}

/** Shows the proposal until it is accepted; null if the user quits. */
export async function confirmColumns(
  inspected: InspectedColumns,
  decided: Decisions,
  io: Io,
  ask: Prompt | null,
): Promise<Proposal | null> {
  const decisions = new Map(decided)
  for (;;) {
    const proposal = await proposeFor(inspected, decisions)
    io.err(proposalTable(inspected, proposal, io))
    if (ask === null) return proposal
    const help = '"3 town" maps column 3 to town, "1 key" names rows by column 1, "3 -" omits it, q quits'
    const answer = await ask(`Correct? Enter accepts; ${help}: `)
    if (answer === null || /^q(uit)?$/i.test(answer)) return null
    if (answer === '') return proposal
    try {
      decide(answer, proposal, decisions)
    } catch (error) {
      if (!FettleError.is(error)) throw error
      io.err(escapeTerminal(error.message))
    }
  }
}

/** Adds `3 town` or `3 -` to the decisions. */
function decide(answer: string, { columns }: Proposal, decisions: Map<string, number | null>): void {
  const refuse = (why: string): FettleError => usageError(why)
  const [, number = '', target = ''] = /^#?(\d+)\s+(\S+)$/.exec(answer) ?? []
  const found = columns[Number(number) - 1]
  if (target === '' || found === undefined)
    throw refuse(`${answer}: expected the number of a column and a mapping, such as 3 town`)
  const { index } = found.column
  for (const [mapping, column] of decisions) if (column === index) decisions.delete(mapping)
  if (target !== '-') {
    assertTarget(target, refuse)
    decisions.set(target, index)
  } else if (found.target !== null) decisions.set(found.target, null)
}

const mapFlag = ({ target, column: { header, index } }: Proposed): string =>
  `${target ?? 'name'}=${header === null ? `#${index + 1}` : JSON.stringify(header)}`

/** Throws FETTLE_INPUT_COLUMNS if too few columns are certain. */
export function assertCertain(
  command: string,
  { path }: Reading,
  { columns, isEnough, isHeaderless }: Proposal,
  flags: Flags,
): void {
  const again = `fettle ${command} ${[listFlag(flags, 'file')].flat().join(' ')}`
  if (isHeaderless && !isOn(flags, 'header'))
    throw new FettleError('FETTLE_INPUT_COLUMNS', `the first row of ${path} looks like data and not like a header`, {
      hint: `If it has no header: ${again} --no-header; if it has one: ${again} --header.`,
    })
  if (isEnough) return
  const unsure = columns.filter(({ status, target }) => status === 'unsure' && target !== 'key')
  const perhaps =
    unsure.find(({ target }) => target === 'name') ?? unsure[0] ?? columns.find(({ why }) => why.startsWith('name?'))
  const guess = perhaps === undefined ? 'name=HEADER' : mapFlag(perhaps)
  throw new FettleError('FETTLE_INPUT_COLUMNS', `no column of ${path} certainly contains the name or a number of the company`, {
    hint: `Pass the column, for example: ${again} --map ${guess}`,
  })
}
