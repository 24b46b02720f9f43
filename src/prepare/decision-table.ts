/** Reads the decision table of a pipeline, and checks it against the columns that its rules will read. */
import { resolve } from 'node:path'
import { columnProblems, type KnownColumns } from '../decide/problems.ts'
import { columnsOf, type DecisionTable, namedFields } from '../decide/table.ts'
import { type Issue, issue, type Place } from '../errors.ts'
import type { OutputFormat } from '../formats/index.ts'
import { AS_FOUND, inspect } from '../input/table/inspect.ts'
import { eventCounts } from '../model/event-kinds.ts'
import { didYouMean } from '../nearest.ts'
import {
  type InputFacts,
  type Pipeline,
  type PlannedDecide,
  parseDecisionTable,
  RESULT_COLUMNS,
  testProblems,
} from '../pipeline/index.ts'
import type { DecidedFile } from '../results/decide-file.ts'
import { isOfRun } from '../results/decide-rows.ts'
import { findWayOut } from './decisions.ts'
import { readText } from './read-pipeline.ts'

/** Where a table is read, and the day of its tests. */
interface TableContext {
  readonly cwd: string
  readonly today: string
  /** The columns that there are, and what has them; null: any. */
  readonly columns: KnownColumns | null
  /** Absent: its tests are run. */
  readonly runsTests?: boolean
}

/** Reads a table and runs its tests. The table is null where it has problems. */
export async function readTable(
  file: string,
  { cwd, today, columns, runsTests = true }: TableContext,
): Promise<{ readonly table: DecisionTable | null; readonly issues: readonly Issue[] }> {
  const text = await readText(resolve(cwd, file))
  if (typeof text !== 'string') {
    const message = `cannot read the decision table ${file}: ${text.message}`
    return { table: null, issues: [issue('FETTLE_DECISION_TABLE', message, { at: { file, line: null, column: null } })] }
  }
  const { table, issues, issuesOf } = parseDecisionTable(text, file)
  if (table === null) return { table, issues }
  const unknown = columns === null ? [] : columnProblems(table, columns)
  const found = issuesOf([...unknown, ...(runsTests ? testProblems(table, today) : [])])
  return { table: found.length > 0 ? null : table, issues: [...issues, ...found] }
}

