/** `fettle plan`: prints rows, cost and changes of the next run. It asks a remote service what the account has left, and nothing else. */
import { accountOfPlan, accountWords, type PlanAccount } from '../../account/account.ts'
import { findIdentity } from '../../env/identity.ts'
import { findRunKey } from '../../env/run-key.ts'
import { EXIT, errorOfIssues } from '../../errors.ts'
import { whySkipped } from '../../model/list.ts'
import { type Change, MOST_SHARDS, type Plan, shardList, shareOf } from '../../pipeline/index.ts'
import { type DecisionPreview, previewDecisions } from '../../prepare/decision-preview.ts'
import { listIssues } from '../../prepare/kept-list.ts'
import { type Prepared, prepare } from '../../prepare/prepare.ts'
import { escapeTerminal, safeJson } from '../../report/formats/escape.ts'
import { reuseWords } from '../../report/sections/reuse.ts'
import { count, counted, percent, time } from '../../report/words.ts'
import { estimateRun, type RunEstimate } from '../../spending/estimate.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, needText, textFlag, wholeFlag } from '../options/read.ts'
import { worstExit } from '../result/exit.ts'
import type { Io } from '../terminal/io.ts'
import { printIssues } from '../terminal/print-error.ts'
import { flipWords } from './decide.ts'
import { withPipelines } from './pipelines.ts'
import { prepareContext, readReuse } from './shared.ts'

/** Returns the exit code of `check`. */
export async function run(given: Flags, io: Io): Promise<number> {
  const flags = await withPipelines(given, io)
  if (typeof flags === 'number') return flags
  const shards = wholeFlag(flags, 'shards', 1, MOST_SHARDS)
  const files = listFlag(flags, 'pipeline')
  if (shards !== null && files.length > 1) throw usageError('--shards takes one pipeline, and several are named')
  const runsDir = needText(flags, 'runs-dir')
  const context = { ...prepareContext(flags, io), runsDir, isOffline: isOn(flags, 'offline') }
  const codes: number[] = []
  const runKey = findRunKey(io.env, textFlag(flags, 'run-key'))
  for (const file of files) {
    const prepared = await prepare(file, context)
    prepared.release()
    const { plan, input, credentials, project } = prepared
    const found = [...prepared.issues, ...listIssues(prepared, runsDir)]
    const isRefused = plan === null || found.some(({ severity }) => severity === 'error')
    const exitCode = isRefused ? errorOfIssues(found).exitCode : EXIT.ok
    codes.push(exitCode)
    if (plan !== null && shards !== null) {
      io.out(isOn(flags, 'json') ? safeJson(shardList(shards)) : formatRanges(plan, shards))
      continue
    }
    const { env, cwd: root, signal } = io
    const place = { runsDir, root, env, credentials, runKey, ...readReuse(flags) }
    const estimate = plan === null || input === null ? null : await estimateRun(plan, input, place)
    const issues = [...found, ...(estimate?.issues ?? [])]
    const account = plan === null || context.isOffline ? null : await accountOfPlan(plan, { env, credentials, signal })
    const identity = plan && findIdentity(plan.service, credentials)
    const preview = plan && (await previewDecisions(plan, { plan, identity }, runsDir, root))
    if (isOn(flags, 'json')) {
      const name = plan?.name ?? null
      const left = account !== null && 'found' in account ? account.found : null
      const shown = estimate && { ...estimate, issues: undefined, account: left, decisions: preview }
      io.out(safeJson({ schema: 'fettle/plan/v1', file, name, ok: !isRefused, exitCode, issues, project, plan: shown }))
      continue
    }
    if (issues.length > 0) io.err(printIssues(issues, files.length > 1 ? file : null))
    if (plan !== null && estimate !== null)
      io.text([formatEstimate(plan, estimate, project, account), ...previewLines(plan, preview)].join('\n'))
  }
  return worstExit(codes)
}

const formatRanges = ({ rows }: Plan, of: number): string =>
  shardList(of)
    .map((text, index) => {
      const { from, to } = shareOf(rows, { number: index + 1, of })
      return `${text}  ${from === to ? 'no rows' : `rows ${from + 1} to ${to}`}`
    })
    .join('\n')

