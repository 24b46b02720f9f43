/** The section about the companies found: portfolio, and AML searches with their hits by dataset. */

import type { Result } from '../schema.ts'
import { companyActionLines } from '../sections/company-actions.ts'
import { EVENT_HEAD, eventCells } from '../sections/events.ts'
import { count } from '../words.ts'
import { html, type Markup } from './markup.ts'
import { type Column, table } from './table.ts'

const headed = (caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): Markup =>
  html`<h3>${caption}</h3>${table(caption, columns, rows)}`

export function companies(result: Result): Markup | null {
  const { screening, events } = result
  const [...lines] = companyActionLines({
    ...result,
    events: events && { ...events, listed: [] },
    screening: screening && { ...screening, risks: [], found: [] },
  })
  if (lines.length === 0) return null
  const leads = lines.map(
    ({ about, text, isAlert }) =>
      html`<p class="lead">${isAlert ? html`<b class="warn">!</b> ` : null}${about === 'screening' || about === 'events' ? null : about === 'portfolio' ? 'Portfolio ' : 'Candidates: '}${text}.</p>`,
  )
  return html`<section aria-labelledby="companies"><h2 id="companies">Companies</h2>${leads}${eventTable(result)}${hits(result)}${refusals(result)}</section>`
}

function eventTable({ events }: Result): Markup | null {
  if (events === null || events.listed.length === 0) return null
  const caption = events.events > events.listed.length ? `The first ${events.listed.length} events` : 'Events'
  return headed(caption, EVENT_HEAD, events.listed.map(eventCells))
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
  const byDataset = headed('Hits by dataset', ['Dataset', 'Meaning', { figures: 'Companies' }, { figures: 'Hits' }], risks)
  if (found.length === 0) return [byDataset]
  const head = ['Company', 'Id', { figures: 'Hits' }, 'Datasets', 'Search']
  return [byDataset, headed('Companies with hits, the most first', head, found)]
}

function refusals({ portfolio, screening }: Result): Markup | null {
  const rows = [
    ...(portfolio?.refusals ?? []).map(({ id, why }) => ['portfolio', id, why]),
    ...(screening?.refusals ?? []).map(({ id, why }) => ['screening', id, why]),
  ]
  if (rows.length === 0) return null
  return headed('Companies that were refused, the first of them', ['By', 'Company', 'Why'], rows)
}
