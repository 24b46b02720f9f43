/**
 * From a pipeline file to a plan: read, parse, inspect the input, resolve. Sends and writes nothing. `check`, `--dry-run` and
 * `run` share it, so that they agree.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { realClock } from '../../client/clock.ts'
import { errorOfIssues, type Issue, issue } from '../../errors.ts'
import { inspect } from '../../input/table/inspect.ts'
import { locateRows } from '../../input/table/row-range.ts'
// Imported by file, because the index of the folder would load what only a run needs.
import { countDistinctRows } from '../../input/upload/row-dedupe.ts'
import {
  decodePipeline,
  inputOptionsOf,
  inputWarnings,
  type Links,
  linksOf,
  nearest,
  type ParsedPipeline,
  type Pipeline,
  type Plan,
  type PlannedService,
  type PlannedShard,
  parsePipeline,
  parsePipelineValue,
  pipelineFormat,
  planRun,
  type Secrets,
  type Shard,
  type ShardChoice,
  shareOf,
  shownPath,
  watchedColumns,
} from '../../pipeline/index.ts'
import { type Credentials, credentialsOf, type Env, passwordFileWarning, traceWarning } from '../env/environment.ts'
import { lineageSettings } from '../observe/lineage/settings.ts'
import { type Receivers, receiveInput, uninspectedInput } from '../staging/receive.ts'
import type { StagedInput } from '../staging/staged-input.ts'
import { decisionIssues } from './decisions.ts'
import { outputPathIssues } from './output-paths.ts'
import { resolveService } from './resolve-service.ts'

/** Values that replace keys of the pipeline. */
export interface Overrides {
  readonly service: string | null
  readonly input: string | null
  readonly output: string | null
  readonly vars: Readonly<Record<string, string>>
  readonly limit: number | null
  /** Only this part of the rows, null for all. */
  readonly shard: ShardChoice | null
}

export const NO_OVERRIDES: Overrides = { service: null, input: null, output: null, vars: {}, limit: null, shard: null }

export interface PrepareContext extends Receivers {
  readonly env: Env
  readonly cwd: string
}

/** A prepared pipeline: its plan, or null and the problems. A plan may have warnings. */
export interface Prepared {
  readonly plan: Plan | null
  readonly issues: readonly Issue[]
  /** Reads the credentials when they are needed. Throws FETTLE_CREDENTIALS, FETTLE_SETTINGS. */
  readonly credentials: () => Credentials
  /** Plans all shards of the list. Throws what prevents the split. */
  readonly cut: (of: number) => Promise<readonly Plan[]>
  /** Full addresses of input and outputs by their printed form; kept in memory only, like credentials. */
  readonly links: Links
  /** Removes the staged input that no run needs. Call it once the run is over or cannot start. */
  readonly release: () => void
}

/** Checked before reading, so that an endless file is not read. */
const MAX_BYTES = 256 * 1024

/** Prepares a pipeline file. Problems of file and input are returned as issues; only settings throw. */
export async function prepare(file: string, options: PrepareContext & Overrides): Promise<Prepared> {
  const text = await readText(file)
  return plan(typeof text === 'string' ? parseText(text, file, options) : text, file, options)
}

/** Prepares a pipeline object; its issues have no line. */
export async function prepareValue(value: unknown, options: PrepareContext & Overrides): Promise<Prepared> {
  const file = '(object)'
  return plan(parsePipelineValue(value, parseOptions(file, options)), file, options)
}

