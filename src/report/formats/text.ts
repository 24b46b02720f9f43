/** The end of `fettle run` on a terminal: verdict, rows, checks, warnings, files, next step. Long lists are cut; report.html is complete. */

import { nextSteps, requiredWords, spentWords, stoppedWords } from '../message.ts'
import type { Report, Result } from '../schema.ts'
import { auditWords, doubtWords } from '../sections/audit.ts'
import { kindWords } from '../sections/changes.ts'
import { companyActionLines } from '../sections/company-actions.ts'
import { decisionWords, ruleWords, unreachedWords } from '../sections/decide.ts'
import { bandLine } from '../sections/matches.ts'
import { reuseWords } from '../sections/reuse.ts'
import { serviceWords } from '../service-words.ts'
import { readShare } from '../totals.ts'
import { labelCheck, OUTCOME, outcomeWord, STATUS, shownOutcomes, type Tone, verdictOf } from '../verdict.ts'
import { about, bytes, count, counted, duration, formatHint, more, percent, points } from '../words.ts'
import { clip, escapeTerminal } from './escape.ts'

/** The purpose of a colour; the caller maps it to escape codes. */
export type Style = 'good' | 'warn' | 'bad' | 'dim' | 'bold'

export interface TextOptions {
  /** No colour if absent. */
  readonly colour?: (style: Style, text: string) => string
  /** Columns of the terminal; 80 if absent. */
  readonly width?: number
  /** No process runs it any more, although it did not record its end. */
  readonly isStopped?: boolean
  /** False before the report page is written; true if absent. */
  readonly hasPage?: boolean
}

/** Lines a list may take before it is cut. */
const LIST = 5
const COLUMNS = 3

/** `✓ Success, 8.1 s: 386 of 463 rows matched (83.4%).` */
export function verdictLine(report: Report): string {
  const { sign, word } = STATUS[verdictOf(report)]
  return `${sign} ${word}, ${duration(report.elapsedMs)}: ${report.results[0]?.message ?? ''}`
}

export function renderText(report: Report, options: TextOptions = {}): string {
  const paint = options.colour ?? ((_, text) => text)
  const width = Math.max(40, options.width ?? 80)
  const result = report.results[0]
  if (result === undefined) return ''
  const isCut = report.status === 'running' && options.isStopped === true
  const { sign, word, tone } = STATUS[isCut ? 'cancelled' : verdictOf(report)]
  const message = isCut ? stoppedWords(result.stages) : result.message
  const heading = `${paint(chooseStyle(tone), `${sign} ${word}`)}  ${paint('bold', escapeTerminal(result.name))}  ${paint('dim', duration(report.elapsedMs))}`
  const blocks = [
    [heading, ...wrap(message, width - 2).map(line => `  ${line}`), ...hintLines(result, paint, width)],
    [
      ...ledger(report, paint, width),
      ...bands(result, paint, width),
      ...audit(result, paint, width),
      ...rulings(result, paint, width),
      ...facts(result, paint, width),
    ],
    checks(result, paint, width),
    profile(result, paint, width),
    issues(report, result, paint, width),
    companyActions(result, paint, width),
    [...files(result, paint, width), ...(options.hasPage === false ? [] : pageLine(report))],
    next(report, result, paint),
    resumeLines(report, result, paint),
  ]
  return `${blocks
    .filter(block => block.length > 0)
    .map(block => block.join('\n'))
    .join('\n\n')}\n`
}

const chooseStyle = (tone: Tone): Style => (tone === 'calm' ? 'dim' : tone)

type Paint = (style: Style, text: string) => string

function resumeLines(report: Report, { jobs }: Result, paint: Paint): string[] {
  if (report.resume === null || report.status === 'running') return []
  const left = jobs.flatMap(({ id }) => (id === null ? [] : [`  ${'job'.padEnd(9)} ${escapeTerminal(id)}`]))
  return [...left, `  ${paint('bold', 'resume')}    ${escapeTerminal(report.resume)}`]
}

function hintLines({ error }: Result, paint: Paint, width: number): string[] {
  if (error === null) return []
  const correlation = error.correlationId === null ? '' : ` (correlation id ${error.correlationId})`
  return wrap(`${error.code}: ${error.hint}${correlation}`, width - 2).map(line => `  ${paint('dim', line)}`)
}

