/** `fettle decide`: decides about the rows of a file by a decision table, without a service. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { EXIT, errorOfIssues } from '../../errors.ts'
import { formatOfName } from '../../formats/index.ts'
import { decideList } from '../../prepare/decision-table.ts'
import { formatDay } from '../../prepare/decisions.ts'
import { escapeTerminal, safeJson } from '../../report/formats/escape.ts'
import { decisionWords, ruleWords, unreachedWords } from '../../report/sections/decide.ts'
import { count } from '../../report/words.ts'
import type { DecidedFile, Flip } from '../../results/decide-file.ts'
import { type Flags, usageError } from '../command.ts'
import { isDay, isOn, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { printIssues } from '../terminal/print-error.ts'
import { columnsText } from './shared.ts'

/** 0, or the exit code of the problems of the table or the file. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const file = needText(flags, 'file')
  const table = needText(flags, 'table')
  const asOf = textFlag(flags, 'as-of') ?? formatDay(Date.now())
  if (!/^\d{4}-\d\d-\d\d$/.test(asOf) || !isDay(asOf)) throw usageError(`--as-of ${asOf}: expected a day such as 2026-01-31`)
  const output = readOutput(textFlag(flags, 'output'), file, io.cwd)
  const { decided, issues } = await decideList(file, { table, asOf, output, cwd: io.cwd, signal: io.signal })
  if (decided === null) {
    const { exitCode } = errorOfIssues(issues)
    if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/decide/v1', file, ok: false, exitCode, issues, decided: null }))
    else io.err(printIssues(issues, null))
    return exitCode
  }
  if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/decide/v1', file, ok: true, exitCode: EXIT.ok, issues, decided }))
  else {
    if (issues.length > 0) io.err(printIssues(issues, null))
    io.text(formatDecided(file, decided, output?.path ?? null))
  }
  return EXIT.ok
}

function readOutput(path: string | null, file: string, cwd: string) {
  if (path === null) return null
  const format = formatOfName(path)
  if (format === null) throw usageError(`--output ${path}: its name has the extension of no format`, 'For example: decided.csv.')
  if (existsSync(resolve(cwd, path)))
    throw usageError(`--output ${path} exists; refusing to overwrite it`, `Name another file than ${file}.`)
  return { path, format }
}

function formatDecided(file: string, { counts, flips }: DecidedFile, output: string | null): string {
  const table = counts.rules.map(rule => {
    const rows = rule.examples.map(({ row }) => row).join(', ')
    return [count(rule.rows), rule.decision, ruleWords(rule), `row ${rows}${rule.rows > rule.examples.length ? ' …' : ''}`]
  })
  const unreached = unreachedWords(counts)
  const lines = [
    `${file}: ${decisionWords(counts)}, by ${counts.path} as of ${counts.asOf}`,
    ...(table.length === 0
      ? []
      : columnsText([['rows', 'decision', 'rule', 'such as'], ...table])
          .split('\n')
          .map(line => `  ${line}`)),
    ...(unreached === '' ? [] : [unreached]),
    ...(flips === null ? [] : [flipWords(flips)]),
    ...(output === null ? [] : [`Written to ${output}.`]),
  ]
  return lines.map(escapeTerminal).join('\n')
}

/** `3 rows change: 2 accept -> refer (row 4, 9), 1 …` */
export function flipWords(flips: readonly Flip[]): string {
  const rows = flips.reduce((sum, flip) => sum + flip.rows, 0)
  if (rows === 0) return 'no decision changes'
  const parts = flips.map(({ from, to, rows: some, examples }) => {
    return `${count(some)} ${from} -> ${to} (row ${examples.join(', ')}${some > examples.length ? ' …' : ''})`
  })
  return `${count(rows)} ${rows === 1 ? 'decision changes' : 'decisions change'}: ${parts.join(', ')}`
}
