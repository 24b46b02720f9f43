/** Matches a list whose right answers are known against registers on this machine, and measures what is found. It sends nothing. */

import { counted } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { sentRows } from '../input/index.ts'
import { locateRowLines } from '../input/table/record-offsets.ts'
import { planRows } from '../input/table/records.ts'
import { mappedCells } from '../input/upload/asked-rows.ts'
import { rowMaker, skippedRows } from '../input/upload/upload-row.ts'
import { turnEvery } from '../loop-turns.ts'
import type { RowCandidate } from '../model/results.ts'
import { normaliseCountry } from '../normalise/country.ts'
import type { Plan } from '../pipeline/index.ts'
import type { registersHere } from '../prepare/registers.ts'
import type { MatchIndex } from '../service/matching/index.ts'
import type { Answer, Candidate, Query } from '../service/matching/types.ts'
import { type JudgedRow, type Miss, measure, missOf } from './measure.ts'
import type { Truth } from './truth.ts'

export interface EvaluateOptions {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly registers: Awaited<ReturnType<typeof registersHere>>
  /** The wished precision, for which a threshold is looked for. */
  readonly precision: number
  /** Called with each row that was decided wrongly or left to a person. */
  readonly onMiss?: ((row: MissedRow) => void) | undefined
}

interface ListedRow {
  /** From 1. */
  readonly number: number
  readonly inputRow: readonly string[]
  readonly uploadRow: readonly string[]
}

export interface MissedRow extends ListedRow {
  readonly miss: Miss
  /** The right ones first. */
  readonly candidates: readonly RowCandidate[]
}

export type Evaluation = Awaited<ReturnType<typeof evaluateList>>

interface UnknownAnswer {
  readonly row: number
  readonly answer: string
}

/** Answers that are not in the register, as results and messages name them. */
const MOST_NAMED = 5

/** Throws FETTLE_TRUTH where no row has an answer, or none of the answers is in the register; else as openRegister does. */
export async function evaluateList(plan: Plan, truth: Truth, options: EvaluateOptions) {
  const { cwd, signal, precision, onMiss } = options
  const { openForList } = await import('../service/data-cleaning/processing/list-sample.ts')
  const { readFields } = await import('../service/enrichment/tags.ts')
  const { index, registers, match, companiesNamed, close } = await openForList(sentRows(plan, cwd), options.registers)
  const rows: JudgedRow[] = []
  const unknown: UnknownAnswer[] = []
  let [list, answered] = [0, 0]
  try {
    const turn = turnEvery()
    for await (const row of filledRows(plan, cwd)) {
      await turn()
      signal.throwIfAborted()
      list++
      const answers = truth.answersOf(row.inputRow, row.uploadRow)
      if (answers === null) continue
      const query: Query = mappedCells(plan.mappings, row.uploadRow)
      const country = normaliseCountry(query.countryCode ?? '') || normaliseCountry(query.country ?? '')
      const right = new Set(answers.flatMap(text => companiesNamed(text, country)))
      if (answers.length > 0) answered++
      if (answers.length > 0 && right.size === 0) unknown.push({ row: row.number, answer: answers.join(' | ') })
      const answer = match(query)
      const judged = judge(answer, right)
      rows.push(judged)
      const miss = missOf(judged)
      if (miss !== null) onMiss?.({ ...row, miss, candidates: listCandidates(index, answer, right, readFields) })
    }
  } finally {
    close()
  }
  const first = unknown.slice(0, MOST_NAMED)
  if (answered === unknown.length) throw await refuse(plan, truth, { answered, first, registers, cwd })
  return { list, truth: truth.name, registers, unknown: { rows: unknown.length, first }, ...measure(rows, precision) }
}

async function* filledRows(plan: Plan, cwd: string): AsyncGenerator<ListedRow> {
  const toUploadRow = rowMaker(plan.mappings)
  const isSkipped = skippedRows(plan.input)
  const before = plan.shard?.from ?? 0
  let number = 0
  for await (const inputRow of plan.rows === 0 ? [] : planRows(plan, cwd)) {
    number++
    if (!isSkipped(inputRow, before + number)) yield { number, inputRow, uploadRow: toUploadRow(inputRow) }
    if (number === plan.rows) return
  }
}

const isAmong = ({ company, others }: Candidate, right: ReadonlySet<number>): boolean =>
  [company, ...others].some(record => right.has(record))

/** Reasons of a threshold, which a lower one may overcome. */
const BY_SCORE: readonly Answer['reason'][] = ['between-thresholds', 'below-threshold']

function judge({ decision, score, reason, pattern, candidates }: Answer, right: ReadonlySet<number>): JudgedRow {
  const [best] = candidates
  return {
    decision,
    score,
    isByScore: BY_SCORE.includes(reason) || (reason === null && !/^(?:id|number|vat)\b/.test(pattern)),
    evidence: pattern,
    isPresent: right.size > 0,
    isRight: best !== undefined && isAmong(best, right),
    isShown: candidates.some(candidate => isAmong(candidate, right)),
  }
}

/** A right company stands first, also one that was not found. */
function listCandidates(
  index: MatchIndex,
  { candidates, why }: Answer,
  right: ReadonlySet<number>,
  readFields: (company: ReturnType<MatchIndex['companies']['at']>) => Record<string, string>,
): RowCandidate[] {
  const show = (record: number, score: number | null, reasons: readonly string[]): RowCandidate => {
    const company = index.companies.at(record)
    const text = reasons.filter(reason => reason !== '').join(' | ')
    return { id: company.connectId, name: company.name, score, why: text, parts: {}, fields: readFields(company) }
  }
  const likely = candidates.filter((candidate, at) => at === 0 || candidate.score >= LEAST_SHOWN || isAmong(candidate, right))
  const found = likely.map((candidate, at) => ({
    isRight: isAmong(candidate, right),
    company: show(candidate.company, candidate.score, [isAmong(candidate, right) ? RIGHT : '', at === 0 ? why : candidate.why]),
  }))
  const missing = found.some(({ isRight }) => isRight) ? [] : [...right].map(record => show(record, null, [RIGHT]))
  return [...missing, ...found.sort((a, b) => Number(b.isRight) - Number(a.isRight)).map(({ company }) => company)]
}

const RIGHT = 'right answer'
/** A company with a lower score is not worth a line. */
const LEAST_SHOWN = 0.01

interface Refused {
  readonly answered: number
  readonly first: readonly UnknownAnswer[]
  readonly registers: readonly { readonly name: string }[]
  readonly cwd: string
}

async function refuse(plan: Plan, truth: Truth, { answered, first, registers, cwd }: Refused): Promise<FettleError> {
  const { path } = plan.input
  if (answered === 0) return new FettleError('FETTLE_TRUTH', `${truth.name} has no answer for a row of ${path}`)
  const [place] = await locateRowLines(plan, [first[0]!.row], cwd)
  const named = first.map(({ row, answer }) => `${answer} (row ${row})`).join(', ')
  const where = registers.map(({ name }) => name).join(', ')
  return new FettleError(
    'FETTLE_TRUTH',
    `${truth.name}: none of the answers of ${counted(answered, 'row')} is in ${where}: ${named}`,
    {
      at: { file: place?.file ?? path, line: place?.line ?? null, column: null },
      hint: 'An answer is a connectId, an id of the register or an organisation number; several are separated by |. Choose the register that has them.',
    },
  )
}
