/**
 * The results of a run: the enriched files are received whole, then read side by side with the input, row by row, and the output
 * files are made of both. The cells of the input stand in the output as they were, whatever went up. Memory is constant.
 */
import { FettleError } from '../errors.ts'
import type { Plan } from '../pipeline/types.ts'
import { alignment, type EnrichedFile, openEnriched, outcomeReader } from './enriched.ts'
import { missingColumns } from './layout.ts'
import { checkPlanned } from './planned.ts'
import { padRow } from './prepare.ts'
import { type IncomingFile, type ReceivedFile, Receiver } from './receive.ts'
import { readRows } from './records.ts'
import { type OutcomeCounts, type SampleRow, Tally } from './tally.ts'
import type { WorkExtra } from './work.ts'
import { Writers, type WrittenFile } from './writers.ts'

/** What became of the rows. */
interface PublishedResults {
  readonly files: readonly WrittenFile[]
  readonly outcomes: OutcomeCounts
  readonly samples: readonly SampleRow[]
  /** Twenty buckets of 0.05; empty when the file carries no scores. */
  readonly scores: readonly number[]
  /** Chosen columns that the service did not deliver: they stand empty. */
  readonly missing: readonly string[]
}

/** Where enriched files are received and outputs are made of them. */
interface FileResults {
  /** Throws FETTLE_DOWNLOAD_CUT for a file cut short, FETTLE_LEDGER for one that is whole but has other rows. */
  receive(part: number, download: IncomingFile, rows: number): Promise<ReceivedFile>
  /**
   * Writes the output files, each whole or not at all; a second time it writes the same bytes. None gets its name when `accept`
   * throws at what became of the rows.
   */
  publish(accept?: (outcomes: OutcomeCounts) => void): Promise<PublishedResults>
  /** Removes the enriched files: their rows stand in the outputs. */
  remove(): Promise<void>
}

/** The results of a plan; enriched files are kept in `workDir`, outputs must lie in `extra.root`. */
export function openResults(plan: Plan, workDir: string, extra: WorkExtra = {}): FileResults {
  const receiver = new Receiver(workDir)
  return {
    receive: (part, download, rows) => receiver.receive(part, download, rows),
    publish: (accept = () => {}) => publish(plan, workDir, extra, accept),
    remove: () => receiver.remove(),
  }
}

async function publish(
  plan: Plan,
  workDir: string,
  extra: WorkExtra,
  accept: (outcomes: OutcomeCounts) => void,
): Promise<PublishedResults> {
  await checkPlanned(plan.input, extra.root, extra.signal)
  const writers = plan.output === null ? null : await Writers.open(plan, plan.output, workDir, extra)
  const own = readRows(plan.input, extra.root)
  const tally = new Tally(plan)
  try {
    let rows = 0
    const missing = new Set<string>()
    for (let part = 0; ; part++) {
      const file = await openEnriched(plan, workDir, part)
      if (file === null) break
      try {
        await writers?.begin(file.columns)
        if (plan.output !== null) for (const name of missingColumns(plan.output, file.columns)) missing.add(name)
        rows = await join(plan, file, own, rows, tally, writers, extra)
      } finally {
        await file.close()
      }
    }
    if (rows !== plan.rows) throw new FettleError('FETTLE_LEDGER', `${plan.rows} rows were sent and ${rows} came back`)
    const outcomes = tally.outcomes()
    accept(outcomes)
    const files = (await writers?.publish()) ?? []
    return { files, outcomes, samples: tally.samples, scores: tally.scores(), missing: [...missing] }
  } finally {
    await own.return(undefined)
    await writers?.discard()
  }
}

/** Joins one part's rows to the input's next rows; gives the number of rows so far. */
async function join(
  plan: Plan,
  { columns, rows }: EnrichedFile,
  own: AsyncGenerator<string[]>,
  rowsBefore: number,
  tally: Tally,
  writers: Writers | null,
  { signal }: WorkExtra,
): Promise<number> {
  const { isTold, of: outcomeOf } = outcomeReader(columns)
  const checkAlignment = alignment(plan, columns, rowsBefore)
  tally.begin(columns, isTold)
  let number = rowsBefore
  for await (const enriched of rows) {
    const next = await own.next()
    number++
    if (next.done || number > plan.rows) throw new FettleError('FETTLE_LEDGER', `${plan.rows} rows were sent and more came back`)
    if (number % 1000 === 0) signal?.throwIfAborted()
    checkAlignment(number, enriched, padRow(next.value, plan.mappings))
    const outcome = outcomeOf(enriched, number)
    tally.add(number, outcome, next.value, enriched, columns)
    await writers?.add(next.value, enriched, outcome)
  }
  return number
}
