/** `fettle dedupe`: which rows of a list are one company. */
import { existsSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { type Deduped, dedupeList } from '../../dedupe/dedupe.ts'
import type { Keep } from '../../dedupe/list.ts'
import { MERGE_RULES, type MergeRule, type MergeRules } from '../../dedupe/merge.ts'
import type { PairTable } from '../../dedupe/pair-decisions.ts'
import { packageInfo } from '../../env/package-info.ts'
import { EXIT } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { formatOfName, listExtensions } from '../../formats/index.ts'
import { columnName, isWorkbook, listStem } from '../../pipeline/index.ts'
import { findColumn, type InspectedColumns } from '../../prepare/propose.ts'
import { escapeTerminal, safeJson } from '../../report/formats/escape.ts'
import { renderPairs } from '../../report/html/pairs.ts'
import { count, counted } from '../../report/words.ts'
import { writeTable } from '../../results/index.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { assertCertain, proposalTable, readReading } from './init/proposal.ts'
import { columnsText } from './shared.ts'
import { readTable } from './table-register.ts'

/** Throws FETTLE_INPUT_COLUMNS without a column of names. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const reading = readReading(flags, io.cwd)
  const file = reading.path
  const table = await readTable(file, flags, io)
  if (!isOn(flags, 'quiet')) io.err(proposalTable(table.inspected, table.proposal, io))
  assertCertain('dedupe', reading, table.proposal, flags)
  const keep = readKeep(needText(flags, 'keep'), table.inspected)
  const decisions = textFlag(flags, 'decisions')
  const output = readOutput(textFlag(flags, 'output'), table.inspected, io.cwd)
  const merge = readMerge(listFlag(flags, 'merge'), table.inspected)
  const review = readReview(textFlag(flags, 'review'), output.path, io.cwd)
  const deduped = await dedupeList(table, {
    keep,
    output: { ...output, path: resolve(io.cwd, output.path) },
    decisions,
    merge,
    review: review && (pairs => writePairs(pairs, review, file, io.cwd)),
    cwd: io.cwd,
    signal: io.signal,
  })
  for (const { line, names, why } of deduped.decided.notApplied)
    io.err(
      escapeTerminal(`${decisions}:${line}: not applied to ${names.map(name => JSON.stringify(name)).join(' and ')}: ${why}`),
    )
  if (isOn(flags, 'json')) {
    const files = { output: output.path, review: review?.path }
    io.out(safeJson({ schema: 'fettle/dedupe/v1', file, ok: true, exitCode: EXIT.ok, ...deduped, ...files }))
  } else io.text(formatDeduped(file, deduped, output.path, review?.path ?? null))
  return EXIT.ok
}

/** `name=longest,phone=all`, or a rule for all columns. */
function readMerge(texts: readonly string[], { columns }: InspectedColumns): MergeRules | null {
  if (texts.length === 0) return null
  let rest: MergeRule | null = null
  const chosen = new Map<number, MergeRule>()
  for (const text of texts.flatMap(rules => rules.split(','))) {
    const at = text.lastIndexOf('=')
    const rule = MERGE_RULES.find(name => name === text.slice(at + 1).trim())
    const refuse = (why: string) => usageError(`--merge ${text}: ${why}`, `Its columns: ${columns.map(columnName).join(', ')}.`)
    if (rule === undefined)
      throw usageError(`--merge ${text}: no such rule`, `Rules: ${MERGE_RULES.join(', ')}; such as Name=longest,Phone=all.`)
    const column = at < 1 ? null : findColumn(text.slice(0, at).trim(), columns, refuse)
    if (column === null ? rest !== null : chosen.has(column)) throw refuse('a rule is given twice')
    if (column === null) rest = rule
    else chosen.set(column, rule)
  }
  return { rest: rest ?? 'first-filled', columns: chosen }
}

interface Review {
  readonly path: string
  readonly format: 'csv' | 'xlsx' | 'html'
}

async function writePairs(pairs: PairTable, { path, format }: Review, list: string, cwd: string): Promise<void> {
  const to = resolve(cwd, path)
  if (format !== 'html') return writeTable(to, format, pairs.names, pairs.rows)
  await writeAtomic(to, renderPairs({ ...pairs, list, file: basename(decidedFile(path)) }, packageInfo()), { isShared: true })
}

/** The table of decisions; a page offers one with its name. */
const decidedFile = (review: string): string => review.replace(/\.html$/, '.csv')

function readReview(path: string | null, output: string, cwd: string): Review | null {
  if (path === null) return null
  const format = extname(path) === '.html' ? 'html' : formatOfName(path)
  if (format !== 'csv' && format !== 'xlsx' && format !== 'html')
    throw usageError(`--review ${path} is neither .csv, .xlsx nor .html`)
  if (existsSync(resolve(cwd, path)) || resolve(cwd, path) === resolve(cwd, output))
    throw usageError(
      `--review ${path} exists; refusing to overwrite it`,
      'Name another file: decisions of --decisions are written to it too.',
    )
  return { path, format }
}

function readKeep(text: string, { columns }: InspectedColumns): Keep {
  if (text === 'filled' || text === 'first') return { by: text }
  const at = text.lastIndexOf('=')
  const refuse = (why: string) => usageError(`--keep ${text}: ${why}`, `Its columns: ${columns.map(columnName).join(', ')}.`)
  if (at < 1 || at === text.length - 1)
    throw usageError(`--keep ${text}: no such rule`, 'Pass filled, first, newest=COLUMN or COLUMN=VALUE.')
  const [left, right] = [text.slice(0, at), text.slice(at + 1)]
  if (left === 'newest') return { by: 'newest', column: findColumn(right, columns, refuse) }
  return { by: 'value', column: findColumn(left, columns, refuse), value: right.trim() }
}

function readOutput(requested: string | null, { facts }: InspectedColumns, cwd: string) {
  const path = requested ?? `${listStem(facts.path)}-dedupe${isWorkbook(facts) ? '.xlsx' : '.csv'}`
  const named = formatOfName(path)
  if (named === null)
    throw usageError(`-o ${path} has no extension of an output format`, `Name it ${listExtensions().join(', ')}.`)
  if (existsSync(resolve(cwd, path))) throw usageError(`${path} exists; refusing to overwrite it`, 'Pass -o with another file.')
  // A spreadsheet opens the file next: no cell is a formula.
  return { path, format: named === 'csv' ? ('excel' as const) : named }
}

function howToDecide(review: string | null): string {
  if (review === null) return 'see dup.perhaps, or pass --review pairs.html'
  const file = decidedFile(review)
  return file !== review
    ? `open ${review}, decide and download ${basename(file)}, then pass --decisions ${basename(file)}`
    : `write same or different beside them in ${review}, then pass --decisions ${review}`
}

function formatDeduped(file: string, deduped: Deduped, output: string, review: string | null): string {
  const { rows, skipped, companies, groups, duplicates, doubts, decided, conflicts, examples } = deduped
  const shown = examples.map(({ name, rows: first, size }) => [
    counted(size, 'row'),
    name,
    `row ${first.join(', ')}${size > first.length ? ' …' : ''}`,
  ])
  const lines = [
    `${file}: ${counted(rows, 'row')}, ${count(companies)} ${companies === 1 ? 'company' : 'companies'}; ${counted(duplicates, 'duplicate')} in ${counted(groups, 'group')}`,
    ...(skipped === 0 ? [] : [`${counted(skipped, 'row')} skipped (empty, headings or totals)`]),
    ...(shown.length === 0
      ? []
      : columnsText(shown)
          .split('\n')
          .map(line => `  ${line}`)),
    ...(decided.applied + decided.notApplied.length === 0
      ? []
      : [`${counted(decided.applied, 'decision')} applied, ${count(decided.notApplied.length)} not`]),
    ...(doubts === 0 ? [] : [`${counted(doubts, 'pair')} of groups may be one company: ${howToDecide(review)}`]),
    ...(conflicts.length === 0
      ? []
      : [
          `values that merged rows lack (dup.conflicts): ${conflicts.map(({ column, groups }) => `${column} in ${counted(groups, 'group')}`).join(', ')}`,
        ]),
    `Written to ${output}.`,
  ]
  return lines.map(escapeTerminal).join('\n')
}
