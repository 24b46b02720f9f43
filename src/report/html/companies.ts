/** What was done with the companies found: the portfolio they are in, and AML searches with their hits by dataset. */
import { afterLines } from '../after.ts'
import type { Result } from '../schema.ts'
import { count } from '../words.ts'
import { html, type Markup } from './markup.ts'
import { table } from './table.ts'

/** The section; nothing where the pipeline asks for neither. */
export function companies(result: Result): Markup | null {
  const { screening } = result
  const [...lines] = afterLines({ ...result, screening: screening && { ...screening, risks: [], found: [] } })
  if (lines.length === 0) return null
  const leads = lines.map(
    ({ text, isAlert }) => html`<p class="lead">${isAlert ? html`<b class="warn">!</b> ` : null}${text}.</p>`,
  )
  return html`<section aria-labelledby="companies"><h2 id="companies">Companies</h2>${leads}${hits(result)}${refusals(result)}</section>`
}

function hits({ screening }: Result): Markup[] {
  if (screening === null || screening.hits === 0) return []
  const risks = screening.risks.map(one => [one.dataset, one.meaning, count(one.companies), count(one.hits)])
  const found = screening.found.map(one => [
    one.name,
    one.id,
    count(one.hits),
    Object.entries(one.risks)
      .map(([dataset, many]) => `${dataset} ${many}`)
      .join(', '),
    one.searchId,
  ])
  const RIGHT = { figures: true }
  return [
    table(
      'Hits by dataset',
      [{ label: 'Dataset' }, { label: 'Meaning' }, { label: 'Companies', ...RIGHT }, { label: 'Hits', ...RIGHT }],
      risks,
    ),
    ...(found.length === 0
      ? []
      : [
          table(
            'Companies with hits, the most first',
            [{ label: 'Company' }, { label: 'Id' }, { label: 'Hits', ...RIGHT }, { label: 'Datasets' }, { label: 'Search' }],
            found,
          ),
        ]),
  ]
}

function refusals({ portfolio, screening }: Result): Markup | null {
  const rows = [
    ...(portfolio?.refusals ?? []).map(({ id, why }) => ['portfolio', id, why]),
    ...(screening?.refusals ?? []).map(({ id, why }) => ['screening', id, why]),
  ]
  if (rows.length === 0) return null
  return table('Companies that were refused, the first of them', [{ label: 'By' }, { label: 'Company' }, { label: 'Why' }], rows)
}
