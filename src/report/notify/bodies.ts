/** A message in the forms that receivers read: Slack, Microsoft Teams, CloudEvents. */
import { clip, plain, safeJson } from '../formats/escape.ts'
import type { Notice } from './notice.ts'

export interface NoticeBody {
  readonly contentType: string
  readonly text: string
}

/** The forms by name. `id` is the same on every attempt to send the message. */
export const NOTICE_BODIES: Readonly<Record<'slack' | 'teams' | 'cloudevents', (notice: Notice, id: string) => NoticeBody>> = {
  slack: notice => ({ contentType: 'application/json', text: safeJson({ text: slackText(notice) }) }),
  teams: notice => ({ contentType: 'application/json', text: safeJson(teamsCard(notice)) }),
  cloudevents: (notice, id) => ({ contentType: 'application/cloudevents+json', text: safeJson(cloudEvent(notice, id)) }),
}

/** Slack reads these three as markup; a link or a mention cannot be written without them. */
const escapeSlack = (text: string): string => plain(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const slackText = (notice: Notice): string =>
  [`*${escapeSlack(notice.title)}*`, escapeSlack(notice.message), ...factLines(notice).map(escapeSlack)].join('\n')

function factLines({ runId, directory, exitCode, rows }: Notice): string[] {
  return [
    ...(runId === null ? [] : [`Run ${runId}${exitCode === null ? '' : `, exit code ${exitCode}`}`]),
    ...(directory === null ? [] : [`Report: ${directory}/report.html`]),
    ...rows.map(({ row, key, why }) => `Row ${row}${key === null ? '' : ` (${key})`}: ${clip(why, 200)}`),
  ]
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
  ...(runId === null ? {} : { subject: runId }),
  time: at,
  datacontenttype: 'application/json',
  data: { schema: 'fettle/notice/v1', pipeline, runId, reasons, status, exitCode, ...rest },
})
