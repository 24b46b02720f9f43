/** What a run, its job and its files are called in lineage: the same names from every process that carries the run. It builds no event. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { RunState } from '../../../journal/index.ts'
import { columnName } from '../../../model/columns.ts'
import { lineOf, type Plan, recordedInput } from '../../../pipeline/index.ts'
import type { LineageNames } from '../../../report/index.ts'
import type { LineageSettings } from './settings.ts'

/** The names of a run whose paths are relative to `cwd`. */
export const namesOf = (
  { runId, plan, shardRuns }: RunState,
  { namespace, parent, nominalTime }: LineageSettings,
  cwd: string,
): LineageNames => ({
  runId: uuidOf(runId),
  job: { namespace, name: lineOf(plan) },
  parent,
  nominalTime,
  shards: shardRuns.map((id, at) => ({
    run: { runId: uuidOf(id) },
    job: { namespace, name: lineOf({ name: plan.name, shard: { number: at + 1, of: shardRuns.length } }) },
  })),
  dataset: path => datasetOf(path, plan.input, cwd),
  column: columnName,
})

/** A namespace UUID of fettle, so that ids differ from those of other programs. */
const SPACE = Buffer.from('8d9f1f5e6c5b4f0e9a3d2b7c41f06e58', 'hex')

/** A UUID of a name (RFC 9562, version 5): the same for every process that resumes the run. */
export function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(SPACE).update(name).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Files by path, remote objects by address without user and query, as the naming rules of OpenLineage require. */
function datasetOf(path: string, input: Plan['input'], cwd: string): { readonly namespace: string; readonly name: string } {
  if (/^[a-z][a-z0-9]+:\/\//.test(path) && URL.canParse(path)) {
    const { protocol, host, pathname } = new URL(path)
    return { namespace: `${protocol}//${host}`, name: pathname.replace(/^\/+/, '') || '/' }
  }
  return {
    namespace: 'file',
    name: path === input.path && recordedInput(input).kind === 'stdin' ? '/dev/stdin' : resolve(cwd, path),
  }
}
