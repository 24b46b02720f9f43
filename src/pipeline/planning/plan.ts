/**
 * Pipeline + facts about the input -> Plan: headers are resolved to columns, limits are checked and defaults are filled in. A run
 * executes the plan unchanged.
 */

import { MAPPINGS } from '../../contract/index.ts'
import { count, counted } from '../../counted.ts'
import { type ErrorCode, type Issue, issue, type Place } from '../../errors.ts'
import { formatFacts } from '../../formats/index.ts'
import { listColumns } from '../../model/columns.ts'
import { filledRows, isColumnMasked, MASK, whySkipped } from '../../model/list.ts'
import { nearest } from '../../nearest.ts'
import { canMatchOn, mapsCountry } from '../lint/lint.ts'
import type {
  CellCounts,
  ColumnProfile,
  InputFacts,
  Packing,
  Plan,
  PlannedDecide,
  PlannedMapping,
  PlannedRegister,
  PlannedService,
  PlannedTree,
  Shard,
} from '../model/types.ts'
import { shownPath } from '../schema/addresses.ts'
import { addedColumns, outputNameIssues } from '../schema/columns.ts'
import { isSamePath, OUTPUT_FILES } from '../schema/paths.ts'
import type { Pipeline } from '../schema/pipeline.ts'
import { formatDuration } from '../source/durations.ts'
import { show, showList } from '../source/quote.ts'
import type { Path } from '../source/tree.ts'
import { sealPlan } from './fingerprint.ts'
import { replaceEarlierResults, resolveKey, resolveMapping, resolveOwnColumns } from './headers.ts'
import { shardIssues, shardText, shareOf, splitIntoParts } from './shards.ts'

/** More remote jobs than this are a mistake in `job.split`. */
const MAX_JOBS = 1000
const DAY = 86_400_000
const UNUSED = 'reuse is not used: every row is sent, which is free at the embedded service'
/** Pause before the second poll of a job of the embedded service. */
const FIRST_POLL_MS = 100

export interface PlanContext {
  readonly file: string
  /** The target of the project file. */
  readonly target?: string | undefined
  /** Only the first rows up to this count, null for all. */
  readonly limit: number | null
  readonly service: PlannedService
  /** Registers of the embedded service. */
  readonly register?: readonly PlannedRegister[] | undefined
  /** Registers of the audit. */
  readonly auditRegister?: readonly PlannedRegister[] | undefined
  /** Counted rows that are sent and skipped; of the facts if absent. Needed where `needsCount` is true. */
  readonly counts?: Omit<PlannedRows, 'rows'>
  readonly shard?: PlannedShard
  /** The present decision table of the pipeline, and today. */
  readonly decide?: PlannedDecide | undefined
  readonly today?: string
  /** Issues of the pipeline and of the input: warnings become part of the plan, errors prevent it. */
  readonly issues?: readonly Issue[]
  /** Warnings about the cells of the resolved columns; added when there is no error. */
  readonly warn?: (plan: Pick<Plan, 'mappings' | 'key' | 'output' | 'input' | 'report'>) => readonly Issue[]
  /** Counts of the columns; without them the plan has no profile. */
  readonly cells?: readonly CellCounts[]
  /** Places in the pipeline file; without it issues have no place. */
  readonly locate?: (path: Path) => Place | null
}

/** A plan, deeply frozen, or null when there are errors. `issues` includes `context.issues`. */
export interface Planned {
  readonly plan: Plan | null
  readonly issues: readonly Issue[]
}

const hasError = (issues: readonly Issue[]): boolean => issues.some(({ severity }) => severity === 'error')