function ledger(report: Report, paint: Paint, width: number): string[] {
  const { totals } = report
  if (totals.matched === null && totals.unmatched === null) return []
  const names = shownOutcomes(report)
  const digits = Math.max(...names.map(name => count(totals[name]).length), count(totals.rows).length)
  const room = Math.min(40, width - 28 - digits)
  const lines = names.map(name => {
    const share = readShare(name, totals)
    const label = `  ${outcomeWord(name, totals).padEnd(16)}${count(totals[name]).padStart(digits)}`
    if (share === null || share === 0) return label
    return `${label}  ${percent(share).padStart(6)}  ${paint(chooseStyle(OUTCOME[name].tone), bar(share, room))}`
  })
  const sum = report.ledger.adds === false ? `  ${paint('bad', `but ${count(report.ledger.sum)} accounted for`)}` : ''
  const rate = report.delta?.matchRate ?? null
  const change = rate === null ? [] : [`  ${paint('dim', `match rate ${points(rate)} since the last good run`)}`]
  return [...lines, `  ${paint('bold', 'rows'.padEnd(16))}${count(totals.rows).padStart(digits)}${sum}`, ...change]
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of blocks to an eighth of a column; a share above 0 shows at least the thinnest. */
function bar(share: number, room: number): string {
  const eighths = Math.max(1, Math.round(Math.min(1, share) * room * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}

function bands(result: Result, paint: Paint, width: number): string[] {
  const line = bandLine(result)
  return line === '' ? [] : [`  ${'bands'.padEnd(16)}${paint('dim', escapeTerminal(clip(line, width - 18)))}`]
}

/** The audited matches, and the first doubtful row. */
function audit({ audit }: Result, paint: Paint, width: number): string[] {
  if (audit === null) return []
  const text = [auditWords(audit), ...audit.examples.slice(0, 1).map(doubtWords)].join('; ')
  return [`  ${'audit'.padEnd(16)}${paint('dim', escapeTerminal(clip(text, width - 18)))}`]
}

/** A line for all decisions, and one for each rule. */
function rulings({ decide }: Result, paint: Paint, width: number): string[] {
  if (decide === null) return []
  const room = width - 18
  const line = (name: string, text: string): string => `  ${name.padEnd(16)}${paint('dim', escapeTerminal(clip(text, room)))}`
  const rules = decide.rules.map(rule => line('', `${count(rule.rows)} ${rule.decision} by ${ruleWords(rule)}`))
  const unreached = unreachedWords(decide)
  return [line('decisions', decisionWords(decide)), ...rules, ...(unreached === '' ? [] : [line('', unreached)])]
}

function facts({ reuse, changes }: Result, paint: Paint, width: number): string[] {
  const reused = reuse && reuseWords(reuse, 'sent')
  const changed = changes && `${kindWords(changes.counts)} since ${changes.against}`
  return Object.entries({ reused, changes: changed }).flatMap(([name, text]) =>
    text === null ? [] : labelled(name.padEnd(16), text, width - 18, line => paint('dim', line)),
  )
}

/** A text of one or more lines, with its name before the first. */
const labelled = (label: string, text: string, width: number, draw = (line: string): string => line): string[] =>
  wrap(text, width).map((line, at) => `  ${at === 0 ? label : ' '.repeat(label.length)}${draw(line)}`)

function restLine(all: number, shown: number, paint: Paint): string[] {
  const rest = more(all, shown)
  return rest === '' ? [] : [`    ${paint('dim', `${rest} in the report`)}`]
}

/** Failed checks come first; passed checks are cut first. */
const RANK: readonly (boolean | null)[] = [false, null, true]

function checks({ checks }: Result, paint: Paint, width: number): string[] {
  const shown = checks.toSorted((a, b) => RANK.indexOf(a.success) - RANK.indexOf(b.success)).slice(0, LIST + 3)
  const widest = Math.min(24, Math.max(0, ...shown.map(check => check.assertion.length)))
  const lines = shown.map(check => {
    const { sign, tone } = labelCheck(check)
    const name = escapeTerminal(clip(check.assertion, 24)).padEnd(widest)
    const detail = `${check.actual}, ${requiredWords(check.expected)}`
    return `  ${paint(chooseStyle(tone), sign)} ${name}  ${escapeTerminal(clip(detail, width - widest - 6))}`
  })
  return [...lines, ...restLine(checks.length, shown.length, paint)]
}

function profile(result: Result, paint: Paint, width: number): string[] {
  if (result.profile.length === 0) return []
  const columns = result.profile
    .slice(0, COLUMNS)
    .map(column => [column.mapping ?? 'key', percent(column.fillRate), about(column.distinct, column.estimated)])
  const rows = [['column', 'filled', 'distinct'], ...columns]
  const widths = [0, 1, 2].map(at => Math.max(...rows.map(row => row[at]!.length)))
  const lines = rows.map(row => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
    return clip(cells.join('  '), width - 2)
  })
  const rest = more(result.profile.length, columns.length)
  return [...lines, ...(rest === '' ? [] : [`${rest} in the report`])].map(line => `  ${paint('dim', line)}`)
}

function issues(report: Report, result: Result, paint: Paint, width: number): string[] {
  const listed = result.issues.filter(issue => issue.severity !== 'info' && issue.message !== result.message)
  const lines = listed.slice(0, LIST).flatMap(issue => {
    const sign = issue.severity === 'error' ? paint('bad', '✗') : paint('warn', '!')
    const [first = '', ...rest] = wrap(issue.message, width - 4).slice(0, 3)
    const hint = issue.hint === null ? [] : wrap(formatHint(issue), width - 4).slice(0, 2)
    return [`  ${sign} ${first}`, ...rest.map(line => `    ${line}`), ...hint.map(line => `    ${paint('dim', line)}`)]
  })
  const general = report.warnings
    .slice(0, LIST)
    .flatMap(text => wrap(text, width - 4).map((line, i) => `  ${i === 0 ? paint('warn', '!') : ' '} ${line}`))
  // Lines of the list that are in no result are always shown.
  const notes = result.issues.filter(({ code, severity }) => code === 'FETTLE_INPUT_LINES' && severity === 'info')
  const skipped = notes
    .slice(0, LIST)
    .flatMap(({ message }) => wrap(message, width - 4).map((line, i) => `  ${i === 0 ? '–' : ' '} ${line}`))
  const shown = Math.min(listed.length, LIST) + Math.min(notes.length, LIST)
  return [...general, ...lines, ...skipped, ...restLine(listed.length + notes.length, shown, paint)]
}

function companyActions(result: Result, paint: Paint, width: number): string[] {
  const all = companyActionLines(result)
  const lines = all.slice(0, LIST + 3).map(({ about: what, text, isAlert }) => {
    return `  ${isAlert ? paint('warn', '!') : paint('good', '✓')} ${escapeTerminal(clip(`${what}: ${text}`, width - 4))}`
  })
  return [...lines, ...restLine(all.length, lines.length, paint)]
}

function files(result: Result, paint: Paint, width: number): string[] {
  const lines = result.outputs.map(({ kind, path, rows, bytes: size }) => {
    return `  ${kind.padEnd(9)} ${escapeTerminal(path)}  ${paint('dim', `${counted(rows, 'row')}, ${bytes(size)}`)}`
  })
  const { decisions } = result
  if (decisions !== null && decisions.learned > 0) {
    const decided = decisions.accepted + decisions.rejected + decisions.agreed + decisions.overruled
    lines.push(`  ${'learned'.padEnd(9)} ${counted(decisions.learned, 'row')} more matched, from ${counted(decided, 'decision')}`)
  }
  if (result.registers !== null || result.inRegister !== null)
    lines.push(...labelled('service'.padEnd(10), serviceWords(result), width - 12))
  if (result.service !== 'embedded' && result.http.requests > 0) lines.push(`  ${'spent'.padEnd(9)} ${spentWords(result)}`)
  return lines
}

const pageLine = ({ metadata: { directory } }: Report): string[] =>
  directory === null ? [] : [`  ${'report'.padEnd(9)} ${escapeTerminal(`${directory}/report.html`)}`]

/** Only what needs a person: the files are listed above. */
function next(report: Report, result: Result, paint: Paint): string[] {
  const steps = nextSteps(report, result).filter(({ command }) => command !== null)
  return steps.flatMap(({ text, command }) => [
    `  ${paint('bold', 'next'.padEnd(9))} ${text}`,
    `  ${' '.repeat(9)} ${escapeTerminal(command ?? '')}`,
  ])
}

/** Lines of at most `width` characters, broken at spaces. A longer word is not broken: it may be a command or a path. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of escapeTerminal(text).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
