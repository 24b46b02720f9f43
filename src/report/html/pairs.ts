/** The page of pairs of rows that may be one company: `fettle dedupe --review pairs.html`. Readable without its script. */
import { action } from '../../errors.ts'
import { shellCommand } from '../../shell-command.ts'
import type { Report } from '../schema.ts'
import { count, counted, more } from '../words.ts'
import { type PairData, scriptJson } from './data.ts'
import { html, prose, trusted } from './markup.ts'
import { SCRIPT } from './script.ts'
import { shell } from './shell.ts'
import { table } from './table.ts'

/** Pairs that are shown without the script. */
const MOST = 500

export function renderPairs(data: PairData, tool: Report['metadata']['tool']): string {
  const { list, file, fields, rows } = data
  const title = `${counted(rows.length, 'pair')} of rows that may be one company`
  const rowsAt = 1 + 2 * fields.length
  const cells = rows
    .slice(0, MOST)
    .map(row => [row[rowsAt], row[1], row[rowsAt + 1], row[2], row[0] === '' ? 'open' : row[0]].map(cell => cell ?? ''))
  const rest = more(rows.length, MOST)
  const body =
    rows.length === 0
      ? html`<p class="lead">No two rows are in doubt.</p>`
      : html`<p class="lead"><span class="ondesk">What you decide stays in this browser until you download ${file}; then ${prose(`\`${shellCommand(action('dedupe', list, '--decisions', file))}\``)} applies it, also to later lists.</span></p>
<div class="paper">${table('Pairs of rows', ['Rows', 'Name', 'Rows of the other', 'Its name', 'Decision'], cells)}${rest === '' ? null : html`<p class="lead">${rest}</p>`}</div><div id="desk" hidden></div>`
  return shell(
    { title, tool, hasScript: true },
    html`<header><p class="eyebrow">${list}</p><h1>${title}</h1><p class="message">${count(rows.filter(([decision]) => decision === '').length)} to decide.</p></header>
<main id="main"><section aria-labelledby="pairs"><h2 id="pairs">Same company?</h2>${body}</section></main>
<script type="application/json" id="pairs-data">${trusted(scriptJson(data))}</script><script>${trusted(SCRIPT)}</script>`,
  )
}
