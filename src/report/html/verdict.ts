/** The head of the page: verdict, message, next step and numbers. */
import { nextSteps, spentWords } from '../message.ts'
import type { Report, Result } from '../schema.ts'
import { reuseWords } from '../sections/reuse.ts'
import { registerDigests, serviceWords } from '../service-words.ts'
import { type Label, OUTCOME, STATUS, type Verdict, verdictOf } from '../verdict.ts'
import { count, counted, duration, percent, points, signed, time } from '../words.ts'
import { html, type Markup, prose } from './markup.ts'

const fact = (name: string, value: Markup | string): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>`

export function verdictBar(report: Report, result: Result): Markup {
  const { startedAt, runId, resumedAt } = report.metadata
  return html`<header>
<p class="eyebrow">fettle run report</p>
<h1>${result.name} ${badge(verdictOf(report))}</h1>
${result.description === null ? null : html`<p class="soft">${result.description}</p>`}
<p class="message">${result.message}</p>
${nextStep(report, result)}
<dl class="facts">
${fact('Run', html`<code>${runId}</code>`)}
${fact('Started', html`<time datetime="${startedAt}">${time(startedAt)} UTC</time>`)}
${fact(report.status === 'running' ? 'Going for' : 'Took', duration(report.elapsedMs))}
${fact('Service', serviceWords(result))}${registerDigests(result).map(({ name, sha256 }) => fact('Register', html`${name}, sha256 <code title="${sha256}">${sha256.slice(0, 12)}</code>`))}
${result.http.requests === 0 ? null : fact('Spent', spentWords(result))}
${result.reuse === null ? null : fact('Earlier answers', reuseWords(result.reuse, 'sent'))}${report.exitCode === null ? null : fact('Exit code', String(report.exitCode))}
${resumedAt.length === 0 ? null : fact('Resumed', counted(resumedAt.length, 'time'))}
</dl>
</header>`
}

/** Word and sign, never colour alone. */
export const labelBadge = ({ tone, sign, word }: Label): Markup =>
  html`<span class="badge ${tone}"><span aria-hidden="true">${sign}</span>${word}</span>`

export const badge = (verdict: Verdict): Markup => labelBadge(STATUS[verdict])

export function nextStep(report: Report, result: Result): Markup | null {
  const { error } = result
  const running = report.status === 'running'
  if (error === null && (report.resume === null || !running)) {
    return report.resume === null ? null : html`<div class="note warn">${resumeStep(report.resume)}</div>`
  }
  if (error === null) {
    return html`<div class="note calm"><p>This page was written while the run was going on. Should the run have been broken off:</p>${renderCommand(report.resume)}</div>`
  }
  const { tone } = STATUS[verdictOf(report)]
  return html`<div class="note ${tone === 'good' ? 'calm' : tone}">
<p>${prose(error.hint)}</p>
${report.resume === null ? null : resumeStep(report.resume)}
<p class="small"><span class="soft"><code>${error.code}</code>${error.correlationId === null ? null : html` · correlation id <code data-copy>${error.correlationId}</code>`}</span></p>
</div>`
}

const resumeStep = (command: string): Markup => html`<p>Resume where it stopped:</p>${renderCommand(command)}`
const renderCommand = (command: string | null): Markup => html`<code class="command" data-copy>${command}</code>`

interface Figure {
  readonly label: string
  readonly rows?: string | null
  readonly value: string
  readonly known: boolean
  readonly change: string
}

export function numbers(report: Pick<Report, 'totals' | 'delta' | 'previous' | 'results'>): Markup {
  const { totals, delta } = report
  const change = (value: number | null | undefined, format: (value: number) => string): string =>
    value == null ? '' : format(value)
  const figure = (name: 'review' | 'unmatched' | 'duplicates'): Figure => ({
    label: OUTCOME[name].word,
    rows: report.results.some(result => result[name].length > 0) ? `#${name}` : null,
    value: count(totals[name]),
    known: totals[name] !== null,
    change: change(delta?.[name], signed),
  })
  const rare = (['failed', 'skipped'] as const).filter(name => (totals[name] ?? 0) > 0)
  const rate = change(delta?.matchRate, points)
  const figures: Figure[] = [
    { label: 'rows', value: count(totals.rows), known: true, change: change(delta?.rows, signed) },
    { label: 'matched', value: percent(totals.matchRate), known: totals.matchRate !== null, change: rate },
    figure('review'),
    figure('unmatched'),
    figure('duplicates'),
    ...rare.map(name => ({ label: OUTCOME[name].word, value: count(totals[name]), known: true, change: '' })),
  ]
  const { previous } = report
  const notes = [
    previous === null
      ? []
      : html`Changes are against the last good run, <code>${previous.runId}</code> of ${time(previous.startedAt)} UTC. `,
    totals.duplicates ? html`Duplicates count as matched: an earlier row matched the same company.` : [],
  ].flat()
  return html`<section aria-label="Numbers"><dl class="numbers">
${figures.map(
  figure =>
    html`<div><dt>${figure.rows == null ? figure.label : html`<a href="${figure.rows}">${figure.label}</a>`}</dt><dd class="n${figure.known ? '' : ' none'}">${figure.known ? figure.value : 'not yet known'}</dd>${figure.change === '' ? null : html`<dd class="d">${figure.change}</dd>`}</div>
`,
)}</dl>${notes.length === 0 ? null : html`<p class="small soft">${notes}</p>`}</section>`
}

/** A link relative to the page in its run directory; text where no such link is possible, as for an address or an absolute folder. */
export function fileLink({ metadata: { directory } }: Pick<Report, 'metadata'>, path: string, text = path): Markup {
  const isRelative = (file: string): boolean => !/^([/\\]|\w+:)/.test(file) && !file.split(/[/\\]/).includes('..')
  if (directory === null || !isRelative(directory) || !isRelative(path)) return html`<span class="path">${text}</span>`
  const up = directory.split(/[/\\]/).filter(part => part !== '' && part !== '.')
  const down = path.split(/[/\\]/).filter(part => part !== '.')
  // encodeURIComponent throws on half of a surrogate pair.
  const href = [...up.map(() => '..'), ...down.map(part => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')))].join('/')
  return html`<a href="${href}">${text}</a>`
}

export function nextStepsBox(report: Report, result: Result): Markup | null {
  const steps = nextSteps(report, result)
  if (steps.length === 0) return null
  const sections: Readonly<Record<string, boolean>> = {
    checks: true,
    review: result.review.length > 0,
    unmatched: Object.keys(result.reasons).length + result.unmatched.length > 0,
  }
  return html`<section class="next" aria-labelledby="next"><h2 id="next">Next steps</h2><ul class="steps">${steps.map(
    ({ text, section, file }) =>
      html`<li>${section !== null && sections[section] === true ? html`<a href="#${section}">${text}</a>` : html`<span>${text}</span>`}${file === null ? null : html`<span class="soft"> · ${fileLink(report, file)}</span>`}</li>
`,
  )}</ul></section>`
}