function formatEstimate(plan: Plan, estimate: RunEstimate, project: Prepared['project'], account: PlanAccount | null): string {
  const { portfolio, screening, unfinished, candidates, runKey, rows, skipped, different, reuse, credits } = estimate
  const lines: (string | null | undefined | false)[] = [
    `${plan.name}  (${plan.file})`,
    ...projectLines(plan, project),
    `  rows      ${rows}${skipped === 0 ? '' : `, ${skipped} ${whySkipped(plan.input)}`}${different === null ? '' : `, ${different} different on the mapped cells`}`,
    // 50,000 rows: 49,412 known, 588 to send (412 new, 131 changed, 45 too old), at most 588 credits
    reuse &&
      `  reuse     ${counted(reuse.asked, 'row')}: ${reuseWords(reuse, 'to send')}, at most ${counted(credits.most, 'credit')}`,
    `  sent      ${estimate.sent} in ${counted(estimate.jobs, 'job')}${saving(plan, estimate)}`,
    plan.events && `  events    ${eventsLine(plan, plan.events)}`,
    `  requests  ${estimate.requests === 0 ? 'none' : `at least ${estimate.requests} (polling adds more)`}`,
    `  credits   ${formatCredits(plan, estimate)}`,
    ...monthLines(estimate),
    ...accountLines(plan, estimate, account),
    plan.precision !== undefined && `  precision ${percent(plan.precision)} of the matches should be right (matching.precision)`,
    plan.companyNumbers && `  numbers   company numbers are ${plan.companyNumbers} (job.companyNumbers)`,
    plan.accept && `  accept    ${acceptedMatches(plan.accept)}`,
    plan.candidates &&
      `  asked     ${candidates?.most ?? 0} questions for candidates at most, a credit each${knownWords(candidates?.known)}`,
    portfolio && `  portfolio ${expectedCount(portfolio, 'company', 'companies')} to add to ${formatPortfolio(plan)}`,
    screening &&
      `  screen    ${expectedCount(screening, 'AML search', 'AML searches')}, a credit each${directorsText(screening)}${screenBudget(screening)}${knownWords(screening.known)}${screening.oldest === null ? '' : `, the oldest of ${time(screening.oldest)} UTC`}${unprovenWords(screening)}`,
    plan.screen?.monitor &&
      `  monitor   every company found, once; monitoring of companies that left the list ends${mostGone(plan.screen.monitor.remove)}`,
    estimate.tree &&
      `  decide    ${counted(estimate.tree.most, 'run')} of the decision tree "${plan.tree?.name}" at most, a credit each${estimate.tree.budget === null ? '; no decide.budget limits them' : ` (decide.budget ${estimate.tree.budget})`}`,
    plan.after && '  after     the jobs are archived',
    unfinished && `  run       resumes the unfinished ${unfinished}; paid results are not paid again`,
    runKey && `  run key   ${runKey.key} (${runKey.from})`,
    runKey?.finished && `  run       ${runKey.finished} of this key has finished: it is reported again, nothing is sent`,
    ...changeLines(estimate),
  ]
  return lines
    .filter(line => typeof line === 'string')
    .map(escapeTerminal)
    .join('\n')
}

function previewLines({ decide }: Plan, preview: DecisionPreview | null): string[] {
  if (decide === undefined) return []
  const rules = `  decide    ${decide.path}: ${counted(decide.table.rules.length, 'rule')}`
  if (preview === null) return [escapeTerminal(rules)]
  if ('why' in preview)
    return [escapeTerminal(`${rules}; which rows of ${preview.runId} it decides otherwise is unknown: ${preview.why}`)]
  const { flips, lacking } = preview.decided
  const missing = `${counted(lacking.rows, 'row')} cannot be judged again: ${preview.file} has no ${lacking.fields.join(', ')}`
  return [
    `${rules}; of the rows of ${preview.runId} ${flipWords(flips ?? [])}`,
    ...(lacking.rows === 0 ? [] : [`            ${missing}`]),
  ].map(escapeTerminal)
}

/** Which values come from the project file. */
function projectLines({ service, limit }: Plan, project: Prepared['project']): string[] {
  if (project === null) return []
  const { file, target, keys } = project
  const where = service.kind === 'embedded' ? 'the embedded service' : service.url
  const rows = limit === null ? 'all rows' : `the first ${counted(limit, 'row')}`
  const shown = keys.length === 0 ? 'the pipeline has a value for every key of it' : keys.join(', ')
  return [...(target === null ? [] : [`  target    ${target}: ${where}, ${rows}`]), `  project   ${file}: ${shown}`]
}

