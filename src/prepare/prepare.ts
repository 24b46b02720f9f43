/**
 * From a pipeline file to a plan: reads, parses, inspects the input, resolves. Sends and writes nothing. `check`, `--dry-run` and `run` share
 * it, so that they agree.
 */
import { realClock } from '../client/clock.ts'
import { counted } from '../counted.ts'
import { type Credentials, type Env, passwordFileWarning, traceWarning } from '../env/environment.ts'
import { assertKnownOrigin, isUntrusted, readCredentials } from '../env/trust.ts'
import { errorOfIssues, type Issue, issue, type Place } from '../errors.ts'
import { type Inspection, inspect } from '../input/table/inspect.ts'
import { locateRows } from '../input/table/record-offsets.ts'
// Imported by file, because the index of the folder would load what only a run needs.
import { countRows, type RowCounts } from '../input/upload/asked-rows.ts'
import type { RunArgs } from '../journal/index.ts'
import { lineageSettings } from '../observe/lineage.ts'
import { listReceivers, type Receiver } from '../observe/notify.ts'
import {
  type InputFacts,
  type InputRef,
  inputOptionsOf,
  inputWarnings,
  type Links,
  linksOf,
  needsCount,
  type Pipeline,
  type Plan,
  type PlannedService,
  type PlannedShard,
  parsePipelineValue,
  planRun,
  requestedInput,
  type Secrets,
  type SeriesPlan,
  type Shard,
  type ShardChoice,
  shareOf,
  shownPath,
  type WarningContext,
  watchedColumns,
} from '../pipeline/index.ts'
import { describeAttempt, keepAttempt } from '../runs/attempts.ts'
import { findStart } from '../runs/run-store.ts'
import { receiveInput, uninspectedInput } from '../staging/receive.ts'
import type { ReceivedInput } from '../staging/staged-input.ts'
import { outputPathIssues } from './check-outputs.ts'
import { planTable } from './decision-table.ts'
import { decisionIssues, formatDay } from './decisions.ts'
import { aroundOf, openSectionReader, sectionIssues, surroundingIssues } from './lines-around.ts'
import {
  findRootSource,
  type Overrides,
  type ParsedFile,
  type PrepareContext,
  parseOptions,
  parseText,
  readName,
  readText,
} from './read-pipeline.ts'
import {
  isTable,
  oldLists,
  type PlannedRegisters,
  planAuditRegisters,
  planRegisters,
  proveLists,
  registerNames,
} from './registers.ts'
import { resolveService } from './resolve-service.ts'
import { untrustedPlaces } from './untrusted.ts'

/** The part of the project file in a plan. */
export interface PlannedProject {
  readonly file: string
  readonly target: string | null
  /** The keys of the pipeline whose values are of the project. */
  readonly keys: readonly string[]
}

/** A prepared pipeline: its plan, or null and the problems. A plan may have warnings. */
export interface Prepared {
  readonly plan: Plan | null
  readonly issues: readonly Issue[]
  /** Null when the pipeline itself has errors. */
  readonly input: InputRef | null
  /** Reads the credentials when they are needed. Throws FETTLE_CREDENTIALS, FETTLE_SETTINGS. */
  readonly credentials: () => Credentials
  /** Plans all shards of the list. Throws what prevents the split. */
  readonly cut: (of: number) => Promise<readonly Plan[]>
  /** Full addresses of input and outputs by their printed form; kept in memory only, like credentials. */
  readonly links: Links
  /** What the project file adds; null without one. */
  readonly project: PlannedProject | null
  /** What the series of the run goes by; null when the pipeline itself has errors. */
  readonly series: SeriesPlan | null
  /** Who gets a message when the run ends; kept in memory only. */
  readonly notify: readonly Receiver[]
  /** Removes the staged input that no run needs. Call it once the run is over or cannot start. */
  readonly release: () => void
}

/** Prepares a pipeline file. Problems of file and input are returned as issues; only settings throw. */
export async function prepare(file: string, options: PrepareContext & Overrides): Promise<Prepared> {
  const text = await readText(file)
  if (typeof text !== 'string') return plan(text, file, options)
  const parse = (date?: string) => parseText(text, file, options, date)
  return plan(parseAsStarted(parse, options), file, options)
}