export function planRun(given: Pipeline, facts: InputFacts, context: PlanContext): Planned {
  // Nothing is paid at the embedded service, and its answers depend on the whole list.
  const usesReuse = given.reuse !== null && context.service.kind !== 'embedded'
  const pipeline = usesReuse ? given : { ...given, reuse: null }
  const isSkipped = filledRows(facts) === 0 && pipeline.input.empty === 'skip'
  const at = (...path: Path): Place | null => context.locate?.(path) ?? null
  // The inspection reports an empty input as an error; `empty: skip` accepts it.
  const known = (context.issues ?? []).filter(({ code }) => !(isSkipped && code === 'FETTLE_INPUT_EMPTY'))
  const isRefused = hasError(known)
  // An empty input may lack its header, and so may one whose first quote is never closed: both are reported already.
  const columns = facts.columns === 0 && (isSkipped || isRefused) ? NO_COLUMNS : resolveColumns(pipeline, facts, at)
  // An unclosed quote swallows rows, so their count is not judged.
  const isCountReported = known.some(({ severity, code }) => severity === 'error' && /^FETTLE_INPUT_(EMPTY|QUOTE)$/.test(code))
  const reference = resolveReference(pipeline, facts, at)
  const named =
    pipeline.output === null || facts.columns === 0
      ? { output: pipeline.output, issues: [] }
      : resolveOwnColumns(pipeline.output, facts, {
          added: addedColumns(pipeline),
          at: index => at('output', 'columns', index),
        })
  const used = [...columns.mappings.map(({ index }) => index), ...(columns.key === null ? [] : [columns.key.index])]
  const kept =
    named.output === null
      ? { output: null, issues: [] }
      : replaceEarlierResults(named.output, facts, used, at('output', 'columns') ?? at('output'))
  const own = [
    ...columns.issues,
    ...named.issues,
    ...(isSkipped || isCountReported ? [] : countIssues(pipeline, facts, countSent(pipeline, facts, context), at)),
    ...settingsIssues({ ...pipeline, output: kept.output }, facts, context, at),
    ...reference.issues,
    ...contextIssues(given, context, at),
  ]
  const output = shownOutput(kept.output)
  const isInvalid = isRefused || hasError(own)
  const { mappings, key } = columns
  const warnings = isInvalid ? [] : (context.warn?.({ mappings, key, output, input: facts, report: pipeline.report }) ?? [])
  const issues = [...known, ...warnings, ...kept.issues, ...own]
  if (hasError(issues)) return { plan: null, issues }
  const resolved = { ...columns, reference: reference.column, output, issues }
  return { plan: sealPlan(draftPlan(pipeline, facts, context, resolved)), issues }
}

const limitRows = ({ rows }: InputFacts, { limit }: PlanContext): number => (limit === null ? rows : Math.min(rows, limit))

/** The rows to send of the whole list; null until they are counted. */
function countSent({ job }: Pipeline, facts: InputFacts, context: PlanContext): number | null {
  if (context.counts !== undefined) return context.counts.sent
  const rows = limitRows(facts, context)
  return needsCount({ ...job, input: facts, rows }) ? null : assumedCounts(facts, rows).sent
}

function settingsIssues(pipeline: Pipeline, facts: InputFacts, context: PlanContext, at: At): Issue[] {
  return [
    ...outputIssues(pipeline, facts, at),
    ...outputNameIssues(pipeline.output, facts, at('output', 'columns')),
    ...formatLimitIssues(pipeline, facts, limitRows(facts, context), at('output', 'format')),
    ...maskIssues(pipeline, facts, at),
  ]
}

const OF_LISTS = [
  ['lists', 'shows how old its lists are'],
  ['verify', 'searches lists of this machine'],
] as const

