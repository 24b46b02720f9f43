/**
 * Results as messages of Dagster Pipes (protocol 0.1): a materialisation of each asset with its counts, the asset checks, and the
 * result line. Counts, names and paths only: no row content.
 */

import { defined } from '../../defined.ts'
import { isRejection, type PipelineResult, type Rejection, resultLine } from '../pipeline-result.ts'
import type { Report, Result } from '../schema.ts'
import { OUTCOMES, STATUS, type Verdict, verdictOf } from '../verdict.ts'
import { formatHint } from '../words.ts'
import { plain, safeJson } from './escape.ts'

export interface PipesMessage {
  readonly method: 'opened' | 'log' | 'report_asset_materialization' | 'report_asset_check' | 'report_custom_message' | 'closed'
  readonly params: Readonly<Record<string, unknown>>
}

export interface PipesStep {
  /** Keys of its assets, with parts separated by `/`. */
  readonly assets: readonly string[]
  /** Declared asset checks. An undeclared check fails the step, so other checks are in the metadata only. */
  readonly checks: readonly string[]
}

/** Makes a path absolute. */
type Place = (path: string) => string

export type PipesLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR'

export const pipesLine = (message: PipesMessage): string => safeJson({ __dagster_pipes_version: '0.1', ...message })

export const pipesLog = (level: PipesLevel, message: string): PipesMessage => ({
  method: 'log',
  params: { level, message: plain(message) },
})

/** All messages at the end of a call, `closed` included. */
export function pipesMessages(results: readonly PipelineResult[], step: PipesStep, place: Place): PipesMessage[] {
  const failure = results.map(findError).find(error => error !== null) ?? null
  const ends = results.flatMap(result =>
    isRejection(result) ? refused(result) : ended({ report: result, step, place }, results.length === 1),
  )
  return [...ends, { method: 'closed', params: failure === null ? {} : { exception: failure } }]
}

function findError(pipelineResult: PipelineResult) {
  const error = isRejection(pipelineResult)
    ? pipelineResult.issues.find(({ severity }) => severity === 'error')
    : pipelineResult.results[0]?.error
  if (error == null) return null
  const message = plain(`${error.message} ${formatHint(error)}`.trimEnd())
  return { name: error.code, message, stack: [], cause: null, context: null }
}

const refused = ({ name, issues }: Rejection): PipesMessage[] =>
  issues.map(issue => {
    const level = issue.severity === 'error' ? 'ERROR' : 'WARNING'
    return pipesLog(level, `${name}: ${issue.code}: ${issue.message} ${formatHint(issue)}`.trimEnd())
  })

const LEVEL: Readonly<Partial<Record<Verdict, PipesLevel>>> = {
  warn: 'WARNING',
  fail: 'ERROR',
  error: 'ERROR',
  cancelled: 'ERROR',
}

interface Ending {
  readonly report: Report
  readonly step: PipesStep
  readonly place: Place
}

function ended(ending: Ending, isAlone: boolean): PipesMessage[] {
  const { report, step } = ending
  const verdict = verdictOf(report)
  return report.results.flatMap(result => {
    const log = pipesLog(LEVEL[verdict] ?? 'INFO', `${result.name}: ${STATUS[verdict].word}. ${result.message}`)
    const custom: PipesMessage = { method: 'report_custom_message', params: { payload: JSON.parse(resultLine(report)) } }
    // A run that stopped, was skipped or is detached has no result.
    if (verdict !== 'success' && verdict !== 'warn' && verdict !== 'fail') return [log, custom]
    const asset = findAsset(step.assets, result.name, isAlone)
    if (asset === null) {
      const why = `${result.name}: none of the assets of this step has its name: ${step.assets.join(', ')}`
      return [log, ...(step.assets.length === 0 ? [] : [pipesLog('WARNING', why)]), custom]
    }
    return [log, ...materialised(asset, result, ending), ...reportChecks(asset, result, step), custom]
  })
}