/** Parses a pipeline as of the day on which the first attempt with this run key started: `${run.date}` is fixed with the run. */
function parseAsStarted<T extends ParsedFile | Issue>(
  parse: (date?: string) => T,
  { runsDir, runKey = null }: PrepareContext,
): T {
  const parsed = parse()
  if (runKey === null || runsDir === undefined || 'code' in parsed || parsed.pipeline === null) return parsed
  const started = findStart(runsDir, parsed.pipeline.name, runKey)
  return started === null ? parsed : parse(started.slice(0, 10))
}

/** Prepares a pipeline object; its issues have no line. `file` is shown where the file of a pipeline would be. */
export async function prepareValue(value: unknown, options: PrepareContext & Overrides, file = '(object)'): Promise<Prepared> {
  const parse = (date?: string): ParsedFile => ({
    ...parsePipelineValue(value, parseOptions(file, options, date)),
    project: null,
  })
  return plan(parseAsStarted(parse, options), file, options)
}

async function plan(parsed: ParsedFile | Issue, file: string, given: PrepareContext & Overrides): Promise<Prepared> {
  const target = 'code' in parsed ? null : (parsed.project?.target ?? null)
  const options = { ...given, limit: given.limit ?? target?.limit ?? null }
  const none = (issues: readonly Issue[]): Prepared => ({
    ...noPlan(issues),
    input: null,
    credentials: () => readCredentials(options.env, { kind: 'embedded' }),
    links: new Map(),
    project: null,
    series: null,
    notify: [],
    release: () => {},
  })
  if ('code' in parsed) return none([parsed])
  const { secrets, environmentAt, locate } = parsed
  const pipeline = parsed.pipeline && withSkip(parsed.pipeline, options)
  if (pipeline === null) return { ...none(parsed.issues), series: await writtenSeries(file, options) }
  const { env, cwd } = options
  const service = resolveService(options, pipeline)
  // Before an input at an address is read.
  if (options.elsewhere !== undefined && options.isOffline !== true) assertKnownOrigin(service, env, options.service)
  const credentials = (): Credentials => readCredentials(env, service, credentialsIn(secrets), options.service)
  const ofService = await registersOf(pipeline, service, options, locate)
  const ofAudit = await findAuditRegisters(pipeline, options, locate(['audit', 'register']))
  const registers = { ...ofService, audit: ofAudit.register, issues: [...ofService.issues, ...ofAudit.issues] }
  const lists = service.kind === 'embedded' ? pipeline.screen?.lists : undefined
  const old = lists === undefined ? [] : await oldLists(lists.age, env, realClock.now(), locate(['screen', 'lists']))
  const proved = service.kind === 'embedded' ? await proveLists(pipeline.screen, env, locate(['screen', 'verify'])) : []
  const links = linksOfPipeline(pipeline)
  const notify = isUntrusted(env) ? [] : listReceivers(pipeline, secrets)
  const access = { environmentAt, locate, cwd, isInputNamed: options.input !== null, needsInput: options.elsewhere !== undefined }
  const untrusted = isUntrusted(env) ? await untrustedPlaces(pipeline, access) : null
  if (untrusted?.mayReadInput === false) return none([...parsed.issues, ...untrusted.issues])
  const input = await receiveInput(pipeline, file, options)
  const { release } = input
  const all = { ...parsed, issues: [...parsed.issues, ...(untrusted?.issues ?? []), ...old, ...proved] }
  const planned = await planOver({ parsed: all, pipeline, input, service, registers, file, options }).catch(error => {
    release()
    throw error
  })
  const choice = parsed.project
  const project = choice && { file: choice.project.file, target: target?.name ?? null, keys: parsed.inherited }
  const { name } = pipeline
  const series = { name, service, target: target?.name, limit: options.limit, register: registers.register }
  const prepared = { ...planned, input, credentials, links, project, series, notify, release }
  if (input.kind === 'file') return prepared
  const issues = input.named(planned.issues)
  return { ...prepared, issues, plan: planned.plan && Object.freeze({ ...planned.plan, issues }) }
}

