/** Restores the run directory of a shard from the signed lines of its journal. */
import { type RunEvent, writeJournal } from '../journal/index.ts'
import { checkRunId, makeFolder, makeRunsFolder, runDirectory } from '../runs/run-directory.ts'

/** What is only there where it was received: without these a run fetches its results once more, which costs nothing. */
const OF_RESULTS = new Set(['file.received', 'file.lost', 'output.written', 'run.finished', 'run.paused'])

interface Line {
  readonly type?: unknown
  readonly stage?: unknown
  readonly runId?: unknown
}

const parse = (line: string): Line => JSON.parse(line) as Line

/** The run id in the lines. */
export function readRunIdIn([first]: readonly string[]): string {
  const { type, runId } = parse(first ?? '{}')
  return checkRunId(type === 'run.started' ? runId : null)
}

/** Lines without what was received. */
export function withoutResults(lines: readonly string[]): string[] {
  return lines.filter(line => {
    const { type, stage } = parse(line)
    return !OF_RESULTS.has(String(type)) && stage !== 'download'
  })
}

/** Writes the journal of the run `runId`, in place of any journal there. Throws FETTLE_OUTPUT_WRITE. */
export async function restoreRun(runsDir: string, runId: string, lines: readonly string[]): Promise<void> {
  const directory = runDirectory(runsDir, runId)
  makeRunsFolder(runsDir)
  makeFolder(directory.path)
  await writeJournal(
    directory.journal,
    lines.map(line => JSON.parse(line) as RunEvent),
  )
}