/** What this service, limit or shard leaves out. */
function contextIssues(pipeline: Pipeline, context: PlanContext, at: At): Issue[] {
  const { service, shard } = context
  const issues = [
    ...eventIssues(pipeline, service, at),
    ...limitIssues(pipeline, context, at),
    ...monitorIssues(pipeline, context, at),
  ]
  if (pipeline.reuse !== null && service.kind === 'embedded')
    issues.push(issue('FETTLE_REUSE_UNUSED', UNUSED, { severity: 'info', at: at('reuse') }))
  else if ((pipeline.reuse?.screen ?? 0) > DAY && pipeline.reuse?.acceptStale !== true) {
    const message = `reuse.screen: a search of up to ${formatDuration(pipeline.reuse!.screen!)} ago would hide a company that was listed since`
    const hint = 'Set reuse.screen to 1d or less, or to { age: …, acceptStale: true } to use older searches.'
    issues.push(issue('FETTLE_PIPELINE_VALUE', message, { hint, at: at('reuse', 'screen') }))
  }
  const { screen, budget } = pipeline
  if (screen?.people !== undefined && screen.budget === null && (budget.month ?? null) !== null && service.kind !== 'embedded') {
    const message =
      'screen.people: how many directors there are is known once the companies are found, and budget.month reserves the most before'
    issues.push(issue('FETTLE_PIPELINE_VALUE', message, { hint: 'Name a screen.budget.', at: at('screen', 'people') }))
  }
  for (const [key, what] of OF_LISTS) {
    if (pipeline.screen?.[key] === undefined || service.kind === 'embedded') continue
    const message = `screen.${key}: only the embedded service ${what}`
    issues.push(issue('FETTLE_PIPELINE_VALUE', message, { hint: `Leave screen.${key} out.`, at: at('screen', key) }))
  }
  return shard === undefined ? issues : [...issues, ...shardIssues(pipeline, shard.shard, at)]
}

interface Resolved extends Columns {
  readonly reference: Plan['key']
  readonly output: Plan['output']
}

function draftPlan(pipeline: Pipeline, facts: InputFacts, context: PlanContext, resolved: Resolved): Omit<Plan, 'fingerprint'> {
  const { mappings, key, reference, output, issues } = resolved
  const { service, file, target, limit, register, cells } = context
  const shard = context.shard?.shard
  const rows = limitRows(facts, context)
  const counts = context.shard ?? { rows, ...(context.counts ?? assumedCounts(facts, rows)) }
  const profiled = { mappings, key, report: pipeline.report, input: facts }
  const { split, companyNumbers, ...job } = pipeline.job
  const settings: Pick<Plan, keyof typeof job | keyof Pipeline['review']> = { ...job, ...pipeline.review }
  return {
    version: pipeline.version,
    name: pipeline.name,
    description: pipeline.description,
    tags: pipeline.tags,
    file,
    service,
    register,
    input: facts,
    key,
    target,
    limit,
    shard,
    rows: counts.rows,
    skipped: counts.skipped || undefined,
    sent: counts.sent,
    ...settings,
    companyNumbers: companyNumbers ?? undefined,
    precision: pipeline.matching.precision,
    parts: splitIntoParts(counts.sent, split),
    send: pipeline.send ?? undefined,
    reuse: pipeline.reuse,
    preparation: planPreparation(facts, mappings, { ...counts, collapse: job.collapse }, { shard, send: pipeline.send }),
    mappings,
    profile: cells && profileColumns(profiled, cells),
    contract: cells && makeContract(pipeline, facts, cells),
    enrich: pipeline.enrich,
    headers: pipeline.headers,
    budget: budgetOf(pipeline, shard),
    poll: pollAt(service, pipeline.poll),
    retry: pipeline.retry,
    retention: pipeline.retention ?? undefined,
    checks: pipeline.checks,
    output,
    accept: pipeline.accept,
    candidates: pipeline.candidates,
    ...planPortfolio(pipeline, context, reference),
    screen: planScreen(pipeline, context),
    dedupe: pipeline.dedupe ?? undefined,
    audit: pipeline.audit === null ? undefined : true,
    auditRegister: context.auditRegister,
    decide: context.decide,
    tree: planTree(pipeline),
    decideOn: pipeline.decide === null ? undefined : context.today,
    after: pipeline.after,
    report: pipeline.report,
    issues,
  }
}

function planTree({ decide }: Pipeline): PlannedTree | undefined {
  if (decide === null || decide.service === null) return undefined
  return { name: decide.service, fields: decide.fields, budget: decide.budget }
}

/** A run over the first rows monitors nothing; nor does the embedded service, which ends with the run. */
const isMonitored = ({ service, limit }: Pick<PlanContext, 'service' | 'limit'>): boolean =>
  service.kind !== 'embedded' && limit === null

