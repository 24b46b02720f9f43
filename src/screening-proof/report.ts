/** A verification as text for a terminal and as a page for an auditor. */
import { count, counted } from '../counted.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { shell } from '../report/html/shell.ts'
import { table } from '../report/html/table.ts'
import { labelBadge } from '../report/html/verdict.ts'
import { escapeTerminal, type Report } from '../report/index.ts'
import { labelCheck } from '../report/verdict.ts'
import { duration, more, percent, time } from '../report/words.ts'
import { type Kind, perThousand } from './checks.ts'
import { MEANINGS, MUTATION_NAMES, type Mutation } from './mutations.ts'
import type { Alerts, Recall, Verification } from './verify.ts'

/** Misses of a change that a page shows, and a terminal. */
const [PAGE_MISSES, TEXT_MISSES] = [100, 3]

const recallText = ({ asked, found }: Recall): string => `${percent(found / asked)} (${count(found)} of ${count(asked)})`
function alertText({ asked, found, names }: Alerts): string {
  if (asked === 0) return 'not measured: it has no names'
  const chosen = asked < names ? `${count(asked)} chosen by hash of ${counted(names, 'row')}` : counted(asked, 'name')
  return `${perThousand(found / asked)} of 1,000 (${count(found)} of ${chosen})`
}
const scoreText = (score: number | null): string => (score === null ? 'not found' : `scores ${score}`)
const label = (success: boolean) => labelCheck({ success, severity: 'fail' })

const scopeText = ({ lists, names, changed, threshold }: Verification): string =>
  `${counted(names, 'listed name')} of ${counted(lists.length, 'list')}, threshold ${threshold}; ${changed < names ? `${count(changed)} of them, chosen by hash,` : 'each of them'} with changes`

/** The changes that were asked, each with its recall by kind. */
const recallRows = ({ recall }: Verification): { change: Mutation; of: Readonly<Partial<Record<Kind, Recall>>> }[] =>
  MUTATION_NAMES.map(change => ({
    change,
    of: Object.fromEntries(recall.filter(counts => counts.change === change).map(counts => [counts.kind, counts])),
  })).filter(({ of }) => Object.keys(of).length > 0)

/** Lines without control characters; a caller aligns nothing. */
export function formatVerification(proof: Verification): string {
  const rows = [
    ['recall', 'persons', 'organisations'],
    ...recallRows(proof).map(({ change, of }) => [
      MEANINGS[change],
      of.persons === undefined ? '' : recallText(of.persons),
      of.organisations === undefined ? '' : recallText(of.organisations),
    ]),
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const lines = [
    scopeText(proof),
    ...proof.lists.map(
      ({ name, source, entries, snapshotDate, sha256 }) =>
        `  ${name}: ${counted(entries, 'entry', 'entries')} of ${source}, file of ${snapshotDate}, sha256 ${sha256.slice(0, 12)}`,
    ),
    '',
    ...rows.map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    ),
    ...proof.recall
      .filter(({ asked, found }) => found < asked)
      .flatMap(({ kind, change, asked, found, misses }) => [
        '',
        `missed ${MEANINGS[change]}, ${kind}: ${count(asked - found)}`,
        ...misses
          .slice(0, TEXT_MISSES)
          .map(miss => `  ${miss.name} (${miss.list} ${miss.id}) as ${miss.asked}: ${scoreText(miss.score)}`),
        ...(asked - found > TEXT_MISSES ? [`  ${more(asked - found, Math.min(TEXT_MISSES, misses.length))}`] : []),
      ]),
    ...proof.innocents.flatMap(source => [
      '',
      `alerts of ${source.source}, ${source.kind}: ${alertText(source)}`,
      ...source.alerts
        .slice(0, TEXT_MISSES)
        .map(({ name, match, list, id, score }) => `  ${name}: ${match} (${list} ${id}) scores ${score}`),
    ]),
    '',
    ...proof.checks.map(({ text, measured, success }) => {
      const { sign, word } = label(success)
      return `${sign} ${word}: fail when ${text}; ${measured}`
    }),
    `${counted(proof.searches, 'search', 'searches')} in ${duration(proof.seconds * 1000)}`,
  ]
  return lines.map(escapeTerminal).join('\n')
}

