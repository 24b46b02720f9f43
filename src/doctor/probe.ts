/**
 * Sends one row of a list through the account of a pipeline, as an ordinary run of a separate pipeline, and reads what comes back: it
 * shows whether the enriched file of this account is read rightly. Outputs, portfolio, events and the runs of the pipeline are not touched.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { EXIT, errorOfIssues, FettleError } from '../errors.ts'
import type { RunSettings } from '../execution/run-settings.ts'
import { startRun } from '../execution/start.ts'
import { csvText } from '../formats/text-formats.ts'
import { readRows } from '../input/table/records.ts'
import type { RunState } from '../journal/index.ts'
import { createDispatcher, type RunReporter } from '../observe/reporters.ts'
import { nearest, type Plan, ROWS_NAME, RUN_OUTPUT, restorePipeline } from '../pipeline/index.ts'
import { wantedTags } from '../pipeline/model/wanted-tags.ts'
import { type Prepared, prepareValue } from '../prepare/prepare.ts'
import { NO_OVERRIDES } from '../prepare/read-pipeline.ts'
import { openEnriched } from '../results/enriched-file.ts'
import { receivedPath } from '../results/file-names.ts'
import { runDirectory } from '../runs/run-directory.ts'
import { stageInput } from '../staging/staged-input.ts'

/** The row to send: by its number from 1, or the first whose name holds this text. */
export type ProbedRow = { readonly row: number } | { readonly name: string }

/** A column that the service added, and the tag that it is read as; null for one that nothing reads. */
export interface ProbedColumn {
  readonly header: string
  readonly tag: string | null
  readonly kind: 'empty' | 'number' | 'date' | 'text'
  readonly cell: string
}

export interface ProbeResult {
  readonly state: RunState
  /** Null where nothing is enriched, the run failed, or it was interrupted after it had removed the file. */
  readonly file: {
    /** How it came. */
    readonly form: NonNullable<RunState['jobs'][number]['received']>['form']
    readonly header: readonly string[]
    readonly columns: readonly ProbedColumn[]
    /** Tags that were asked for and are in no column, with the header of an added column that is most like it. */
    readonly missing: readonly { readonly tag: string; readonly nearest: string | null }[]
  } | null
}

type Place = Pick<RunSettings, 'env' | 'cwd' | 'runsDir' | 'signal'>

/** Plans the run of one row of `plan`. Throws FETTLE_USAGE where there is no such row, and the problems of the plan. */
export async function prepareProbe(plan: Plan, wanted: ProbedRow, place: Place): Promise<Prepared & { readonly plan: Plan }> {
  const cells = await findRow(plan, wanted, place.cwd)
  const { header, columns } = plan.input
  const lines = [...(header === null ? [] : [[...header]]), cells]
  const csv = csvText(lines, { delimiter: ',', lineEnd: '\n', columns })
  const stdin = () =>
    stageInput(Readable.from([Buffer.from(csv)]), { runsDir: place.runsDir, keeps: true, kind: 'rows', shown: ROWS_NAME })
  const prepared = await prepareValue(probePipeline(plan), { ...NO_OVERRIDES, ...place, stdin }, plan.file)
  if (prepared.plan !== null) return { ...prepared, plan: prepared.plan }
  prepared.release()
  throw errorOfIssues(prepared.issues)
}

async function findRow(plan: Plan, wanted: ProbedRow, root: string): Promise<readonly string[]> {
  const names = plan.mappings.flatMap(({ mapping, index }) => (mapping === 'name' ? [index] : []))
  const hasName = (cells: readonly string[], text: string): boolean =>
    names.some(index => (cells[index] ?? '').toLowerCase().includes(text.toLowerCase()))
  let number = 0
  for await (const cells of readRows(plan.input, root)) {
    number++
    if ('row' in wanted ? number === wanted.row : hasName(cells, wanted.name)) return cells
  }
  const what = 'row' in wanted ? `row ${wanted.row}` : `row whose name holds ${JSON.stringify(wanted.name)}`
  throw new FettleError('FETTLE_USAGE', `${plan.input.path} has no ${what}: it has ${number} rows`, {
    hint: 'Name a row of the list whose company the service surely has.',
  })
}

