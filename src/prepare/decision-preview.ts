/** How many rows of the last good run would be decided otherwise by the present table: its output is decided about again. */
import { resolve } from 'node:path'
import { fileDigest } from '../files/file-chunks.ts'
import { AS_FOUND, inspect } from '../input/table/inspect.ts'
import type { RunState } from '../journal/index.ts'
import { listColumns } from '../model/columns.ts'
import { type InputFacts, isAddress, type Plan, RESULT_COLUMNS } from '../pipeline/index.ts'
import { type DecidedFile, decideFile } from '../results/decide-file.ts'
import { lastGoodRun, type SeriesOwner } from '../runs/run-store.ts'

/** The rows that would be decided otherwise, or why that is not known. */
export type DecisionPreview =
  | { readonly runId: string; readonly file: string; readonly decided: DecidedFile }
  | { readonly runId: string; readonly why: string }

/** Null without a decision table, and without a good run that decided about rows. */
export async function previewDecisions(
  plan: Plan,
  owner: SeriesOwner,
  runsDir: string,
  root: string,
): Promise<DecisionPreview | null> {
  const { decide } = plan
  const before = decide === undefined ? null : lastGoodRun(runsDir, owner)
  if (decide === undefined || before === null || before.decide === null) return null
  const { runId } = before
  const found = await readOutput(before, root)
  if ('why' in found) return { runId, why: found.why }
  const { facts, names } = found
  const decided = await decideFile(facts, { ...decide, asOf: decide.asOf ?? plan.decideOn ?? '', root, names })
  return { runId, file: facts.path, decided }
}

/** The output of a run as it was written, with the names that its columns have in a pipeline. */
async function readOutput(
  { outputs, plan }: RunState,
  root: string,
): Promise<{ readonly why: string } | { readonly facts: InputFacts; readonly names: readonly string[] }> {
  const file = outputs.find(({ kind }) => kind === 'output')
  if (file === undefined || plan.output === null || plan.output.table !== undefined || isAddress(file.path))
    return { why: 'its output is not a local file' }
  const digest = await fileDigest(resolve(root, file.path))
  if (digest !== file.sha256) return { why: `${file.path} ${digest === null ? 'is gone' : 'was changed since'}` }
  const { facts } = await inspect({ ...AS_FOUND, path: file.path }, { root })
  if (facts?.header == null) return { why: `${file.path} cannot be read again` }
  const own = plan.input.header ?? []
  // The columns are those that were written, by position: a column of the list may have the name of one of the answer.
  const columns = listColumns(plan.output, own.length)
  if (facts.header.length !== columns.length) return { why: `${file.path} has other columns than the run wrote` }
  const ofResult = new Set(columns.flatMap(({ name, index }) => (index === null ? [name] : [])))
  const names = columns.map(({ name, index }) => {
    const header = index === null ? name : own[index]!
    return index !== null && (ofResult.has(header) || RESULT_COLUMNS.has(header)) ? '' : header
  })
  return { facts, names }
}