const underscored = (name: string): string => name.replace(/\W/g, '_').toLowerCase()
const lastPart = (key: string): string => underscored(key.replace(/^(?:.*[^\\])?\//s, ''))

/** The only asset of the step for the only pipeline of the call; otherwise the asset with this name, under any prefix. */
function findAsset(assets: readonly string[], name: string, isAlone: boolean): string | null {
  if (isAlone && assets.length === 1) return assets[0] ?? null
  return assets.find(key => lastPart(key) === underscored(name)) ?? null
}

/** The asset, and the assets of the other outputs if the step has them: `suppliers_unmatched`, `suppliers_review`. */
function materialised(asset: string, result: Result, { report, step, place }: Ending): PipesMessage[] {
  const { assets } = step
  const others = result.outputs.flatMap(output => {
    const key = assets.find(other => other !== asset && lastPart(other) === underscored(`${result.name}_${output.kind}`))
    return key === undefined ? [] : [materialisation(key, output, listFacts(report, place), place)]
  })
  const own = result.outputs.find(({ kind }) => kind === 'output')
  const more = { ...listFacts(report, place), ...listCounts(report, result) }
  return [materialisation(asset, own, more, place), ...others]
}

const value = (type: string, raw_value: unknown) => ({ type, raw_value })

/** A whole number loses its fraction in JSON, and Dagster rejects an integer as a float, with the whole step. */
const number = (of: number) => value(Number.isInteger(of) ? 'int' : 'float', of)
type Metadata = Readonly<Record<string, ReturnType<typeof value> | undefined>>

function materialisation(
  asset_key: string,
  output: Result['outputs'][number] | undefined,
  more: Metadata,
  place: Place,
): PipesMessage {
  const made: Metadata =
    output === undefined ? {} : { 'dagster/row_count': value('int', output.rows), output: value('path', place(output.path)) }
  return {
    method: 'report_asset_materialization',
    params: { asset_key, data_version: output?.sha256 ?? null, metadata: { ...made, ...more } },
  }
}

const listFacts = ({ status, metadata }: Report, place: Place): Metadata =>
  defined({
    status: value('text', status),
    run_id: value('text', metadata.runId),
    report: metadata.directory === null ? undefined : value('path', place(`${metadata.directory}/report.html`)),
  })

/** Unknown counts are omitted, never 0. */
function listCounts({ totals, elapsedMs }: Report, { input, checks }: Result): Metadata {
  const known = OUTCOMES.flatMap(name => {
    const count = totals[name]
    return count === null ? [] : [[name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), value('int', count)] as const]
  })
  return defined({
    rows: value('int', totals.rows),
    ...Object.fromEntries(known),
    match_rate: totals.matchRate === null ? undefined : number(totals.matchRate),
    elapsed_seconds: number(elapsedMs / 1000),
    input_sha256: value('text', input.sha256),
    checks: checks.length === 0 ? undefined : value('json', checks),
  })
}

/** Dagster allows one result for each check: the worst threshold that failed, else the last. */
function reportChecks(asset_key: string, { name, checks }: Result, step: PipesStep): PipesMessage[] {
  return step.checks.map(check_name => {
    const own = checks.filter(({ assertion }) => underscored(assertion) === underscored(check_name))
    const failed = own.filter(({ success }) => success === false)
    const worst = failed.find(({ severity }) => severity === 'fail') ?? failed[0] ?? own.at(-1)
    if (worst === undefined)
      return pipesLog('ERROR', `${name}: Dagster waits for the check ${check_name}, and the pipeline has none of that name`)
    const { success, severity, expected, actual } = worst
    return {
      method: 'report_asset_check',
      params: {
        asset_key,
        check_name,
        // Dagster has passed and failed only, and waits for every check that the step declares.
        passed: success !== false,
        severity: severity === 'fail' ? 'ERROR' : 'WARN',
        metadata: { expected: value('text', expected), actual: value('text', actual) },
      },
    }
  })
}