export function renderVerification(proof: Verification, tool: Report['metadata']['tool']): string {
  const { sign, tone } = label(proof.ok)
  const title = 'Proof of the screening'
  const body = html`<header>
<p class="eyebrow">Report of fettle</p>
<h1>${title} ${labelBadge({ sign, tone, word: proof.ok ? 'Passed' : 'Failed' })}</h1>
<p class="message">${scopeText(proof)}.</p>
<p class="soft">${time(proof.at)} UTC, ${counted(proof.searches, 'search', 'searches')} in ${duration(proof.seconds * 1000)}.</p>
</header>
<main id="main">
<section aria-labelledby="checks"><h2 id="checks">Checks</h2>${table(
    'Checks of the screening',
    ['Fail when', 'Measured', 'Result'],
    proof.checks.map(({ text, measured, success }) => [text, measured, labelBadge(label(success))]),
  )}</section>
<section aria-labelledby="lists"><h2 id="lists">Lists</h2>${table(
    'The lists that were searched',
    ['List', 'File', { figures: 'Entries' }, 'File of', 'Imported, UTC', 'sha256'],
    proof.lists.map(({ name, source, entries, snapshotDate, importedAt, sha256 }) => [
      ...[name, source, count(entries), snapshotDate, time(importedAt)],
      html`<code>${sha256}</code>`,
    ]),
  )}</section>
<section aria-labelledby="recall"><h2 id="recall">Recall</h2>${table(
    'Listed names found, by change',
    ['Searched', { figures: 'Persons' }, { figures: 'Organisations' }],
    recallRows(proof).map(({ change, of }) => [
      MEANINGS[change],
      of.persons === undefined ? '' : recallText(of.persons),
      of.organisations === undefined ? '' : recallText(of.organisations),
    ]),
  )}</section>
${proof.innocents.length === 0 ? null : alerts(proof.innocents)}
${misses(proof.recall)}
</main>`
  return shell({ title: `${title}: ${proof.ok ? 'passed' : 'failed'}`, tool, hasScript: false }, body)
}

const alerts = (sources: readonly Alerts[]): Markup =>
  html`<section aria-labelledby="alerts"><h2 id="alerts">Alerts</h2>${sources.map(
    source =>
      html`<h3>${source.source}, ${source.kind}</h3><p>${alertText(source)}.</p>${
        source.found === 0
          ? null
          : html`${table(
              `Alerts of ${source.source}`,
              ['Name', 'Listed name', 'Entry', { figures: 'Score' }],
              source.alerts
                .slice(0, PAGE_MISSES)
                .map(({ name, match, list, id, score }) => [name, match, `${list} ${id}`, String(score)]),
            )}<p class="soft">${more(source.found, Math.min(PAGE_MISSES, source.alerts.length))}</p>`
      }`,
  )}</section>`

function misses(recall: readonly Recall[]): Markup | null {
  const missed = recall.filter(({ asked, found }) => found < asked)
  if (missed.length === 0) return null
  return html`<section aria-labelledby="misses"><h2 id="misses">Missed</h2>${missed.map(
    ({ kind, change, asked, found, misses: named }) =>
      html`<h3>${MEANINGS[change]}, ${kind}: ${count(asked - found)}</h3>${table(
        `Missed ${MEANINGS[change]}, ${kind}`,
        ['Listed name', 'Entry', 'Searched as', 'Result'],
        named
          .slice(0, PAGE_MISSES)
          .map(({ name, list, id, asked: text, score }) => [name, `${list} ${id}`, text, scoreText(score)]),
      )}<p class="soft">${more(asked - found, Math.min(PAGE_MISSES, named.length))}</p>`,
  )}</section>`
}