function planScreen({ screen }: Pipeline, context: PlanContext): Plan['screen'] {
  if (screen === null || isMonitored(context)) return screen
  const { monitor: _, alerts: __, ...rest } = screen
  return rest
}

function monitorIssues({ screen }: Pipeline, context: PlanContext, at: At): Issue[] {
  if (screen?.monitor === undefined || isMonitored(context)) return []
  const why =
    context.limit === null ? 'the schedules of the embedded service end with the run' : 'only the first rows of the list are sent'
  const message = `screen.monitor is left out: ${why}`
  return [issue('FETTLE_PIPELINE_UNSUPPORTED', message, { severity: 'info', at: at('screen', 'monitor'), hint: null })]
}

/** A run over the first rows has no portfolio; events are asked for by a whole run at a remote service. */
function planPortfolio(
  { portfolio, events }: Pipeline,
  { service, limit, shard }: PlanContext,
  reference: Plan['key'],
): Pick<Plan, 'portfolio' | 'events'> {
  const hasEvents = events !== null && service.kind !== 'embedded' && shard === undefined && limit === null
  return {
    portfolio: limit === null ? portfolio && plannedPortfolio(portfolio, reference) : null,
    events: hasEvents ? { output: events.output, mark: events.mark } : undefined,
  }
}

function eventIssues({ events }: Pipeline, { kind }: Plan['service'], at: At): Issue[] {
  if (events === null || kind !== 'embedded') return []
  const message = 'events is left out: the portfolios of the embedded service end with the run'
  return [issue('FETTLE_PIPELINE_UNSUPPORTED', message, { severity: 'info', at: at('events'), hint: null })]
}

/** A trial over the first rows would remove the companies of all other rows, and mark events that nothing else reads. */
function limitIssues({ portfolio, events }: Pipeline, { limit, decide }: PlanContext, at: At): Issue[] {
  if (limit === null || portfolio === null) return []
  const [left, verb] = events === null ? ['portfolio', 'is'] : ['portfolio and events', 'are']
  const effect = decide?.events === true ? '; rules that read events refer rows' : ''
  const message = `${left} ${verb} left out: only the first ${counted(limit, 'row')} of the list are sent${effect}`
  return [issue('FETTLE_PIPELINE_UNSUPPORTED', message, { severity: 'warn', at: at('portfolio'), hint: 'Run without a limit.' })]
}

function plannedPortfolio(
  { name, id, rules, sync, remove }: NonNullable<Pipeline['portfolio']>,
  reference: Plan['key'],
): NonNullable<Plan['portfolio']> {
  return {
    ...{ name, id, reference },
    rules: rules as NonNullable<Plan['portfolio']>['rules'],
    sync: sync || undefined,
    remove,
  }
}

/** The embedded service has no other client: it is polled at once, and after `poll.every` at the latest. */
const pollAt = ({ kind }: Plan['service'], poll: Plan['poll']): Plan['poll'] =>
  kind === 'embedded' ? { ...poll, everyMs: Math.min(FIRST_POLL_MS, poll.everyMs), maxMs: poll.everyMs } : poll

/** Each shard gets its part of the limit, so that shards need no coordination. */
const budgetOf = ({ budget }: Pipeline, shard: Shard | undefined): Plan['budget'] => {
  if (shard === undefined || budget.credits === null) return budget
  const { from, to } = shareOf(budget.credits, shard)
  return { ...budget, credits: to - from }
}

type At = (...path: Path) => Place | null
interface Columns {
  readonly mappings: readonly PlannedMapping[]
  readonly key: Plan['key']
  readonly issues: readonly Issue[]
}

const NO_COLUMNS: Columns = { mappings: [], key: null, issues: [] }