async function plan(parsed: ParsedPipeline | Issue, file: string, options: PrepareContext & Overrides): Promise<Prepared> {
  const nothing = (): void => {}
  const none = (issues: readonly Issue[]): Prepared => ({
    plan: null,
    issues,
    credentials: () => credentialsOf(options.env, {}),
    cut: async () => [],
    links: new Map(),
    release: nothing,
  })
  if ('code' in parsed) return none([parsed])
  const { pipeline, secrets } = parsed
  const credentials = (): Credentials => credentialsOf(options.env, credentialsIn(secrets))
  if (pipeline === null) return none(parsed.issues)
  const service = resolveService(options, pipeline)
  const links = linksOfPipeline(pipeline)
  const received = await receiveInput(pipeline, file, options)
  if (received === null || received === 'left')
    return { ...(await planOver(parsed, pipeline, received, service, file, options)), credentials, links, release: nothing }
  const { plan, issues, cut } = await planOver(parsed, pipeline, received, service, file, options).catch(error => {
    received.release()
    throw error
  })
  const named = received.named(issues)
  const { release } = received
  return { plan: plan && Object.freeze({ ...plan, issues: named }), issues: named, credentials, cut, links, release }
}

/** The addresses of a pipeline that differ from their printed form. */
export const linksOfPipeline = ({ input, output }: Pipeline): Links =>
  linksOf([input.path, output?.path, output?.unmatched, output?.review])

/** Plans over a readable input; `received` when it is not a local file. */
async function planOver(
  parsed: ParsedPipeline,
  pipeline: Pipeline,
  received: StagedInput | 'left' | null,
  service: PlannedService,
  file: string,
  options: PrepareContext & Overrides,
): Promise<Pick<Prepared, 'plan' | 'issues' | 'cut'>> {
  const watch = (header: readonly string[] | null, columns: number) => watchedColumns(pipeline, header, columns)
  const asOptions = inputOptionsOf(pipeline)
  const { at, path, name } = received === null || received === 'left' ? fileHere(asOptions.path) : received
  const onProgress = (bytes: number, total: number): void => options.onProgress?.(name, bytes, total)
  const looked =
    received === 'left'
      ? uninspectedInput(name, file, parsed.locate(['input']))
      : await inspect({ ...asOptions, path: at }, { watch, onProgress, now: realClock.now })
  const { facts: found, issues: inputIssues, cells, marks } = looked
  const facts = found === null ? null : { ...found, path }
  const { locate } = parsed
  const { cwd, runsDir } = options
  const places = await outputPathIssues(pipeline.output, { file, input: path, cwd, runsDir, locate })
  const decided = await decisionIssues(pipeline.review.decisions, cwd, locate(['review', 'decisions']))
  const issues = [...parsed.issues, ...places, ...inputIssues, ...decided, ...settingsWarnings(service, options.env)]
  const uncut = { cut: async () => [] }
  if (facts === null) return { plan: null, issues, ...uncut }
  const context = { file, limit: options.limit, service, locate, cells }
  const first = planRun(pipeline, facts, { ...context, issues })
  if (first.plan === null) return { ...first, ...uncut }
  const suspects = inputWarnings(first.plan, { cells, locate, isCountry: await countryTest(pipeline) })
  const readable = { ...first.plan, input: { ...first.plan.input, path: at } }
  const planOf = async (choices: readonly ShardChoice[]): Promise<ReturnType<typeof planRun>[]> => {
    const ranges = choices.map(choice => shareOf(readable.rows, choice))
    const bounds = ranges.flatMap(({ from, to }) => [from, to])
    const asked = readable.collapse ? await countDistinctRows(readable, '', bounds) : null
    const sent = asked === null ? {} : { sent: asked.all }
    const all = { ...context, ...sent, issues: [...issues, ...suspects] }
    if (choices.length === 0) return [planRun(pipeline, facts, all)]
    const plans: ReturnType<typeof planRun>[] = []
    for (const [at, choice] of choices.entries()) {
      const range = ranges[at]!
      const span = await locateRows(readable.input, marks, range)
      const shard = shardOf(choice, range, asked?.before.slice(2 * at, 2 * at + 2) ?? null, span)
      plans.push(planRun(pipeline, facts, { ...all, shard }))
    }
    return plans
  }
  const cut = async (of: number): Promise<readonly Plan[]> => {
    const cuts = await planOf(Array.from({ length: of }, (_, at) => ({ number: at + 1, of })))
    return cuts.map(one => {
      if (one.plan === null) throw errorOfIssues(one.issues)
      return one.plan
    })
  }
  const [whole] = await planOf(options.shard === null ? [] : [options.shard])
  return { ...whole!, cut }
}

