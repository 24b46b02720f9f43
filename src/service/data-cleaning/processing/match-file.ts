/** Matches every row of an uploaded file and writes one result per row. */
import type { ColumnMapping } from '../../../contract/index.ts'
import { CsvFault, readRecords } from '../../csv/csv.ts'
import { type RowCandidate, type RowResult, type RowSource, resultLine } from '../../enrichment/row-results.ts'
import type { Limits } from '../../limits.ts'
import type { ListFacts, Query } from '../../matching/types.ts'
import { type Choice, type Engine, type MatchResult, matchResultOf } from '../../registers/engine.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { RowCounts, Summary } from '../jobs-store.ts'
import type { Pace } from './job-pace.ts'
import { factsOf } from './list-sample.ts'

interface MatchTask {
  readonly source: string
  readonly hasHeader: boolean
  readonly mappings: readonly ColumnMapping[]
  readonly target: string
  /** Whether a row in review counts as matched by hand. */
  readonly byHand: boolean
  /** What is known of the list, and the precision wished for it; the rest is estimated from the file. */
  readonly list: Partial<ListFacts> & { readonly precision?: number }
}

/** The non-empty mapped cells of a record, trimmed. */
function readQuery(cells: readonly string[], mappings: readonly ColumnMapping[]): Query {
  const query: Query = {}
  for (const { mapping, value } of mappings) {
    const cell = cells[Number(value)]?.trim() ?? ''
    if (cell !== '') query[mapping] = cell
  }
  return query
}

const makeSource = (engine: Engine, company: number, others: readonly number[]): RowSource => ({
  register: engine.registerOf(company),
  otherIds: others.map(other => `${engine.registerOf(other)}: ${engine.at(other).connectId}`),
})

function makeCandidate({ company, others, ...reasons }: Choice, engine: Engine): RowCandidate {
  const { connectId, name } = engine.at(company)
  return { id: connectId, name, ...reasons, source: makeSource(engine, company, others) }
}

/** Rows in review count as unmatched (contract §14.1). */
const COUNTED_AS = {
  matched: 'matched',
  manualMatched: 'manualMatched',
  review: 'unmatched',
  unmatched: 'unmatched',
  duplicate: 'duplicates',
} as const satisfies Record<RowResult['outcome'], keyof RowCounts>

/** Converts findings to results; a company matched before makes a row a duplicate. */
function makeResults(engine: Engine, byHand: boolean) {
  const firstRows = new Map<string, number>()
  return (row: number, result: MatchResult): RowResult => {
    const { decision, reason, score, why, pattern, banding, company, others, choices } = result
    const common = { row, score, why, reason: reason ?? '', pattern, banding, company: null, first: null, candidates: [] }
    const isByHand = decision === 'review' && byHand && company !== null
    if (decision === 'review' && !isByHand)
      return { ...common, outcome: 'review', candidates: choices.map(choice => makeCandidate(choice, engine)) }
    if (company === null) return { ...common, outcome: 'unmatched' }
    const best = engine.at(company)
    const source = makeSource(engine, company, others)
    const nearest = { id: best.connectId, name: best.name, score, why, parts: {}, source }
    if (decision === 'unmatched') return { ...common, outcome: 'unmatched', candidates: [nearest] }
    const first = firstRows.get(best.connectId) ?? null
    if (first === null) firstRows.set(best.connectId, row)
    return {
      ...common,
      outcome: first !== null ? 'duplicate' : isByHand ? 'manualMatched' : 'matched',
      company: best.connectId,
      source,
      first,
    }
  }
}

/** The query of each data row, in file order. Throws a CsvFault at the first fault of the file. */
async function* readQueries({ source, hasHeader, mappings }: MatchTask, limits: Limits): AsyncGenerator<Query> {
  let records = 0
  for await (const cells of readRecords(source, limits)) {
    records += 1
    if (records > 1 || !hasHeader) yield readQuery(cells, mappings)
  }
  if (records === 0) throw new CsvFault('the file is empty')
}

async function* matchHere(engine: Engine, queries: AsyncIterable<Query>, list: ListFacts): AsyncGenerator<MatchResult> {
  for await (const query of queries) yield matchResultOf(engine.match(query, undefined, list), list)
}

/** Throws a CsvFault at the first fault of the file and then writes no result. `onRow` is called with the counts after each row. */
export async function matchFile(
  task: MatchTask,
  engine: Engine,
  { pace, limits, onRow }: { readonly pace: Pace; readonly limits: Limits; readonly onRow: (counts: RowCounts) => void },
) {
  let { inRegister, companyNumbers } = task.list
  // Where both are known, the file is read once.
  if (inRegister === undefined || companyNumbers === undefined) {
    const estimated = await factsOf(readQueries(task, limits), engine, { pace, precision: task.list.precision })
    inRegister ??= estimated.inRegister
    companyNumbers ??= estimated.companyNumbers
  }
  const list = { inRegister, companyNumbers }
  const makeResult = makeResults(engine, task.byHand)
  const counts = { matched: 0, manualMatched: 0, unmatched: 0, duplicates: 0 }
  const summary = await writeWhole(task.target, async (write): Promise<Summary> => {
    let row = 0
    const queries = readQueries(task, limits)
    for await (const finding of engine.matchAll?.(queries, list) ?? matchHere(engine, queries, list)) {
      row += 1
      const result = makeResult(row, finding)
      counts[COUNTED_AS[result.outcome]] += 1
      onRow(counts)
      await write(resultLine(result))
      await pace()
    }
    return { totalRows: row, ...counts }
  })
  return { summary, inRegister, companyNumbers }
}