function monthLines({ month }: RunEstimate): string[] {
  if (month === null) return []
  const { limit, spent, most } = month
  if (spent === null) return [`  month     budget.month ${limit}; what is spent is unknown without credentials`]
  const verdict = spent + most > limit ? 'the run would be refused' : 'budget.month allows it'
  return [`  month     ${spent} of ${limit} spent or reserved in ${month.month}, ${most} more at most: ${verdict}`]
}

function accountLines({ budget }: Plan, { most }: RunEstimate, account: PlanAccount | null): string[] {
  if (account === null) return []
  if ('why' in account) return [`  account   what it has left is unknown: ${account.why}`]
  const { found } = account
  const isEnough = found !== null && found.left >= most
  const verdict = budget.account === 'refuse' ? 'the run would be refused (budget.account)' : 'the run may end early'
  const need = isEnough || (found === null && budget.account === undefined) ? '' : `: the run may need ${count(most)}, ${verdict}`
  return [`  account   ${accountWords(found)}${need}`]
}

function acceptedMatches({ banding, review, pattern }: NonNullable<Plan['accept']>): string {
  const parts = [banding === null ? 'every other band' : `bands ${banding.join(', ')}`]
  if (review.length > 0) parts.push(`${review.join(', ')} for review`)
  const letters = Object.entries(pattern ?? {}).map(([part, some]) => `${part} ${some}`)
  return [...parts, ...(pattern === null ? [] : [letters.join(', ')])].join('; ')
}

const expectedCount = ({ most, expected }: { most: number; expected: number | null }, one: string, many: string): string =>
  `${most} ${most === 1 ? one : many} at most${expected === null ? '' : `, about ${expected} by the last good run`}`

const knownWords = (known: number | null | undefined): string => (known == null ? '' : `; ${count(known)} known`)

const unprovenWords = ({ unproven }: { unproven: number }): string =>
  unproven === 0 ? '' : `; ${count(unproven)} of them are made again where an entry of the lists changed that may concern them`

const formatPortfolio = ({ portfolio }: Plan): string =>
  portfolio?.id == null ? `"${portfolio?.name ?? ''}"` : `portfolio ${portfolio.id}`

const mostGone = ({ max }: { readonly max: number | null }): string => (max === null ? '' : `, of ${percent(max)} at most`)

const directorsText = ({ directors }: NonNullable<RunEstimate['screening']>): string => {
  if (directors === null) return ''
  const many =
    directors.expected === null
      ? 'how many is known once the companies are found'
      : `${count(directors.expected)} in the last good run`
  return `, and one for each director: ${many}`
}

const screenBudget = ({ budget }: { budget: number | null }): string =>
  budget === null ? '; no screen.budget limits them' : ` (screen.budget ${budget})`

const eventsLine = (plan: Plan, { output, mark }: NonNullable<Plan['events']>): string =>
  `events of ${formatPortfolio(plan)} since the last run, before matching, to ${output}${mark ? '; then they are marked' : ''}`

const saving = ({ collapse, output }: Plan, { different, rows, skipped, reuse }: RunEstimate): string =>
  collapse || reuse !== null || output === null || different === null || different === rows - skipped
    ? ''
    : `; job.collapse: true would send ${different}`

function formatCredits({ enrich, service }: Plan, { credits: { most, expected, budget } }: RunEstimate): string {
  if (enrich === null) return 'none: the pipeline enriches nothing'
  const likely = expected === null ? '' : `, about ${expected} by the last good run`
  const excess = `exceeds budget.credits ${budget}: nothing would be enriched`
  const limit = budget === null ? '' : `; ${budget >= most ? `budget.credits ${budget} allows it` : excess}`
  const free = service.kind === 'embedded' ? '; the embedded service is free of charge' : ''
  return `${most} at most (${enrich.product}, one per row found)${likely}${limit}${free}`
}

function changeLines({ against }: RunEstimate): string[] {
  if (against === null) return ['  against   no earlier good run of this pipeline']
  const { runId, startedAt, changes } = against
  const title = `  against   ${runId} of ${startedAt.slice(0, 16).replace('T', ' ')} UTC`
  if (changes.length === 0) return [`${title}: nothing changed`]
  return [title, ...changes.map(change => `    ${changeLine(change)}`)]
}

function changeLine({ what, was, is }: Change): string {
  if (what === 'input') return '~ input changed'
  if (was === null) return `+ ${what}: ${is}`
  return is === null ? `- ${what}: ${was}` : `~ ${what}: ${was} -> ${is}`
}