/** The registers of a pipeline; a list that is one is imported where it takes part. */
async function registersOf(
  { register, screen }: Pipeline,
  service: PlannedService,
  options: PrepareContext & Overrides,
  locate: (path: readonly string[]) => Place | null,
): Promise<PlannedRegisters> {
  const { env, cwd } = options
  const at = locate(['register'])
  const takesPart = service.kind === 'embedded' && options.register === null && isTable(register)
  const issues = takesPart ? await (await import('./table-register.ts')).importPipelineRegister(register, { env, cwd, at }) : []
  if (issues.some(({ severity }) => severity === 'error')) return { countries: null, issues }
  const planned = await planRegisters(service, options, registerNames(register, cwd), at)
  if (screen?.people !== undefined && planned.hasOfficers === false) issues.push(noDirectors(locate(['screen', 'people'])))
  return { ...planned, issues: [...issues, ...planned.issues] }
}

const noDirectors = (at: Place | null): Issue =>
  issue('FETTLE_PIPELINE_VALUE', 'screen.people: the registers have no officers, so no director could be searched for', {
    hint: 'Import the officers with the register, or leave screen.people out.',
    at,
  })

/** The registers of the audit, which is made on this machine for any service. */
async function findAuditRegisters({ audit }: Pipeline, { env, cwd }: PrepareContext, at: Place | null) {
  const register = audit === null || audit === true ? null : audit.register
  if (register === null) return { register: undefined, issues: [] }
  const imported = isTable(register)
    ? await (await import('./table-register.ts')).importPipelineRegister(register, { env, cwd, at })
    : []
  if (imported.some(({ severity }) => severity === 'error')) return { register: undefined, issues: imported }
  const planned = await planAuditRegisters(env, registerNames(register, cwd)!, at)
  return { ...planned, issues: [...imported, ...planned.issues] }
}

const noPlan = (issues: readonly Issue[]) => ({ plan: null, issues, cut: async () => [] })

/** The series of a pipeline with errors, as far as its file shows it: without the account. */
async function writtenSeries(file: string, { target, limit }: Overrides): Promise<SeriesPlan | null> {
  const name = await readName(file)
  return name === null ? null : { name, service: { kind: 'embedded' }, target: target ?? undefined, limit }
}

/** Records a pipeline that could not be prepared, such as one without an address of its service. */
export async function keepUnprepared(
  file: string,
  error: unknown,
  options: Overrides & { readonly runsDir: string },
): Promise<void> {
  const series = await writtenSeries(file, options)
  if (series !== null) await keepAttempt(options.runsDir, error, describeAttempt(series, null, realClock.now()))
}

/** A target that was not named is shown: it decides what the result is worth. */
function targetNotes({ project }: ParsedFile, options: Overrides): Issue[] {
  if (project?.target == null || options.target !== null) return []
  const { limit } = options
  const rows = limit === null ? '' : `, the first ${counted(limit, 'row')}`
  const message = `the target is ${project.target.name}, the default of ${project.project.file}${rows}`
  return [issue('FETTLE_TARGET', message, { severity: 'info', hint: 'Name a target to choose a different one.' })]
}

/** The options of a run with its target, which a resume needs. */
export const withTarget = (args: RunArgs, project: PlannedProject | null): RunArgs =>
  project?.target == null ? args : { ...args, target: project.target }

/** The pipeline with the lines to skip that the caller names. */
function withSkip(pipeline: Pipeline, { skip: { head, tail } }: Overrides): Pipeline {
  if (head === null && tail === null) return pipeline
  const { input } = pipeline
  return { ...pipeline, input: { ...input, skip: { head: head ?? input.skip?.head ?? 0, tail: tail ?? input.skip?.tail ?? 0 } } }
}

export const linksOfPipeline = ({ input, output }: Pipeline): Links =>
  linksOf([input.path, output?.path, output?.unmatched, output?.review])

interface ReceivedPipeline {
  readonly parsed: ParsedFile
  readonly pipeline: Pipeline
  readonly input: ReceivedInput
  readonly service: PlannedService
  readonly registers: PlannedRegisters & { readonly audit: Plan['auditRegister'] }
  readonly file: string
  readonly options: PrepareContext & Overrides
}

