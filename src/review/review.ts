/**
 * The review of a run that came to its end: its rows, and its outputs made once more under what people decided. Nothing is sent:
 * the answers of the service are kept while there are rows to decide about. Only tags of accepted companies are fetched, where asked for.
 */

import { existsSync } from 'node:fs'
import type { Env } from '../env/environment.ts'
import { identityOf } from '../env/identity.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import { type Action, action, FettleError } from '../errors.ts'
import { changedAuditRegisters } from '../execution/audit-register.ts'
import { openRunPorts } from '../execution/ports.ts'
import { type ConnectionNeeds, connectRun } from '../execution/run-connection.ts'
import type { RunResult, RunSettings } from '../execution/run-settings.ts'
import { fetchAcceptedByJob, withLock } from '../execution/start.ts'
import { hasReview } from '../execution/work-files.ts'
import type { SheetLook } from '../formats/xlsx.ts'
import { fetchedTags, type Journal, openJournal, type RunState } from '../journal/index.ts'
import { explainInWords } from '../model/reasons.ts'
import type { HitSubject } from '../model/results.ts'
import { nameLine } from '../pipeline/index.ts'
import { formatDay, loadHitDecisions } from '../prepare/decisions.ts'
import { openCompanyTags } from '../prepare/register-companies.ts'
import { findCurrentPipeline, linksOfRun } from '../prepare/resume-context.ts'
import type { Sample } from '../report/index.ts'
import { receivedPath } from '../results/file-names.ts'
import { type Decision, Decisions, type HitDecision, HitDecisions, type JudgedHit, LATER } from '../results/index.ts'
import type { ResultsOptions } from '../results/output/writers.ts'
import { choicePath } from '../reuse/files/choice.ts'
import { endOf, fetchAcceptedStep, isRejected, judgeHits, publish } from '../run/index.ts'
import { findReviewId } from '../runs/open-runs.ts'
import { writeReports } from '../runs/report-files.ts'
import type { ReviewRow } from '../runs/review-rows.ts'
import { type RunDirectory, readRun, removeStaleRunFiles, runDirectory } from '../runs/run-directory.ts'
import { findBaseline, loadRun, reportOfRun } from '../runs/run-queries.ts'
import { lastGoodRun } from '../runs/run-store.ts'
import { settleCredits } from '../spending/spending.ts'

export interface ReviewOptions {
  readonly env: Env
  readonly cwd: string
  readonly runsDir: string
  /** Fetch the tags of accepted companies that the service did not match. */
  readonly fetch?: boolean
  /** Ends the fetching, which a further call continues. */
  readonly signal?: AbortSignal
}

/**
 * The run that a person names, when it can be reviewed; the latest if absent. Throws FETTLE_RUN_UNKNOWN, FETTLE_REVIEW, and
 * FETTLE_RUN_AMBIGUOUS when runs of several series of the name are open.
 */
export function runForReview(runsDir: string, wanted: string | undefined): { state: RunState; directory: RunDirectory } {
  const found = loadRun(runsDir, findReviewId(runsDir, wanted, hasReview))
  const { state } = found
  const refuse = (why: string, hint: string, next?: Action): FettleError =>
    new FettleError('FETTLE_REVIEW', `the run ${state.runId} ${why}`, { hint, action: next })
  if (!state.finished) throw refuse('is not finished', 'Resume the run first.', action('resume', state.runId))
  if (state.plan.output === null) throw refuse('has no output, so it has no rows to review', 'Name an output in the pipeline.')
  if (state.plan.report.rows === 'none')
    throw refuse('keeps its rows out of reviews', 'Set report.rows: review in the pipeline, and run it again.')
  return found
}

/**
 * Writes the outputs and reports of a run again, under these decisions alone and those about hits that are stored, and records that. Throws FETTLE_REVIEW when the
 * answers are no longer kept, FETTLE_INPUT_CHANGED when the input is a different one now; decisions hold on the next run then.
 */
