/** The run of a shard brought back from the lines that a queue keeps of its journal: their directory, as the worker had it. */
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { Checksums, resealed } from '../../journal/index.ts'
import { checkRunId, makeFolder, makeRunsFolder, runDirectory } from '../runs/run-directory.ts'

/** What is only there where it was received: without these a run fetches its results once more, which costs nothing. */
const OF_RESULTS = new Set(['file.received', 'output.written', 'run.finished', 'run.paused'])

interface Line {
  readonly type?: unknown
  readonly stage?: unknown
  readonly runId?: unknown
}

const parse = (line: string): Line => {
  try {
    // Of null there is no field.
    return Object(JSON.parse(line)) as Line
  } catch {
    throw new FettleError('FETTLE_JOURNAL_DAMAGED', 'the journal of a shard in the queue is not a journal')
  }
}

/** The run id in the lines. Throws FETTLE_JOURNAL_DAMAGED when it is missing. */
export function runIdOf([first]: readonly string[]): string {
  const { type, runId } = parse(first ?? '')
  return checkRunId(type === 'run.started' ? runId : null)
}

/** Lines without what was received. Throws FETTLE_JOURNAL_DAMAGED when they are not the lines that were written. */
export function withoutResults(lines: readonly string[]): string[] {
  const sums = new Checksums()
  for (const [index, line] of lines.entries()) {
    const fault = sums.accept(line)
    if (fault !== null)
      throw new FettleError(
        'FETTLE_JOURNAL_DAMAGED',
        `line ${index + 1} of the journal that the queue keeps of a shard is damaged, ${fault}`,
      )
  }
  const kept = lines.filter(line => {
    const { type, stage } = parse(line)
    return !OF_RESULTS.has(String(type)) && stage !== 'download'
  })
  return resealed(kept)
}

/** Writes the journal of the run `runId`, which its lines were proved to be of, in place of what is there of it. Throws FETTLE_OUTPUT_WRITE. */
export async function restoreRun(runsDir: string, runId: string, lines: readonly string[]): Promise<void> {
  const directory = runDirectory(runsDir, runId)
  makeRunsFolder(runsDir)
  makeFolder(directory.path)
  await writeAtomic(directory.journal, lines.map(line => `${line}\n`).join(''))
}
