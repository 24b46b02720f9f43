/** The pipeline that a test runs: the work of the pipeline under test, over the rows of the test, with its result beside the runs. */

import { resolve } from 'node:path'
import { defined } from '../defined.ts'
import type { Env } from '../env/environment.ts'
import { errorOfIssues, FettleError } from '../errors.ts'
import type { RowsPipeline } from '../library/input-rows.ts'
import { snakeCase } from '../model/columns.ts'
import { defaultColumns, type PipelineInput, pipelineFormat, plainPipeline, type TestCase } from '../pipeline/index.ts'
import { NO_OVERRIDES, parseAnyTarget, readText } from '../prepare/read-pipeline.ts'

/** Reads the pipeline under test. Throws with all its problems, except for variables that are not set: a test has its own service. */
export async function readTested(file: string, env: Env, cwd: string): Promise<PipelineInput> {
  const text = await readText(file)
  if (typeof text !== 'string') throw errorOfIssues([text])
  const parsed = parseAnyTarget(text, file, { ...NO_OVERRIDES, env, vars: {}, cwd })
  if ('code' in parsed) throw errorOfIssues([parsed])
  const problems = parsed.issues.filter(({ severity, code }) => severity === 'error' && code !== 'FETTLE_PIPELINE_VARIABLE')
  if (parsed.pipeline === null && problems.length > 0) throw errorOfIssues(problems)
  return plainPipeline(text, pipelineFormat(file) ?? 'yaml')
}

/** Keys of a pipeline that decide about rows. Limits and checks are about whole lists; the rest reaches people or other services. */
const KEPT = ['name', 'vars', 'mappings', 'job', 'enrich', 'accept', 'candidates', 'screen', 'dedupe'] as const

const ALWAYS = ['match.outcome', 'match.why', 'general.connectId', 'general.companyName'] as const
type Always = (typeof ALWAYS)[number]

/**
 * `folder` is the folder of the test file, which its paths start from. `key` is the column of the result that holds the key; null: rows
 * are numbered from 1. `names` are the names of the columns in the result.
 */
export function testPipeline(tested: PipelineInput, test: TestCase, folder: string, decisions: string | null) {
  const { decisions: _ofHits, verify: _proof, people: _directors, ...screen } = tested.screen ?? {}
  const chosen = { ...tested, screen: tested.screen == null ? undefined : screen }
  const kept = Object.fromEntries(KEPT.flatMap(key => (chosen[key] === undefined ? [] : [[key, chosen[key]]])))
  const given = typeof tested.input === 'object' ? tested.input : {}
  const key = readKey(tested)
  const { rows: _rows, keep: _keep, empty: _empty, rejects, ...reading } = given as Record<string, unknown>
  const left = typeof rejects === 'object' && rejects !== null && { rejects: { ...rejects, file: 'rejects.csv' } }
  const headers = key === null ? mappedHeaders(tested) : [key, ...mappedHeaders(tested)]
  const input =
    typeof test.rows === 'string'
      ? { ...reading, ...left, path: resolve(folder, test.rows) }
      : defined({ path: completeRows(test.rows, headers), key: key ?? undefined })
  const { output, names } = makeOutput(tested)
  const review = decisions !== null && { review: { decisions } }
  return {
    pipeline: { ...kept, ...chooseTags(tested), input, output, ...review } as unknown as RowsPipeline,
    key: key === null ? null : names(key),
    names: Object.fromEntries(ALWAYS.map(column => [column, names(column)])) as Record<Always, string>,
  }
}

/** Rows with the keys of all rows, in the order in which they first occur, and with the headers that the pipeline reads. */
function completeRows(rows: readonly Readonly<Record<string, string>>[], headers: readonly Headers[]): Record<string, string>[] {
  const names = new Set(rows.flatMap(row => Object.keys(row)))
  for (const header of headers) {
    const [first, ...others] = [header].flat()
    if (first !== undefined && ![first, ...others].some(name => names.has(name))) names.add(first)
  }
  return rows.map(row => Object.fromEntries([...names].map(name => [name, Object.hasOwn(row, name) ? row[name]! : ''])))
}

/** The header of the key of a row. */
export const readKey = ({ input }: PipelineInput): string | null =>
  typeof input === 'object' && 'key' in input && typeof input.key === 'string' ? input.key : null

type Headers = readonly string[] | string

/** Headers of the mappings, the alternatives of each together. */
export const mappedHeaders = ({ mappings }: PipelineInput): Headers[] =>
  Object.values(mappings ?? {}).flatMap((mapping): Headers[] => {
    if (typeof mapping === 'string') return [mapping]
    return typeof mapping === 'object' && mapping !== null && 'from' in mapping ? [mapping.from as Headers] : []
  })

function makeOutput({ output, enrich }: PipelineInput) {
  const given = typeof output === 'object' && output !== null ? output : {}
  const { product = 'basic', tags = null } = typeof enrich === 'object' && enrich !== null ? enrich : {}
  const columns = 'columns' in given && Array.isArray(given.columns) ? given.columns : defaultColumns(product, tags)
  const readFrom = (column: string | { from: string }): string => (typeof column === 'string' ? column : column.from)
  const all = ['*', ...ALWAYS].filter(name => !columns.some(column => readFrom(column) === name))
  const isSnake = 'names' in given && given.names === 'snake'
  const written = [...columns, ...all]
  const names = (name: string): string => {
    const column = written.find(candidate => readFrom(candidate) === name)
    if (typeof column === 'object' && column !== null && 'as' in column) return String(column.as)
    return isSnake ? snakeCase(name, 0) : name
  }
  return { output: defined({ path: 'result.jsonl', columns: written, names: isSnake ? 'snake' : undefined }), names }
}

/** The tags of the pipeline and those that a test needs. */
function chooseTags({ enrich }: PipelineInput): Pick<PipelineInput, 'enrich'> | Record<never, never> {
  if (enrich === 'none') return { enrich: 'basic' }
  if (typeof enrich !== 'object' || enrich === null || !Array.isArray(enrich.tags)) return {}
  const tags = [...new Set([...enrich.tags, 'general.connectId', 'general.companyName'])]
  return { enrich: { ...enrich, tags } } as Pick<PipelineInput, 'enrich'>
}

/** The file that a test file is about: the one it names, or the pipeline of the same name beside it. */
export const noPipeline = (file: string, tried: readonly string[]): FettleError =>
  new FettleError('FETTLE_TEST_FILE', `${file} names no pipeline, and no pipeline has its name: ${tried.join(', ')}`, {
    hint: 'Set pipeline: to the file under test.',
  })
