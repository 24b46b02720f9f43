/**
 * The questions to the service about rows without a certain match, and its answers: both are files of the run directory, so that a
 * review after the run proposes the same companies.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { FettleError } from '../errors.ts'
import { readJsonLines, readJsonLinesFrom, writeJsonLines } from '../files/json-lines.ts'
import type { ProposedCompany } from '../model/requests.ts'
import type { Question, QuestionCounts } from '../model/results.ts'
import { normaliseCountry } from '../normalise/country.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { CANDIDATES_FILE, QUESTIONS_FILE } from './file-names.ts'
import type { JoinedRow, RowSink } from './row-sink.ts'

/** Parameters of `GET /companies/match` by mapping, with the most characters that each may have (contract §9.2). */
const PARAMETERS = {
  name: ['name', 500],
  orgNumber: ['regNo', 60],
  vatNumber: ['vatNo', 60],
  address1: ['street', 300],
  town: ['city', 200],
  postcode: ['postCode', 20],
  region: ['province', 200],
  phone: ['phoneNo', 60],
} as const

/** The start of a text. Half of a surrogate pair at its end, which no address can hold, is left out. */
const cutText = (text: string, longest: number): string => text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')

export type Proposals = ReadonlyMap<string, readonly ProposedCompany[]>

/** The question about an uploaded row; null without a name or a known country, which every question needs. */
export function questionMaker({ mappings }: Pick<Plan, 'mappings'>) {
  return (uploadRow: readonly string[]): Question | null => {
    const query: Record<string, string> = {}
    let country = ''
    for (const { mapping, index } of mappings) {
      const cell = (uploadRow[index] ?? '').trim()
      if (mapping === 'country' || mapping === 'countryCode') country = normaliseCountry(cell) || country
      const [parameter, longest] = PARAMETERS[mapping as keyof typeof PARAMETERS] ?? []
      if (parameter !== undefined && longest !== undefined && cell !== '') query[parameter] = cutText(cell, longest)
    }
    if (query.name === undefined || country === '') return null
    const whole = { country, ...query }
    return { id: createHash('sha256').update(JSON.stringify(whole)).digest('hex').slice(0, 32), query: whole }
  }
}

/** Collects the different questions about rows of the planned outcomes, and stores as many as the plan allows. */
export class QuestionLister implements RowSink {
  readonly #plan: NonNullable<Plan['candidates']>
  readonly #questionAbout: ReturnType<typeof questionMaker>
  readonly #workDir: string
  readonly #found: Map<string, { readonly question: Question; rows: number }>[]
  #left = 0
  #incomplete = 0
  #listed = 0

  constructor(plan: NonNullable<Plan['candidates']>, { mappings }: Pick<Plan, 'mappings'>, workDir: string) {
    this.#plan = plan
    this.#questionAbout = questionMaker({ mappings })
    this.#workDir = workDir
    this.#found = plan.for.map(() => new Map())
  }

  add({ result, uploadRow }: Pick<JoinedRow, 'result' | 'uploadRow'>): void {
    const own = this.#found[(this.#plan.for as readonly string[]).indexOf(result.outcome)]
    if (own === undefined || !isOpen(result)) return
    const question = this.#questionAbout(uploadRow)
    if (question === null) {
      this.#incomplete++
      return
    }
    const asked = this.#found.find(questions => questions.has(question.id))?.get(question.id)
    if (asked !== undefined) asked.rows++
    else if (own.size < this.#plan.limit) own.set(question.id, { question, rows: 1 })
    else this.#left++
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  async publish(): Promise<void> {
    const all = this.#found.flatMap(questions => [...questions.values()])
    const listed = all.slice(0, this.#plan.limit)
    await writeJsonLines(
      join(this.#workDir, QUESTIONS_FILE),
      listed.map(({ question }) => question),
    )
    this.#listed = listed.length
    this.#left += all.slice(listed.length).reduce((sum, { rows }) => sum + rows, 0)
  }

  counts(): QuestionCounts {
    return { listed: this.#listed, left: this.#left, incomplete: this.#incomplete }
  }
}

/** No decision was made about it, and the service listed no candidates by itself. */
const isOpen = ({ row, columns, decided }: JoinedRow['result']): boolean =>
  decided === null && !(row[columns.find('match.candidates')] ?? '').startsWith('[{')

/** The questions from number `from` (from 0) on. Throws FETTLE_OUTPUT_WRITE when there are not `listed` of them. */
export async function* readQuestions(workDir: string, listed: number, from = 0): AsyncGenerator<Question> {
  const path = join(workDir, QUESTIONS_FILE)
  const count = yield* readJsonLinesFrom<Question>(path, from)
  if (count !== listed) throw new FettleError('FETTLE_OUTPUT_WRITE', `${path} has ${count} questions, but ${listed} were listed`)
}

type Line = { readonly question: string; readonly companies: readonly ProposedCompany[] }

/** Throws FETTLE_OUTPUT_WRITE. The file is written also without answers: it shows that the service was asked. */
export function storeProposals(workDir: string, answers: Readonly<Record<string, readonly ProposedCompany[]>>): Promise<void> {
  const lines = Object.entries(answers).map(([question, companies]): Line => ({ question, companies }))
  return writeJsonLines(join(workDir, CANDIDATES_FILE), [{ question: '', companies: [] }, ...lines])
}

/** The answers by question; null before the service was asked. */
export async function readProposals(workDir: string): Promise<Proposals | null> {
  const found = new Map<string, readonly ProposedCompany[]>()
  for await (const { question, companies } of readJsonLines<Line>(join(workDir, CANDIDATES_FILE))) found.set(question, companies)
  return found.size === 0 ? null : found
}