/** The pipeline of the probe. Its name makes it a separate series; its output stays in the directory of the run. */
function probePipeline(plan: Plan) {
  const { name, service, register, mappings, job, matching, send, enrich, budget, poll, retry } = restorePipeline(plan)
  return {
    ...{ service, register, mappings, matching, send, enrich, budget, poll, retry },
    name: `${name}-probe`,
    input: { path: '-', encoding: 'utf-8', delimiter: ',', header: plan.input.header !== null },
    job: { companyNumbers: job.companyNumbers },
    output: plan.enrich === null ? undefined : { path: RUN_OUTPUT, format: 'csv', columns: ['*', ...plan.enrich.tags] },
  }
}

/** Runs it, or continues its unfinished run. Throws as startRun does. */
export async function runProbe(
  { plan, links }: Pick<Prepared, 'links'> & { readonly plan: Plan },
  { credentials, ...place }: Place & Pick<RunSettings, 'credentials'>,
  progress: RunReporter,
): Promise<ProbeResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-probe-'))
  try {
    // The run removes the file at its end; a continued one may have received it before.
    const keeper: RunReporter = {
      name: 'probe',
      onEvent({ type }, { runId }) {
        const from = receivedPath(runDirectory(place.runsDir, runId).path, 0)
        const to = join(folder, basename(from))
        if (existsSync(from) && (type === 'file.received' || !existsSync(to))) copyFileSync(from, to)
      },
    }
    const observers = createDispatcher([progress, keeper])
    const args = { command: 'probe' }
    const settings = { ...place, credentials, links, args, timeoutMs: null, runtime: DEFAULT_RUNTIME, observers }
    const { state } = await startRun(plan, settings, false)
    return { state, file: state.error === null ? await readFile(state, folder) : null }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readFile({ plan, jobs }: RunState, folder: string): Promise<ProbeResult['file']> {
  const file = await openEnriched(plan, folder, 0)
  const received = jobs[0]?.received ?? null
  if (file === null || received === null) return null
  try {
    const { columns } = file
    const { value: cells = [] } = await file.rows.next()
    const tags = wantedTags(plan)
    const places = new Map(tags.map(tag => [columns.find(tag), tag] as const))
    const added = columns.added.map((at): ProbedColumn => {
      const cell = cells[at] ?? ''
      const header = columns.received[at] ?? ''
      const tag = places.get(at) ?? (header.startsWith('match.') ? header : null)
      return { header, tag, kind: classifyCell(cell), cell }
    })
    const unread = added.flatMap(({ tag, header }) => (tag === null ? [header] : []))
    const missing = tags.filter(tag => columns.find(tag) === -1).map(tag => ({ tag, nearest: findLike(tag, unread) }))
    return { form: received.form, header: columns.received, columns: added, missing }
  } finally {
    await file.close()
  }
}

/** The header that holds the name of the tag, as `Company Status` for `general.status`, or the closest one. */
function findLike(tag: string, headers: readonly string[]): string | null {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const name = plain(tag.replace(/^.*\./, ''))
  return headers.find(header => plain(header).includes(name)) ?? nearest(name, headers)
}

function classifyCell(cell: string): ProbedColumn['kind'] {
  if (cell.trim() === '') return 'empty'
  if (/^-?\d+(?:[.,]\d+)?$/.test(cell.trim())) return 'number'
  return /^\d{4}-\d\d-\d\d/.test(cell.trim()) ? 'date' : 'text'
}

/** 0 where the file was read rightly, with all tags that were asked for; the code of the run where it failed. */
export const exitOfProbe = ({ state, file }: ProbeResult): number => {
  if (state.error !== null || state.exitCode !== EXIT.ok) return state.exitCode ?? EXIT.bug
  const isRead = file === null ? state.plan.enrich === null : file.missing.length === 0
  return isRead ? EXIT.ok : EXIT.checks
}
