/** The files of a run against their recorded checksums, and its decisions against the rows that they changed. */
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError, type Issue } from '../../errors.ts'
import { fileDigest } from '../../files/file-chunks.ts'
import type { RunState } from '../../journal/index.ts'
import { isAddress, RUN_OUTPUT } from '../../pipeline/index.ts'
import { RENDERERS, type Report } from '../../report/index.ts'
import {
  APPLIED_FILE,
  CONTENTS_FILE,
  isEnrichedFile,
  JOURNAL_FILE,
  QUEUE_FILE,
  ROWS_FILE,
  receivedPath,
  reviewPath,
} from '../../results/file-names.ts'
import { type Decision, isAsReceived, readReview, requireDecisions } from '../../results/index.ts'
import { readPruned } from '../runs/pruned-runs.ts'
import { isWorkFile } from '../runs/report-seal.ts'
import { listRunIds, type RunDirectory, readRun, runDirectory } from '../runs/run-directory.ts'

/** What the checks find; they add to it. */
export interface Findings {
  readonly files: string[]
  readonly faults: Issue[]
  readonly notes: string[]
  readonly fault: (file: string, why: string, line?: number | null) => void
}

async function compare(path: string, isWritten: Promise<boolean>, { files, fault }: Findings): Promise<void> {
  files.push(path)
  if (!(await isWritten)) fault(path, 'is not as the run wrote it: its SHA-256 is another one')
}

const hasDigest = async (path: string, sha256: string): Promise<boolean> => (await fileDigest(path)) === sha256

/** Received files by the journal, the others by the report. Files that nothing records are named, and are no fault. */
export async function verifyRunFiles(
  { path }: RunDirectory,
  { state, report }: { readonly state: RunState | null; readonly report: Report | null },
  findings: Findings,
): Promise<void> {
  const known = new Set<string>([JOURNAL_FILE, CONTENTS_FILE, RENDERERS.json.file])
  for (const { part, received } of state?.jobs ?? []) {
    const file = receivedPath(path, part)
    known.add(file.slice(path.length + 1))
    if (received !== null && existsSync(file)) await compare(file, isAsReceived(file, received), findings)
  }
  for (const { path: name, sha256 } of report?.files ?? []) {
    known.add(name)
    const file = join(path, name)
    if (existsSync(file)) await compare(file, hasDigest(file, sha256), findings)
    else if (!isWorkFile(name)) findings.fault(file, 'is missing')
  }
  if (report === null || report.files.length === 0) return
  for (const { name } of readdirSync(path, { withFileTypes: true }).filter(one => one.isFile()))
    if (!known.has(name) && !mayBeOf(state, name)) findings.notes.push(`${join(path, name)} is not a file of the run`)
}

/** Whether a run writes a file of this name, which neither its jobs nor its report name. */
function mayBeOf(state: RunState | null, name: string): boolean {
  if (state !== null && isEnrichedFile(name)) return false
  if (state !== null && name === QUEUE_FILE) return state.shardRuns.length > 0
  return isWorkFile(name) || (name === ROWS_FILE && state?.outputs.some(({ path }) => path === RUN_OUTPUT) !== false)
}

interface Place {
  readonly state: Pick<RunState, 'outputs' | 'forgotten'>
  readonly runsDir: string
  readonly cwd: string
  readonly id: string
}

/** The outputs as this run wrote them, unless a later run replaced them. */
export async function verifyOutputs({ state, runsDir, cwd, id }: Place, findings: Findings): Promise<void> {
  let later: ReadonlySet<string> | null = null
  for (const { path, sha256 } of state.outputs) {
    if (isAddress(path)) {
      findings.notes.push(`${path} is not compared: it is not on this machine`)
      continue
    }
    const file = path === RUN_OUTPUT ? join(runDirectory(runsDir, id).path, ROWS_FILE) : resolve(cwd, path)
    const found = await fileDigest(file)
    if (found === sha256) {
      findings.files.push(path)
      continue
    }
    later ??= outputsAfter(runsDir, id)
    if (later.has(digestKey(path, found))) findings.notes.push(`${path} is not compared: a later run replaced it`)
    else if (found === null && path === RUN_OUTPUT && state.forgotten.length > 0) continue
    else if (found === null) findings.fault(path, `is missing in ${cwd}`)
    else {
      findings.files.push(path)
      findings.fault(path, 'is not as the run wrote it: its SHA-256 is another one')
    }
  }
}

const digestKey = (path: string, sha256: string | null): string => `${sha256 ?? ''} ${path}`

/** What later runs recorded: a run counts whose journal is whole and its own. */
function outputsAfter(runsDir: string, id: string): ReadonlySet<string> {
  const recorded = new Set<string>()
  // Ids begin with the time of their start.
  for (const other of listRunIds(runsDir).filter(one => one.slice(0, 16) > id.slice(0, 16)))
    try {
      const { runId, outputs } = readRun(runsDir, other)
      if (runId === other) for (const { path, sha256 } of outputs) recorded.add(digestKey(path, sha256))
    } catch {
      // A run that cannot be read is a fault of that run.
    }
  for (const { runId, outputs = [] } of readPruned(runsDir).runs)
    if (runId.slice(0, 16) > id.slice(0, 16)) for (const { path, sha256 } of outputs) recorded.add(digestKey(path, sha256))
  return recorded
}

/** Every decision that was applied is that of a row, and every decided row has its line. */
export async function verifyDecisions({ path }: RunDirectory, state: RunState, { files, fault }: Findings): Promise<void> {
  const file = join(path, APPLIED_FILE)
  const { accepted, rejected, overruled } = state.decisions ?? { accepted: 0, rejected: 0, overruled: 0 }
  const changed = accepted + rejected + overruled
  if (!existsSync(file)) {
    if (changed > 0) fault(file, `is missing, and decisions changed ${counted(changed, 'row')}`)
    return
  }
  files.push(file)
  let lines: readonly Decision[]
  try {
    lines = await requireDecisions(file)
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return fault(file, `cannot be read: ${error.message}`, error.at?.line ?? null)
  }
  const review = reviewPath(path)
  if (!existsSync(review) || state.plan.report.rows === 'none') return
  const keys = new Set(lines.map(keyOf))
  try {
    for await (const { row, fingerprint, decision } of readReview(path))
      if (decision !== null && !keys.has(keyOf({ ...decision, fingerprint })))
        fault(file, `lacks the decision about row ${row}, which was applied`)
  } catch {
    fault(review, 'cannot be read')
  }
}

const keyOf = ({ fingerprint, decision, company }: Pick<Decision, 'fingerprint' | 'decision' | 'company'>): string =>
  [fingerprint, decision, company].join('\0')