const fileHere = (path: string): Pick<StagedInput, 'at' | 'path' | 'name'> => ({
  at: path,
  path: shownPath(path),
  name: shownPath(path),
})

/** A shard with its number of rows. `asked`: distinct rows before its first row, and up to its last. */
function shardOf(
  { number, of }: ShardChoice,
  { from, to }: { readonly from: number; readonly to: number },
  asked: readonly number[] | null,
  span: Shard['span'],
): PlannedShard {
  const [before = from, after = to] = asked ?? []
  return { shard: { number, of, from, asked: before, span }, rows: to - from, sent: after - before }
}

/** Whether a text names a country; the table is loaded only when a mapping needs it. */
async function countryTest({ mappings }: Pipeline): Promise<(text: string) => boolean> {
  if (!mappings.some(({ mapping }) => mapping === 'country' || mapping === 'countryCode')) return () => true
  const { normaliseCountry } = await import('../../normalise/country.ts')
  return text => normaliseCountry(text) !== ''
}

/** The credentials that a pipeline refers to. */
export const credentialsIn = ({ username, password }: Secrets): Partial<Credentials> => ({
  ...(username === null ? {} : { username }),
  ...(password === null ? {} : { password }),
})

/** The text of a pipeline file, or the issue that prevents reading it. */
export async function readText(file: string): Promise<string | Issue> {
  const refuse = (message: string): Issue => issue('FETTLE_PIPELINE_READ', message, { at: { file, line: null, column: null } })
  try {
    const facts = await stat(file)
    if (facts.isDirectory()) return refuse(`${file} is a folder: pass a pipeline file`)
    if (!facts.isFile()) return refuse(`${file} is not a regular file`)
    if (facts.size > MAX_BYTES) return refuse(`${file} is larger than 256 KiB: ${facts.size} bytes`)
    const decoded = decodePipeline(await readFile(file), file)
    return 'issue' in decoded ? decoded.issue : decoded.text
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return refuse(code === 'ENOENT' ? `there is no file ${file}${await didYouMeanFile(file)}` : `cannot read ${file}: ${message}`)
  }
}

async function didYouMeanFile(file: string): Promise<string> {
  const names = await readdir(dirname(file)).catch(() => [])
  const found = nearest(
    basename(file),
    names.filter(name => pipelineFormat(name) !== null),
  )
  return found === null ? '' : `; did you mean ${join(dirname(file), found)}?`
}

/** Parses the text of a pipeline file; an issue for an unknown file type. `date` is the value of `${run.date}`, today if absent. */
export function parseText(
  text: string,
  file: string,
  options: PrepareContext & Overrides,
  date?: string,
): ParsedPipeline | Issue {
  const format = pipelineFormat(file)
  if (format === null)
    return issue('FETTLE_PIPELINE_READ', `${file} is neither .yml, .yaml nor .json`, { at: { file, line: null, column: null } })
  return parsePipeline(text, { ...parseOptions(file, options, date), format })
}

const parseOptions = (file: string, options: PrepareContext & Overrides, date?: string) => ({
  file,
  root: options.cwd,
  env: options.env,
  vars: options.vars,
  run: { date: date ?? new Date(realClock.now()).toISOString().slice(0, 10) },
  replace: { input: options.input, output: options.output },
})

function settingsWarnings(service: PlannedService, env: Env): Issue[] {
  const ofRemote = (remote: Extract<PlannedService, { kind: 'remote' }>): (string | null)[] => [
    passwordFileWarning(env),
    remote.insecure ? 'service.insecure is set: the password may travel unencrypted' : null,
    env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? 'NODE_TLS_REJECT_UNAUTHORIZED=0: server certificates are not verified' : null,
  ]
  const warnings = [traceWarning(env), ...lineageSettings(env).warnings, ...(service.kind === 'remote' ? ofRemote(service) : [])]
  return warnings
    .filter(message => message !== null)
    .map(message => issue('FETTLE_SETTINGS', message, { severity: 'warn', hint: null }))
}
