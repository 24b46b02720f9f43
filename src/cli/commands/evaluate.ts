/** `fettle evaluate`: matches a list whose right answers are known, and prints precision, recall and review load. */
import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { EXIT, errorOfIssues } from '../../errors.ts'
import { type Evaluation, evaluateList, type MissedRow } from '../../evaluate/evaluate.ts'
import type { Figures } from '../../evaluate/measure.ts'
import { MOST_MISSES, missesTable } from '../../evaluate/misses.ts'
import { type Truth, truthInColumn, truthInDecisions } from '../../evaluate/truth.ts'
import type { Plan } from '../../pipeline/index.ts'
import { formatDay } from '../../prepare/decisions.ts'
import { prepare } from '../../prepare/prepare.ts'
import { registersHere } from '../../prepare/registers.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import { count, counted, percent } from '../../report/words.ts'
import { writeTable } from '../../results/index.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, registerFlag, shareFlag, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { printIssues } from '../terminal/print-error.ts'
import { columnsText, prepareContext } from './shared.ts'

const SCHEMA = 'fettle/evaluate/v1'
/** In place of the outputs of the pipeline: the list may be an earlier output. */
const UNWRITTEN = 'fettle-evaluation.csv'

/** 0, or the exit code of `check` for a pipeline or list with errors. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const file = needText(flags, 'pipeline')
  const precision = shareFlag(flags, 'precision')!
  const misses = readMisses(flags, io)
  // These are the registers of the evaluation: the service of the pipeline may have its own.
  const context = { ...prepareContext(flags, io), register: null, output: UNWRITTEN, isOffline: true }
  const { plan, issues, input, release } = await prepare(file, context)
  release()
  if (plan === null || input === null) {
    const { exitCode } = errorOfIssues(issues)
    if (isOn(flags, 'json')) io.out(safeJson({ schema: SCHEMA, file, ok: false, exitCode, issues, evaluation: null }))
    else io.err(printIssues(issues, null))
    return exitCode
  }
  if (input.kind !== 'file')
    throw usageError(`the list is read from a file, and the input is ${input.shown}`, 'Pass --input with a file of the list.')
  if (misses !== null && plan.report.rows === 'none')
    throw usageError(`--misses ${misses.path}: report.rows: none keeps rows out of reviews`, 'Set report.rows: review.')
  const missed: MissedRow[] = []
  const evaluation = await evaluateList(plan, await readTruth(plan, flags, io), {
    registers: await registersHere(plan, { env: io.env, register: registerFlag(flags) }),
    cwd: io.cwd,
    signal: io.signal,
    precision,
    onMiss: misses === null ? undefined : row => missed.length < MOST_MISSES && missed.push(row),
  })
  if (misses !== null) {
    const { names, rows } = missesTable(plan, missed)
    await writeTable(resolve(io.cwd, misses.path), misses.format, names, rows)
  }
  if (isOn(flags, 'json'))
    io.out(safeJson({ schema: SCHEMA, file, name: plan.name, ok: true, exitCode: EXIT.ok, issues, evaluation }))
  else {
    if (issues.length > 0) io.err(printIssues(issues, null))
    const { wrong, missed: notFound, review } = evaluation.misses
    const all = wrong + notFound + review
    const written = missed.length < all ? `the first ${count(missed.length)} of ${counted(all, 'row')}` : counted(all, 'row')
    io.text(formatEvaluation(plan, evaluation, misses && `${written} in ${misses.path}`))
  }
  return EXIT.ok
}

function readMisses(flags: Flags, io: Io): { readonly path: string; readonly format: 'csv' | 'xlsx' } | null {
  const path = textFlag(flags, 'misses')
  if (path === null) return null
  const format = extname(path).toLowerCase().slice(1)
  if (format !== 'csv' && format !== 'xlsx') throw usageError(`--misses ${path}: expected a name that ends in .csv or .xlsx`)
  if (existsSync(resolve(io.cwd, path)))
    throw usageError(`--misses ${path} exists; refusing to overwrite it`, 'Name another file.')
  return { path, format }
}

async function readTruth(plan: Plan, flags: Flags, io: Io): Promise<Truth> {
  const column = textFlag(flags, 'truth')
  if (column !== null) return truthInColumn(plan, column)
  const path = textFlag(flags, 'decisions') ?? plan.decisions
  if (path === null)
    throw usageError(
      'the right answers are unknown: the pipeline has no review.decisions',
      'Name their column with --truth, or decisions about rows of the list with --decisions.',
    )
  return truthInDecisions(plan, path, formatDay(Date.now()), io.cwd)
}

function formatEvaluation(plan: Plan, evaluation: Evaluation, misses: string | null): string {
  const { list, truth, registers, unknown, threshold, evidence, rows, inRegister } = evaluation
  const against = registers.map(
    ({ name, companies, snapshotDate }) => `${name} (${counted(companies, 'company', 'companies')}, ${snapshotDate})`,
  )
  const named = unknown.first.map(({ row, answer }) => `${answer} (row ${row})`).join(', ')
  const { precision, at } = threshold
  const lines = [
    `${plan.name}  (${plan.file})`,
    `  rows       ${count(rows)} of ${counted(list, 'row')}, by ${truth}: ${count(inRegister)} in the register, ${count(rows - inRegister)} not`,
    `  against    ${against.join(', ')}`,
    ...(unknown.rows === 0
      ? []
      : [
          `  unknown    ${counted(unknown.rows, 'answer')} not in the register: ${named}${unknown.rows > unknown.first.length ? ' …' : ''}`,
        ]),
    `  precision  ${shareText(evaluation.precision)} matches are right`,
    `  recall     ${shareText(evaluation.recall)} in the register are matched rightly, ${percent(evaluation.recallWithReview.share)} once the review is done`,
    `  review     ${loadText(evaluation.review)}`,
    at === null
      ? `  threshold  no score has a precision of ${percent(precision)}`
      : `  threshold  ${percent(precision)} of the matches are right from score ${at.score.toFixed(3)} on: recall ${shareText(at.recall)}, review ${loadText(at.review)}`,
    ...(misses === null ? [] : [`  misses     ${misses}`]),
  ]
  const table = evidence.map(kind => [
    kind.evidence || 'none',
    ...[kind.rows, kind.precision.of, kind.precision.of - kind.precision.found].map(count),
    kind.precision.of === 0 ? '' : shareText(kind.precision).replace(/:.*/, ''),
    ...[kind.review.found, kind.inRegister - kind.precision.found].map(count),
  ])
  const head = ['evidence', 'rows', 'matched', 'wrong', 'precision', 'review', 'not found']
  return [...lines.map(escapeTerminal), '', columnsText([head, ...table])].join('\n')
}

type Share = Figures['precision']

const shareText = ({ found, of, share, low, high }: Share): string =>
  share === null ? 'unknown: 0 of 0' : `${percent(share)} (${percent(low)} to ${percent(high)}): ${count(found)} of ${count(of)}`

const perThousand = (share: number | null): string => (share === null ? 'unknown' : String(Math.round(share * 1000)))

const loadText = ({ share, low, high }: Share): string =>
  `${perThousand(share)} per 1,000 rows (${perThousand(low)} to ${perThousand(high)})`