function resolveColumns(pipeline: Pipeline, facts: InputFacts, at: At): Columns {
  const issues: Issue[] = []
  const mappings: PlannedMapping[] = []
  for (const rule of pipeline.mappings) {
    const asked = { name: `mappings.${rule.mapping}`, at: at('mappings', rule.mapping) }
    const constants = mappings.filter(mapping => mapping.value !== undefined).length
    const resolved = resolveMapping(rule, facts, asked, facts.columns + constants)
    issues.push(...resolved.issues)
    const { mapping } = resolved
    if (mapping === null) continue
    const other = mappings.find(earlier => earlier.index === mapping.index)
    if (other !== undefined) {
      const message = `mappings.${other.mapping} and mappings.${mapping.mapping} both read column ${mapping.index + 1}${mapping.header === null ? '' : `, ${show(mapping.header)}`}`
      const details = { severity: 'warn', at: at('mappings', rule.mapping), hint: 'Map each column once.' } as const
      issues.push(issue('FETTLE_PIPELINE_MAPPING', message, details))
    }
    mappings.push(mapping)
  }
  const { key } = pipeline.input
  const resolvedKey = key === null ? null : resolveKey(key, facts, { name: 'input.key', at: at('input', 'key') })
  const lost = hasError(issues) ? [] : lostMappings(pipeline, mappings, facts, at)
  issues.push(...(resolvedKey?.issues ?? []), ...lost)
  return { mappings, key: resolvedKey?.column ?? null, issues }
}

function resolveReference({ portfolio }: Pipeline, facts: InputFacts, at: At): { column: Plan['key']; issues: readonly Issue[] } {
  if (portfolio === null || portfolio.reference === null || facts.columns === 0) return { column: null, issues: [] }
  const asked = { name: 'portfolio.reference', at: at('portfolio', 'reference') }
  const { column = null, issues } = resolveKey(portfolio.reference, facts, asked)
  return { column, issues }
}

function lostMappings(pipeline: Pipeline, mappings: readonly PlannedMapping[], facts: InputFacts, at: At): Issue[] {
  const present = mappings.map(({ mapping }) => mapping)
  if (!canMatchOn(present)) {
    const hint = `Its headers: ${showList(facts.header ?? [])}.`
    return [issue('FETTLE_INPUT_HEADER', `${facts.path} has none of the columns to match on`, { at: at('mappings'), hint })]
  }
  if (mapsCountry(present) || !mapsCountry(pipeline.mappings.map(({ mapping }) => mapping))) return []
  const message = `${facts.path} has no column with the country, so companies of all countries are candidates`
  return [issue('FETTLE_PIPELINE_MAPPING', message, { severity: 'warn', at: at('mappings') })]
}

/** `sent` counts the whole list, also for a shard; null until the rows are counted. */
function countIssues(pipeline: Pipeline, facts: InputFacts, sent: number | null, at: At): Issue[] {
  const { min, max } = pipeline.input.rows
  const error = (code: ErrorCode, message: string, place: Place | null): Issue =>
    issue(code, `${facts.path}: ${message}`, { at: place })
  const found = filledRows(facts)
  const file = { file: facts.path, line: null, column: null }
  if (facts.rows === 0) return [error('FETTLE_INPUT_EMPTY', 'there are no rows', file)]
  if (found === 0 || sent === 0)
    return [error('FETTLE_INPUT_EMPTY', found === 0 ? 'all rows are empty' : 'all rows within the limit are empty', file)]
  const issues: Issue[] = []
  const allowed =
    `input.rows allows ${min === null ? 'up to' : max === null ? `${min} or more` : `${min} to`} ${max ?? ''}`.trim()
  if ((min !== null && found < min) || (max !== null && found > max)) {
    issues.push(error('FETTLE_INPUT_ROWS', `found ${counted(found, 'row')}, ${allowed}`, at('input', 'rows')))
  }
  if (sent === null) return issues
  // With reuse the rows that are sent are known when the run starts.
  if (pipeline.budget.rows !== null && pipeline.reuse === null && sent > pipeline.budget.rows) {
    const message = `${counted(sent, 'row')} would be sent, budget.rows allows ${pipeline.budget.rows}`
    issues.push(error('FETTLE_INPUT_BUDGET', message, at('budget', 'rows')))
  }
  const jobs = splitIntoParts(sent, pipeline.job.split).length
  if (jobs > MAX_JOBS) {
    const message = `${counted(sent, 'row')} would need ${counted(jobs, 'job')} of ${counted(pipeline.job.split, 'row')} (job.split), the limit is ${MAX_JOBS}`
    issues.push(error('FETTLE_INPUT_BUDGET', message, at('job', 'split')))
  }
  return issues
}

