/**
 * Proves the paid answers of an unfinished run without its list, which may be a different one by now: the proof of order of the join, and
 * the n-th row that came back repeats the n-th key of the choice of that run.
 */
import { counted } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { byOutcome, type Outcomes } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { EnrichedColumns } from '../results/enriched-columns.ts'
import { openEnriched, outcomeReader } from '../results/enriched-file.ts'
import { receivedPath } from '../results/file-names.ts'
import { orderProof } from '../results/row-order.ts'
import type { AnswerSink } from './answer-sink.ts'
import { rowKeyMaker } from './files/row-key.ts'

/** The received file of a job, and what it must prove. */
export interface PaidPart {
  readonly part: number
  /** The keys of the whole run. */
  readonly keys: readonly Buffer[]
  /** Throws where the counts of the service contradict these. */
  readonly accept: (outcomes: Outcomes) => void
}

/** Adds the answers of a part to a sink. Throws FETTLE_LEDGER and FETTLE_ROW_ORDER for a file that proves less, and FETTLE_OUTPUT_WRITE. */
export async function addProved(sink: AnswerSink, plan: Plan, workDir: string, { part, keys, accept }: PaidPart): Promise<void> {
  const file = await openEnriched(plan, workDir, part)
  if (file === null) throw ledger(`${receivedPath(workDir, part)} is missing`)
  try {
    if (file.problem !== null) throw file.problem
    const { columns, rows } = file
    const readOutcome = outcomeReader(columns)
    const readSent = sentRowReader(plan, columns)
    const rowKey = rowKeyMaker(plan)
    const { from, rows: count } = plan.parts[part]!
    const proof = orderProof(plan, columns, { rowsBefore: from, rows: count })
    const counts = byOutcome(() => 0)
    let number = 0
    for (;;) {
      const { value: row, done } = await rows.next()
      if (done) break
      if (number === count) throw ledger(`${counted(number, 'row')} sent and more came back`)
      const key = keys[from + number++]
      const sent = readSent(row)
      proof.check(from + number, row, sent)
      if (key === undefined || !rowKey(sent).equals(key))
        throw new FettleError(
          'FETTLE_ROW_ORDER',
          `row ${number} of the enriched file does not repeat the cells that were sent in row ${number}`,
        )
      const outcome = readOutcome(row, number)
      counts[outcome === 'duplicate' ? 'duplicates' : outcome]++
      await sink.add({ result: { raw: { row, columns, outcome, number, part } }, inputRow: sent, uploadRow: sent })
    }
    if (number < count) throw ledger(`${counted(count, 'row')} sent and ${number} came back`)
    proof.end()
    accept(counts)
  } finally {
    await file.close()
  }
}

const ledger = (message: string): FettleError => new FettleError('FETTLE_LEDGER', message)

/** Reads the row that was sent, constants included, from the enriched row that repeats it. */
function sentRowReader(
  { mappings }: Pick<Plan, 'mappings'>,
  { own }: EnrichedColumns,
): (enriched: readonly string[]) => readonly string[] {
  const constants = new Map(mappings.flatMap(({ index, value }) => (value === undefined ? [] : [[index, value]])))
  return enriched => {
    const row = own.map(([place]) => enriched[place ?? -1] ?? '')
    for (const [index, value] of constants) row[index] = value
    return row
  }
}