async function planOver(received: ReceivedPipeline): Promise<Pick<Prepared, 'plan' | 'issues' | 'cut'>> {
  const { parsed, pipeline, service, registers, file, options } = received
  const { path, shown, readFrom, query } = received.input
  const watch = (header: readonly string[] | null, columns: number) => watchedColumns(pipeline, header, columns)
  const onProgress = (bytes: number, total: number): void => options.onProgress?.(shown, bytes, total)
  const inspection =
    readFrom === null
      ? uninspectedInput(shown, file, parsed.locate(['input']))
      : await inspect(
          { ...inputOptionsOf(pipeline), path: readFrom },
          {
            watch,
            onProgress,
            around: aroundOf(pipeline.input),
            sections: await sectionReader(pipeline),
            now: realClock.now,
            root: options.cwd,
          },
        )
  const { facts: found, issues: inputIssues, cells, marks } = inspection
  const { path: asked, keep } = pipeline.input
  const { locate } = parsed
  const several = found?.files
  if (keep && several !== undefined) return noPlan([...parsed.issues, keepIssue(shown, locate(['input', 'keep']))])
  const kept = keep && requestedInput(asked).kind === 'file' ? { kept: shownPath(asked) } : {}
  const facts = found === null ? null : { ...found, ...kept, query, path }
  const { cwd, runsDir } = options
  const { output, review } = pipeline
  const inputs = several?.map(file => file.path) ?? [path]
  const list = several === undefined ? null : path
  const rootSource = (root: string): string => findRootSource(options, root)
  const places = await outputPathIssues(output, { file, inputs, list, cwd, runsDir, rootSource, locate })
  const decided = await decisionIssues(review.decisions, { cwd, roots: output?.roots }, locate(['review', 'decisions']))
  const folders = { cwd, roots: output?.roots }
  const judged = await decisionIssues(pipeline.screen?.decisions, folders, locate(['screen', 'decisions']), 'hits')
  const today = formatDay(realClock.now())
  const ruled = await planTable(pipeline, {
    ...{ header: facts?.header ?? null, list: shown, cwd, roots: output?.roots, today },
    at: locate(['decide']),
    isEmbedded: service.kind === 'embedded',
  })
  const around = surroundingIssues(pipeline, inspection)
  const issues = [
    ...parsed.issues,
    ...targetNotes(parsed, options),
    ...registers.issues,
    ...places,
    ...around,
    ...sectionIssues(pipeline, inspection),
    ...inputIssues,
    ...decided,
    ...judged,
    ...ruled.issues,
    ...settingsWarnings(service, options.env),
  ]
  // The header is not the first line: what follows from reading it as one would only distract.
  if (around.some(({ severity }) => severity === 'error'))
    return noPlan([...parsed.issues, ...registers.issues, ...places, ...around])
  if (facts === null || readFrom === null) return noPlan(issues)
  const countries = await countryFacts(pipeline)
  const { name: target } = parsed.project?.target ?? {}
  const own = { file, target, limit: options.limit, decide: ruled.decide, today }
  const context = { ...own, service, register: registers.register, auditRegister: registers.audit, locate, cells }
  const warn = (plan: Parameters<typeof inputWarnings>[0]): Issue[] =>
    inputWarnings(plan, { cells, locate, held: registers.countries, ...countries })
  const planned = planRun(pipeline, facts, { ...context, issues, warn })
  const { plan } = planned
  if (plan === null) return noPlan(planned.issues)
  const all = { ...context, issues: [...issues, ...warn(plan)] }
  const inspected = { pipeline, facts, plan, path: readFrom, root: cwd, marks, context: all }
  const cut = (count: number): Promise<readonly Plan[]> => planShards(inspected, count)
  if (!needsCount(plan) && options.shard === null) return { ...planned, cut }
  // The rows of a shard, and the different and the empty rows of the list, are counted by the columns of the first plan.
  const [counted] = await planChoices(inspected, options.shard === null ? [] : [options.shard])
  return { ...counted!, cut }
}

/** Reads headings and totals inside the list; the tables are loaded only for a pipeline that skips them. */
const sectionReader = async ({ input }: Pipeline) => (input.sections === 'skip' ? openSectionReader() : undefined)

const keepIssue = (shown: string, at: Place | null): Issue =>
  issue('FETTLE_PIPELINE_UNSUPPORTED', `input.keep copies one file, and ${shown} means several`, {
    at,
    hint: 'Leave input.keep out, and keep the files until the run is over.',
  })