interface ListDecisions {
  readonly table: string
  readonly asOf: string
  readonly output: { readonly path: string; readonly format: OutputFormat } | null
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Decides about the rows of a file, which may have any columns. Null with the problems of table and file. */
export async function decideList(
  file: string,
  { table: path, asOf, output, cwd, signal }: ListDecisions,
): Promise<{ readonly decided: DecidedFile | null; readonly issues: readonly Issue[] }> {
  const { facts, issues } = await inspect({ ...AS_FOUND, path: file }, { root: cwd })
  const columns = facts?.header == null ? null : { known: facts.header, what: file }
  const { table, issues: ofTable } = await readTable(path, { cwd, today: asOf, columns })
  const all = [...ofTable, ...(table === null || facts === null ? [] : repeatedColumns(table, facts, file)), ...issues]
  if (facts === null || table === null || all.some(({ severity }) => severity === 'error')) return { decided: null, issues: all }
  const { decideFile } = await import('../results/decide-file.ts')
  const where = output && { ...output, path: resolve(cwd, output.path) }
  return { decided: await decideFile(facts, { table, path, asOf, root: cwd, output: where, signal }), issues }
}

/** A list that was an earlier output may have a column twice, and only one of them is of the last answer. */
function repeatedColumns(table: DecisionTable, { header }: InputFacts, file: string): Issue[] {
  const read = new Set(['decision', ...namedFields(table).flatMap(field => columnsOf(table, field))])
  return (header ?? []).flatMap((name, at, all) => {
    if (!read.has(name) || all.indexOf(name) === at || all.indexOf(name, at + 1) !== -1) return []
    const message = `the header "${name}" occurs in columns ${all.flatMap((other, index) => (other === name ? [index + 1] : [])).join(' and ')}, and the decision reads it`
    const details = { at: { file, line: null, column: null }, hint: 'Remove or rename the column of the earlier output.' }
    return [issue('FETTLE_INPUT_HEADER', message, details)]
  })
}

/** Hits of a dataset that is not searched for are not known. */
const screenColumns = (screen: Pipeline['screen']): readonly string[] =>
  screen === null ? [] : ['screen.hits', ...screen.datasets.map(dataset => `screen.${dataset}`)]
/** Of the rules of a portfolio, those are known to raise events that it names. */
function eventColumns({ events, portfolio }: Pick<Pipeline, 'events' | 'portfolio'>, isEmbedded: boolean): readonly string[] {
  if (events === null || isEmbedded) return []
  const rules = Object.values(portfolio?.rules ?? {}).flatMap(named => (named === 'default' ? [] : named.map(({ code }) => code)))
  return eventCounts(rules).map(name => `events.${name}`)
}

const hintFor =
  (isEmbedded: boolean) =>
  (column: string): string | undefined => {
    if (column.startsWith('screen.')) return 'Add screen, with the dataset, to the pipeline.'
    if (!column.startsWith('events.')) return undefined
    if (isEmbedded) return 'The portfolios of the embedded service end with the run: name a service.'
    return 'Add portfolio and events to the pipeline, and a rule with a number to portfolio.rules.'
  }

const OF_MATCH = [...RESULT_COLUMNS].filter(name => /^(?:match|answer)\./.test(name))

interface TablePlace extends Omit<TableContext, 'columns'> {
  readonly header: readonly string[] | null
  /** The list, for messages. */
  readonly list: string
  readonly roots: readonly string[] | undefined
  /** The key in the pipeline file. */
  readonly at: Place | null
  /** Whether the pipeline's service is the embedded one. */
  readonly isEmbedded: boolean
}

function treeIssues(
  fields: NonNullable<Pipeline['decide']>['fields'],
  known: readonly string[],
  { list, at, isEmbedded }: Pick<TablePlace, 'list' | 'at' | 'isEmbedded'>,
): Issue[] {
  const noTrees = 'decide.service runs a decision tree of a service, and the embedded service keeps none'
  const hint = 'Name the service (service: { url: … }), or decide by a table: decide: decisions/limit.yml.'
  const problems = Object.entries(fields).flatMap(([name, { from = name }]) => {
    const columns = [from].flat()
    if (columns.some(column => known.includes(column))) return []
    const what = `"${columns.join('", "')}" is not a column of ${list} or of its answers`
    return [issue('FETTLE_PIPELINE_VALUE', `decide.fields.${name}: ${what}${didYouMean(columns[0]!, known)}`, { at })]
  })
  return [...(isEmbedded ? [issue('FETTLE_PIPELINE_UNSUPPORTED', noTrees, { hint, at })] : []), ...problems]
}

/** The table of a pipeline for its plan, and its problems. */
export async function planTable(
  pipeline: Pick<Pipeline, 'decide' | 'screen' | 'enrich' | 'events' | 'portfolio'>,
  { header, list, cwd, roots, today, at, isEmbedded }: TablePlace,
): Promise<{ readonly decide: PlannedDecide | undefined; readonly issues: readonly Issue[] }> {
  const { decide, screen, enrich } = pipeline
  if (decide === null) return { decide: undefined, issues: [] }
  const { table: path, asOf, service, fields } = decide
  if (path === null) {
    const known = [...(header ?? []), ...(enrich?.tags ?? []), ...OF_MATCH]
    return { decide: undefined, issues: service === null ? [] : treeIssues(fields, known, { list, at, isEmbedded }) }
  }
  const reason = await findWayOut(path, { cwd, roots }, 'decide')
  if (reason !== null) return { decide: undefined, issues: [issue('FETTLE_PIPELINE_PATH', reason, { at })] }
  const ofList = (header ?? []).filter(name => !isOfRun(name))
  const [ofScreen, ofEvents] = [screenColumns(screen), eventColumns(pipeline, isEmbedded)]
  const known = [...ofList, ...(enrich?.tags ?? []), ...OF_MATCH, ...ofScreen, ...ofEvents]
  const columns = { known, what: `${list} or of its answers`, hintFor: hintFor(isEmbedded) }
  const { table, issues } = await readTable(path, { cwd, today: asOf ?? today, columns })
  if (table === null) return { decide: undefined, issues }
  const reads = (columns: readonly string[]): true | undefined =>
    namedFields(table).some(field => columnsOf(table, field).some(name => columns.includes(name))) || undefined
  return { decide: { path, asOf, table, waits: reads(ofScreen), events: reads(ofEvents) }, issues }
}