const shownOutput = (output: Pipeline['output']): Plan['output'] =>
  output && {
    ...output,
    path: shownPath(output.path),
    unmatched: output.unmatched && shownPath(output.unmatched),
    review: output.review && shownPath(output.review),
  }

/** The input may have been replaced on the command line since the pipeline was checked. */
function outputIssues({ output }: Pipeline, facts: InputFacts, at: At): Issue[] {
  if (output === null) return []
  return OUTPUT_FILES.flatMap(({ key, from }) => {
    const path = output[key]
    if (path == null || !isSamePath(path, facts.path)) return []
    return [
      issue('FETTLE_PIPELINE_PATH', `${from.join('.')}: ${show(shownPath(path))} would overwrite the input`, { at: at(...from) }),
    ]
  })
}

function maskIssues({ report }: Pipeline, facts: InputFacts, at: At): Issue[] {
  const known = [...MAPPINGS, ...(facts.header ?? [])]
  return report.mask.flatMap((name, index) => {
    if (known.includes(name) || facts.header === null) return []
    const close = nearest(name, known)
    const message = `report.mask: ${show(name)} is neither a mapping nor a header of ${facts.path}${close === null ? '' : `; did you mean ${show(close)}?`}`
    return [
      issue('FETTLE_INPUT_HEADER', message, { at: at('report', 'mask', index), hint: `Its headers: ${showList(facts.header)}.` }),
    ]
  })
}

/** Rows of a plan, and how many of them are sent or skipped. */
interface PlannedRows {
  readonly rows: number
  readonly sent: number
  readonly skipped: number
}

export interface PlannedShard extends PlannedRows {
  readonly shard: Shard
}

/** Whether the rows must be counted: different ones, or empty ones among some of the rows. */
export const needsCount = ({ collapse, input, rows }: Pick<Plan, 'collapse' | 'input' | 'rows'>): boolean =>
  collapse || (input.emptyRows !== undefined && rows < input.rows)

/** Until they are counted, empty rows come last: the fewest are among the first rows. */
function assumedCounts(facts: InputFacts, rows: number): Omit<PlannedRows, 'rows'> {
  const sent = Math.min(rows, filledRows(facts))
  return { sent, skipped: rows - sent }
}

/** Checks the limits of the output format before anything is sent. */
function formatLimitIssues({ output }: Pick<Pipeline, 'output'>, facts: InputFacts, rows: number, at: Place | null): Issue[] {
  const limits = output === null ? null : formatFacts(output.format).limits
  if (output === null || limits === null) return []
  const columns = listColumns(output, facts.columns).length
  const bytes = (facts.packed?.bytes ?? facts.bytes) * Math.min(1, rows / facts.rows) + rows * columns * limits.markup
  const error = (message: string): Issue[] => [
    issue('FETTLE_OUTPUT_LIMIT', `output.format: ${output.format}: ${message}`, { at }),
  ]
  if (rows > limits.rows) return error(`${rows} rows, and a sheet holds ${limits.rows} below its header`)
  if (columns > limits.columns) return error(`${columns} columns, and a sheet holds ${limits.columns}`)
  if (rows > 0 && bytes > limits.bytes)
    return error(`${rows} rows of ${columns} columns come to about ${Math.ceil(bytes / 1024 ** 3)} GiB of XML`)
  return []
}