/** What countries are called, and how long their numbers are; the tables are loaded only when a mapping needs them. */
async function countryFacts({ mappings }: Pipeline): Promise<Pick<WarningContext, 'isCountry' | 'countryOf' | 'numberLength'>> {
  if (!mappings.some(({ mapping }) => mapping === 'country' || mapping === 'countryCode'))
    return { isCountry: () => true, countryOf: () => '', numberLength: () => null }
  const { normaliseCountry } = await import('../normalise/country.ts')
  const { numberLength } = await import('../normalise/identifiers.ts')
  return {
    isCountry: text => normaliseCountry(text) !== '',
    countryOf: normaliseCountry,
    numberLength: text => numberLength(normaliseCountry(text)),
  }
}

export const credentialsIn = ({ username, password }: Secrets): Partial<Credentials> => ({
  username: username ?? undefined,
  password: password ?? undefined,
})

function settingsWarnings(service: PlannedService, env: Env): Issue[] {
  const ofRemote = (remote: Extract<PlannedService, { kind: 'remote' }>): (string | null)[] => [
    passwordFileWarning(env),
    remote.insecure ? 'service.insecure is set: the password may travel unencrypted' : null,
    env.NODE_TLS_REJECT_UNAUTHORIZED === '0' ? 'NODE_TLS_REJECT_UNAUTHORIZED=0: server certificates are not verified' : null,
  ]
  const warnings = [traceWarning(env), ...lineageSettings(env).warnings, ...(service.kind === 'remote' ? ofRemote(service) : [])]
  return warnings.flatMap(text => (text === null ? [] : [issue('FETTLE_SETTINGS', text, { severity: 'warn', hint: null })]))
}

/** A list to plan: its first plan counts rows, `path` is where it can be read now. */
interface InspectedList {
  readonly pipeline: Pipeline
  readonly facts: InputFacts
  readonly plan: Plan
  readonly path: string
  /** Relative paths start from this folder; the working directory if absent. */
  readonly root?: string
  readonly marks: Inspection['marks']
  readonly context: Parameters<typeof planRun>[2]
}

/** The plan of each shard; of the whole list where none is chosen. */
export async function planChoices(
  { pipeline, facts, plan, path, root = '', marks, context }: InspectedList,
  choices: readonly ShardChoice[],
): Promise<ReturnType<typeof planRun>[]> {
  const readable = { ...plan, input: { ...plan.input, path } }
  const ranges = choices.map(choice => shareOf(plan.rows, choice))
  const bounds = ranges.flatMap(({ from, to }) => [from, to])
  const isOfSome = choices.length > 0 && plan.input.emptyRows !== undefined
  const counts = isOfSome || needsCount(plan) ? await countRows(readable, root, bounds) : null
  const all = { ...context, counts: counts?.all }
  if (choices.length === 0) return [planRun(pipeline, facts, all)]
  const plans: ReturnType<typeof planRun>[] = []
  for (const [index, choice] of choices.entries()) {
    const range = ranges[index]!
    const span = await locateRows(readable.input, marks, range, root)
    const shard = planShard(choice, range, counts?.before.slice(2 * index, 2 * index + 2) ?? null, span)
    plans.push(planRun(pipeline, facts, { ...all, shard }))
  }
  return plans
}

/** The plans of all shards of a list. Throws the issues that prevent the split. */
async function planShards(list: InspectedList, count: number): Promise<readonly Plan[]> {
  const plans = await planChoices(
    list,
    Array.from({ length: count }, (_, index) => ({ number: index + 1, of: count })),
  )
  return plans.map(({ plan, issues }) => {
    if (plan === null) throw errorOfIssues(issues)
    return plan
  })
}

/** A shard with its number of rows. `counts`: those before its first row, and up to its last. */
function planShard(
  { number, of }: ShardChoice,
  { from, to }: { readonly from: number; readonly to: number },
  counts: readonly RowCounts[] | null,
  span: Shard['span'],
): PlannedShard {
  const [before = { sent: from, skipped: 0 }, after = { sent: to, skipped: 0 }] = counts ?? []
  const shard = { number, of, from, asked: before.sent, span }
  return { shard, rows: to - from, sent: after.sent - before.sent, skipped: after.skipped - before.skipped }
}
