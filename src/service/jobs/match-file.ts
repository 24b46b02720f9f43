/** Matches every row of an uploaded file and writes one result per row. It knows no job, no status and no request. */
import type { ColumnMapping } from '../../contract/index.ts'
import type { Limits } from '../limits.ts'
import { partsOf } from '../matching/parts.ts'
import type { Candidate, Query } from '../matching/types.ts'
import { writeWhole } from '../store/files.ts'
import type { Summary } from '../store/jobs.ts'
import { readRecords } from './csv.ts'
import { CsvFault } from './csv-text.ts'
import type { Engine } from './engine.ts'
import type { Pace } from './pace.ts'
import { type RowCandidate, type RowResult, resultLine } from './results.ts'

/** One file to match. */
export interface MatchTask {
  readonly source: string
  readonly hasHeader: boolean
  readonly mappings: readonly ColumnMapping[]
  /** Where the results go. */
  readonly target: string
}

/** The mapped cells of a record, trimmed; empty ones are not asked. */
function queryOf(cells: readonly string[], mappings: readonly ColumnMapping[]): Query {
  const query: Query = {}
  for (const { mapping, value } of mappings) {
    const cell = cells[Number(value)]?.trim() ?? ''
    if (cell !== '') query[mapping] = cell
  }
  return query
}

/** Below this nobody would choose a company, unless it is the only one. */
const LEAST_SHOWN = 0.01

const likely = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter(({ score }, at) => at === 0 || score >= LEAST_SHOWN)

function shown({ company, score, why, features }: Candidate, engine: Engine): RowCandidate {
  const { connectId, name } = engine.at(company)
  return { id: connectId, name, score: Math.round(score * 1000) / 1000, why, parts: partsOf(features) }
}

/** Answers rows one after the other and remembers which companies were taken. */
function makeJudge(engine: Engine) {
  const taken = new Map<string, number>()
  return (row: number, query: Query): RowResult => {
    const { decision, score, why, pattern, banding, candidates } = engine.match(query)
    const best = candidates[0] === undefined ? null : engine.at(candidates[0].company)
    const common = { row, score, why, pattern, banding, company: null, first: null, candidates: [] }
    if (decision === 'review')
      return { ...common, outcome: 'review', candidates: likely(candidates).map(one => shown(one, engine)) }
    if (decision === 'unmatched' || best === null) return { ...common, outcome: 'unmatched' }
    const first = taken.get(best.connectId) ?? null
    if (first === null) taken.set(best.connectId, row)
    return { ...common, outcome: first === null ? 'matched' : 'duplicate', company: best.connectId, first }
  }
}

/** Matches a file. Throws a CsvFault when the file does not read cleanly: then there is no result at all. */
export function matchFile(task: MatchTask, engine: Engine, pace: Pace, limits: Limits): Promise<Summary> {
  const judge = makeJudge(engine)
  const counts = { matched: 0, review: 0, unmatched: 0, duplicate: 0 }
  return writeWhole(task.target, async write => {
    let records = 0
    let row = 0
    for await (const cells of readRecords(task.source, limits)) {
      records += 1
      if (records === 1 && task.hasHeader) continue
      row += 1
      const result = judge(row, queryOf(cells, task.mappings))
      counts[result.outcome] += 1
      await write(resultLine(result))
      await pace()
    }
    if (records === 0) throw new CsvFault('the file is empty')
    const unmatched = counts.unmatched + counts.review
    return { totalRows: row, matched: counts.matched, manualMatched: 0, unmatched, duplicates: counts.duplicate }
  })
}
