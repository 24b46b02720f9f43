/** A message about the end of a run: the reasons for it, a few facts, and rows only where they are asked for. */
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { clip, plain, safeJson } from '../formats/escape.ts'
import { isRejection, type PipelineResult, readName } from '../pipeline-result.ts'
import type { Report, Sample } from '../schema.ts'
import { alertsSentence, eventsSentence, hitsSentence, openHits, unscreenedWords } from '../sections/company-actions.ts'
import { STATUS, type Verdict, verdictOf } from '../verdict.ts'

type NoticeReason = 'fail' | 'warn' | 'recovered' | 'budget' | 'review' | 'events' | 'alerts' | 'test'

export interface Notice {
  readonly pipeline: string
  /** Null before there is a run. */
  readonly runId: string | null
  /** UTC. */
  readonly at: string
  readonly reasons: readonly NoticeReason[]
  readonly status: Verdict
  readonly exitCode: number | null
  readonly title: string
  readonly message: string
  readonly totals: Report['totals'] | null
  readonly directory: string | null
  /** The first rows to review; empty unless they are asked for. */
  readonly rows: readonly Sample[]
}

const MOST_ROWS = 10

const BUDGETS: readonly string[] = [
  'FETTLE_BUDGET_CREDITS',
  'FETTLE_BUDGET_MONTH',
  'FETTLE_BUDGET_SCREEN',
  'FETTLE_BUDGET_DECIDE',
  'FETTLE_INPUT_BUDGET',
  'FETTLE_CANDIDATES',
] satisfies ErrorCode[]

/** Errors about an input whose message has no content of it. The messages of the others may quote a cell. */
const WITHOUT_CELLS: readonly string[] = [
  'FETTLE_INPUT_READ',
  'FETTLE_INPUT_EMPTY',
  'FETTLE_INPUT_ROWS',
  'FETTLE_INPUT_BUDGET',
  'FETTLE_INPUT_CHANGED',
] satisfies ErrorCode[]

/** The message of an error without a cell of the list. */
export function safeText(code: string, message: string): string {
  const isSafe = !code.startsWith('FETTLE_INPUT_') || WITHOUT_CELLS.includes(code)
  return isSafe ? message : `${code}: ${ERRORS[code as ErrorCode]?.text ?? 'the input cannot be used'}`
}

/** Whether the result ended well; null for a run that a person stopped or that goes on. */
export function isGood(result: PipelineResult): boolean | null {
  if (isRejection(result)) return false
  const verdict = verdictOf(result)
  if (verdict === 'cancelled' || verdict === 'running') return null
  return verdict !== 'error' && verdict !== 'fail'
}

/** Why a message about the result may be sent. `wasGood`: how the run before it ended, null when that is unknown. */
export function reasonsFor(result: PipelineResult, wasGood: boolean | null): NoticeReason[] {
  const good = isGood(result)
  if (good === null) return []
  const codes = listCodes(result)
  const reasons: NoticeReason[] = []
  if (!good) reasons.push('fail')
  if (!isRejection(result) && verdictOf(result) === 'warn') reasons.push('warn')
  if (good && wasGood === false) reasons.push('recovered')
  if (codes.some(code => BUDGETS.includes(code))) reasons.push('budget')
  if (isRejection(result)) return reasons
  const hasHits = result.results.some(({ screening }) => openHits(screening) > 0)
  if ((result.totals.review ?? 0) > 0 || hasHits) reasons.push('review')
  if (result.results.some(({ events }) => (events?.events ?? 0) > 0)) reasons.push('events')
  if (result.results.some(({ monitoring }) => (monitoring?.written?.alerts ?? 0) > 0)) reasons.push('alerts')
  return reasons
}

function listCodes(result: PipelineResult): string[] {
  if (isRejection(result)) return result.issues.map(({ code }) => code)
  return result.results.flatMap(({ issues, error, checks }) => [
    ...issues.map(({ code }) => code),
    ...(error === null ? [] : [error.code]),
    ...(checks.some(check => check.assertion === 'budget.credits' && check.success === false) ? ['FETTLE_BUDGET_CREDITS'] : []),
  ])
}