/** The profile of the columns: filled cells, distinct values, and the first values as far as reports may show them. */
function profileColumns(
  plan: Pick<Plan, 'mappings' | 'key' | 'report' | 'input'>,
  cells: readonly CellCounts[],
): ColumnProfile[] {
  const { mappings, key, report, input } = plan
  const ofKey = key === null || mappings.some(({ index }) => index === key.index) ? [] : [{ mapping: null, ...key }]
  return [...mappings, ...ofKey].flatMap(({ mapping, header, index }) => {
    const counts = cells.find(cell => cell.index === index)
    if (counts === undefined) return []
    const filled = filledRows(input) - counts.empty.count
    return {
      mapping,
      header,
      index,
      isKey: index === key?.index,
      filled,
      // An estimate may exceed the number of rows.
      distinct: Math.min(counts.distinct.count, filled),
      isEstimate: counts.distinct.isEstimate,
      examples:
        report.rows === 'none' ? [] : isColumnMasked(plan, index) ? counts.examples.slice(0, 1).map(() => MASK) : counts.examples,
    }
  })
}

/** The columns with which the next list is compared. */
function makeContract({ input: { columns } }: Pipeline, facts: InputFacts, cells: readonly CellCounts[]): Plan['contract'] {
  const { expect } = columns
  if (expect === 'open') return undefined
  const all = Array.from({ length: facts.columns }, (_, index) => {
    const counts = cells.find(cell => cell.index === index)
    const filled = counts === undefined ? 0 : filledRows(facts) - counts.empty.count
    return { header: facts.header?.[index] ?? null, filled, numbers: 0, dates: 0, ...counts?.kinds }
  })
  return { expect, columns: all }
}

function unpacking(packed: Packing): string {
  if (packed.as === 'xlsx') return `the sheet ${show(packed.sheet)} as text`
  return { gzip: 'unpacked from gzip', parquet: 'the rows of Parquet as text', jsonl: 'JSON lines as CSV' }[packed.as]
}

/** Why an input cannot be sent byte for byte, in words. */
function planPreparation(
  facts: InputFacts,
  mappings: readonly PlannedMapping[],
  { rows, sent, skipped, collapse }: PlannedRows & Pick<Plan, 'collapse'>,
  { shard, send }: { readonly shard: Shard | undefined; readonly send: Pipeline['send'] },
): string[] {
  return [
    ...(facts.files === undefined ? [] : [`${counted(facts.files.length, 'file')} as one list`]),
    ...(facts.packed === undefined ? [] : [unpacking(facts.packed)]),
    ...(facts.encoding === 'utf-8' ? [] : [`encoding ${facts.encoding}`]),
    ...(facts.quotes === 'relaxed' ? ['quotes: relaxed'] : []),
    ...(facts.skipped === undefined ? [] : [skippedInWords(facts.skipped)]),
    ...mappings.filter(mapping => mapping.pad !== null).map(mapping => `pad ${mapping.mapping} to ${mapping.pad} digits`),
    ...mappings.filter(mapping => mapping.trim).map(mapping => `trim ${mapping.mapping}`),
    ...mappings
      .filter(mapping => mapping.value !== undefined)
      .map(mapping => `${mapping.mapping} ${show(mapping.value!)} in every row`),
    ...(send === 'mapped' ? ['only the mapped columns'] : []),
    ...(facts.rejected === undefined ? [] : [`without ${counted(facts.rejected.rows, 'row')} that cannot be read`]),
    ...(collapse ? [`${sent} different rows of ${rows - skipped}`] : []),
    ...(skipped === 0
      ? []
      : [
          facts.sections === undefined
            ? `without ${counted(skipped, 'empty row')}`
            : `without ${counted(skipped, 'row')} (${whySkipped(facts)})`,
        ]),
    ...(shard !== undefined
      ? [`shard ${shardText(shard)}: rows ${shard.from + 1} to ${shard.from + rows} of ${facts.rows}`]
      : []),
    ...(shard === undefined && rows < facts.rows ? [`the first ${count(rows)} of ${counted(facts.rows, 'row')}`] : []),
  ]
}

function skippedInWords({ head, tail }: { readonly head: number; readonly tail: number }): string {
  const lines = [...(head > 0 ? [`${counted(head, 'line')} above`] : []), ...(tail > 0 ? [`${counted(tail, 'line')} below`] : [])]
  return `without ${lines.join(' and ')} the table`
}