export async function applyDecisions(
  id: string,
  lines: readonly Decision[],
  { env, cwd, runsDir, fetch = false, signal = new AbortController().signal }: ReviewOptions,
): Promise<RunResult> {
  const { clock } = DEFAULT_RUNTIME
  const now = clock.now.bind(clock)
  const directory = runDirectory(runsDir, id)
  const recorded = readRun(runsDir, id)
  const { plan } = recorded
  const credentials = fetch ? findCurrentPipeline(recorded, { env, cwd }, true).credentials : null
  if (credentials !== null) checkFetch(recorded, credentials)
  return withLock(nameLine(plan), { runsDir, runtime: DEFAULT_RUNTIME }, async () => {
    const state = readRun(runsDir, id)
    removeStaleRunFiles(directory)
    const failed = new Set(state.jobs.flatMap(({ part, failure }) => (failure === null ? [] : [part])))
    const needed = plan.parts.flatMap((_, part) => (failed.has(part) ? [] : [receivedPath(directory.path, part)]))
    if (plan.known !== undefined) needed.push(choicePath(directory.path))
    if (!needed.every(path => existsSync(path)))
      throw new FettleError('FETTLE_REVIEW', `the answers to the run ${id} are no longer kept`, {
        hint: `Run ${plan.file} again: decisions of its review.decisions are applied on every run.`,
      })
    const decisions = new Decisions(lines, formatDay(now()))
    const storage = { env, cwd, attempts: plan.retry.attempts, links: linksOfRun(state, { env, cwd }) }
    const before = lastGoodRun(runsDir, state, id)
    const options: ResultsOptions = {
      root: cwd,
      decisions: async () => decisions,
      companyTags: plan.service.kind === 'embedded' ? () => openCompanyTags(plan, env) : undefined,
      hitDecisions: () => loadHitDecisions(plan, cwd, now()),
      isRejected: (outcomes, { decisions, ...found }) => isRejected(state, outcomes, { before, ...found }, decisions),
      baseline: findBaseline(runsDir, before),
    }
    const changed = await changedAuditRegisters(plan, env)
    const { results, source } = openRunPorts(plan, directory, options, storage)
    // A kill may have come between their record and the outputs.
    if (state.accepted !== null) await results.keepFetched(fetchedTags(state.accepted.found))
    const journal = openJournal(directory.journal, now, 'existing')
    try {
      const known = new Set(state.issues.map(({ message }) => message))
      for (const issue of changed) if (!known.has(issue.message)) journal.append({ type: 'issue.raised', issue })
      for await (const event of judgeHits(state, { results })) journal.append(event)
      // What the run did with its companies stays as it was.
      for await (const event of publish(state, { results }))
        journal.append(event.type === 'output.written' ? { ...event, companies: undefined } : event)
      await results.removeCompanies()
      if (credentials !== null) {
        const settings = { env, cwd, runsDir, credentials, args: {}, timeoutMs: null, signal, runtime: DEFAULT_RUNTIME }
        const accepted = lines.filter(({ decision }) => decision === 'accept').length
        await settleCredits(runsDir, recorded, clock, accepted)
        await fetchAccepted(journal, { directory, results, source, settings })
        await results.removeCompanies()
      }
      const ended = journal.append(endOf(journal.state!, null, before))
      await settleCredits(runsDir, ended, clock)
      const report = reportOfRun(runsDir, id)
      await writeReports(directory, report, ended)
      return { state: ended, report, directory }
    } finally {
      journal.close()
    }
  })
}

/** Throws FETTLE_REVIEW for a pipeline that fetches no companies, FETTLE_FINGERPRINT for another user. */
function checkFetch({ plan, runId, identity }: RunState, credentials: RunSettings['credentials']): void {
  if (plan.candidates?.fetch == null)
    throw new FettleError('FETTLE_REVIEW', `the pipeline of the run ${runId} does not set how accepted companies are fetched`, {
      hint: 'Add candidates: { fetch: job } or { fetch: report } to the pipeline, and run it again.',
      action: action('run', plan.file),
    })
  if (identity !== identityOf(plan.service, credentials))
    throw new FettleError('FETTLE_FINGERPRINT', `the run ${runId} was started with a different user name`)
}

/** Runs the stage over the companies of the last outputs, and writes the outputs again. Throws what the service answers. */
async function fetchAccepted(
  journal: Journal,
  needs: Pick<ConnectionNeeds, 'directory' | 'results' | 'source' | 'settings'>,
): Promise<void> {
  const { state } = journal
  if (state === null || state.accepted === null || state.accepted.isWritten) return
  const { plan } = state
  const { signal } = needs.settings
  const { ports, close } = await connectRun({
    ...needs,
    plan,
    isNeeded: true,
    fetchByJob: fetchAcceptedByJob,
    limit: { signal, grace: signal, left: () => plan.poll.timeoutMs },
    beforeEffect: () => {},
    onProgress: () => {},
  })
  try {
    for await (const event of fetchAcceptedStep.run(state, ports)) journal.append(event)
  } finally {
    await close().catch(() => {})
  }
}