/** The message about a result. `at` is UTC. */
export function noticeOf(
  result: PipelineResult,
  { reasons, rows, at }: { readonly reasons: readonly NoticeReason[]; readonly rows: boolean; readonly at: string },
): Notice {
  const pipeline = readName(result)
  if (isRejection(result)) {
    const errors = result.issues.filter(({ severity }) => severity === 'error')
    const lines = errors.slice(0, 3).map(({ code, message }) => safeText(code, message))
    const more = errors.length > 3 ? ` And ${errors.length - 3} more problems.` : ''
    const message = clip(`${lines.join(' ')}${more}`, 1000)
    const { exitCode } = result
    return { ...NO_RUN, pipeline, at, reasons, status: 'error', exitCode, title: `${pipeline}: did not start`, message }
  }
  const { metadata, totals, results, exitCode } = result
  const status = verdictOf(result)
  const [run] = results
  const error = run?.error ?? null
  const message = error === null ? (run?.message ?? '') : safeText(error.code, error.message)
  return {
    pipeline,
    runId: metadata.runId,
    at,
    reasons,
    status,
    exitCode,
    title: `${pipeline}: ${reasons.includes('recovered') ? 'good again. ' : ''}${STATUS[status].word}`,
    message: clip(
      [
        message,
        unscreenedSentence(run?.screening ?? null),
        hitsSentence(run?.screening ?? null),
        eventsSentence(run?.events ?? null),
        alertsSentence(run?.monitoring ?? null),
      ]
        .filter(text => text !== '')
        .join(' '),
      1000,
    ),
    totals,
    directory: metadata.directory,
    rows: rows ? (run?.review ?? []).slice(0, MOST_ROWS) : [],
  }
}

/** `Not screened: 34 rows without a company.` */
const unscreenedSentence = (screening: Parameters<typeof unscreenedWords>[0]): string =>
  unscreenedWords(screening).replace(/^not (.*)$/, 'Not $1.')

const NO_RUN = { runId: null, exitCode: null, totals: null, directory: null, rows: [] } as const

/** The message of the doctor. */
export function testNotice(pipeline: string, at: string): Notice {
  const message = 'A test of the receivers of this pipeline. No run has ended.'
  return { ...NO_RUN, pipeline, at, reasons: ['test'], status: 'success', title: `${pipeline}: test message`, message }
}

type NoticeBody = (notice: Notice, id: string) => { readonly contentType: string; readonly text: string }

/** The forms by name. `id` is the same on every attempt to send the message. */
export const NOTICE_BODIES: Readonly<Record<'slack' | 'teams' | 'cloudevents', NoticeBody>> = {
  slack: notice => ({ contentType: 'application/json', text: safeJson({ text: slackText(notice) }) }),
  teams: notice => ({ contentType: 'application/json', text: safeJson(teamsCard(notice)) }),
  cloudevents: (notice, id) => ({ contentType: 'application/cloudevents+json', text: safeJson(cloudEvent(notice, id)) }),
}

/** Slack reads these three as markup; a link or a mention cannot be written without them. */
const escapeSlack = (text: string): string => plain(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const slackText = (notice: Notice): string =>
  [`*${escapeSlack(notice.title)}*`, escapeSlack(notice.message), ...factLines(notice).map(escapeSlack)].join('\n')

function factLines({ runId, directory, exitCode, rows }: Notice): string[] {
  const lines = rows.map(({ row, key, why }) => `Row ${row}${key === null ? '' : ` (${key})`}: ${clip(why, 200)}`)
  if (directory !== null) lines.unshift(`Report: ${directory}/report.html`)
  if (runId !== null) lines.unshift(`Run ${runId}${exitCode === null ? '' : `, exit code ${exitCode}`}`)
  return lines
}

/** An adaptive card of runs of text, which Teams does not read as Markdown. */
function teamsCard(notice: Notice): object {
  const line = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: plain(text), ...more }],
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(notice.title, { weight: 'Bolder', size: 'Medium' }),
      line(notice.message),
      ...factLines(notice).map(text => line(text, { isSubtle: true })),
    ],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
  return { type: 'message', attachments: [attachment] }
}

/** CloudEvents 1.0, structured mode. */
const cloudEvent = ({ pipeline, runId, at, reasons, status, exitCode, ...rest }: Notice, id: string): object => ({
  specversion: '1.0',
  id,
  source: `/fettle/${encodeURIComponent(pipeline)}`,
  type: `fettle.run.${reasons[0] ?? 'ended'}`,
  subject: runId ?? undefined,
  time: at,
  datacontenttype: 'application/json',
  data: { schema: 'fettle/notice/v1', pipeline, runId, reasons, status, exitCode, ...rest },
})