/** A hit of a run, and its company or director. */
export interface ReviewHit extends JudgedHit {
  readonly company: HitSubject
}

/** The hits of a run under these decisions; none where the pipeline names no file for decisions about hits. */
export function reviewHits({ plan, screening }: RunState, lines: readonly HitDecision[]): ReviewHit[] {
  if (plan.screen?.decisions === undefined) return []
  const decisions = new HitDecisions(lines, formatDay(DEFAULT_RUNTIME.clock.now()))
  return (screening?.answers.values() ?? []).flatMap(({ id, name, person, found = [] }) => {
    const company = { id, name, person }
    return decisions.judge(company, found).map(judged => ({ ...judged, company }))
  })
}

type TableRow = Pick<Sample, 'row' | 'key' | 'cells' | 'fingerprint' | 'decision' | 'candidates'> &
  Partial<Pick<Sample, 'reason'> & Pick<ReviewRow, 'outcome'>>

const CHOICES = ['accept', 'reject', LATER]
const NARROW = 4

/** A line for each row and candidate: what a person reads first, then what `--apply` reads. */
export function reviewTable(mappings: readonly string[], samples: readonly TableRow[]) {
  const known = new Set(samples.flatMap(({ candidates }) => candidates.flatMap(({ fields }) => Object.keys(fields))))
  const others = mappings.filter(name => name !== 'name')
  const fields = [...others, 'register', 'otherIds'].filter(name => known.has(name))
  const key = samples.some(sample => sample.key !== null) ? ['key'] : []
  const names = [
    ...['row', ...key, 'name', 'decision', 'companyName', 'score', 'reason'],
    ...others.flatMap(name => [`row.${name}`, ...(known.has(name) ? [`company.${name}`] : [])]),
    ...fields.filter(name => !others.includes(name)).map(name => `company.${name}`),
    ...['company', 'by', 'at', 'expires', 'fingerprint'],
  ]
  const looks: Readonly<Record<string, SheetLook>> = {
    row: { is: 'number' },
    score: { is: 'number' },
    decision: { choices: CHOICES },
    fingerprint: { width: NARROW },
  }
  const rows = samples.flatMap(sample => listRows(sample).map(cells => names.map(name => cells[name] ?? '')))
  return { names, rows, sheetColumns: names.map(name => looks[name]) }
}

const prefixed = (prefix: string, cells: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(cells).map(([name, text]) => [`${prefix}.${name}`, text]))

/** The companies of a row; at the end of an unmatched one an empty line for the company that a person finds. */
function listCompanies({ candidates, decision, outcome }: TableRow): TableRow['candidates'] {
  if (decision?.decision === 'accept' && !candidates.some(({ id }) => id === decision.company))
    return [...candidates, { ...NOBODY, id: decision.company, name: decision.companyName }]
  return candidates.length === 0 || (outcome === 'unmatched' && decision === null) ? [...candidates, NOBODY] : candidates
}

function listRows(tableRow: TableRow): Record<string, string>[] {
  const { row, key, cells, fingerprint, decision, reason } = tableRow
  return listCompanies(tableRow).map((company, at) => {
    const isMeant = decision !== null && (decision.decision === 'reject' || decision.company === company.id)
    const { by, at: when, expires } = decision !== null && isMeant ? decision : NO_DECISION
    return {
      ...prefixed('row', cells),
      ...prefixed('company', company.fields),
      ...{ row: String(row), key: key ?? '', name: cells.name ?? '', by, at: when, expires, fingerprint },
      ...{ company: company.id, companyName: company.name, decision: isMeant ? decision.decision : '' },
      score: company.score === null ? '' : company.score.toFixed(3),
      // The reason of the row is about its best candidate.
      reason: explainInWords(company.why, at === 0 ? (reason ?? null) : null),
    }
  })
}

const NO_DECISION = { by: '', at: '', expires: '' }
const NOBODY: Sample['candidates'][number] = { id: '', name: '', score: null, why: '', parts: {}, fields: {} }
