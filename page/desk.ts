/** The desk: filters, list, details of a row, progress, download, and keyboard shortcuts. */
import { actionOfKey, keyLine } from '../src/report/review-keys.ts'
import type { Choices } from './choices.ts'
import { type Actions, detailOf } from './detail.ts'
import { h } from './dom.ts'
import { Filters } from './filters.ts'
import { RowList } from './list.ts'
import type { Row, Rows } from './rows.ts'

/** Builds the desk into `slot`; returns its controls for the rest of the page. */
export function openDesk(
  slot: HTMLElement,
  rows: Rows,
  choices: Choices,
): { readonly scores: (from: number, to: number) => void } {
  const alike = new Map<string, number>()
  for (const { fingerprint } of rows.list) alike.set(fingerprint, (alike.get(fingerprint) ?? 0) + 1)
  const pane = h('div', { class: 'pane' })
  const progressText = h('span', { role: 'status' })
  const bar = h('span', {})
  const filters = new Filters(rows.list, choices, refresh)
  const list = new RowList(choices, showDetail)
  const halves = h('div', { class: 'halves' }, list.element, pane)
  const bulk = h('button', { type: 'button', click: acceptShown }, '')
  const download = h('button', { type: 'button', class: 'primary', click: save }, 'Download decisions.csv')

  function showDetail(): void {
    const row = list.rows[list.current]
    pane.replaceChildren(
      row === undefined
        ? h('p', { class: 'soft none' }, 'No row fits these filters.')
        : detailOf(row, rows, choices, alike.get(row.fingerprint) ?? 1, actions),
    )
  }

  function refresh(): void {
    list.show(filters.rows())
    updateProgress()
  }

  function updateProgress(): void {
    const { all, open, later } = filters.counts()
    const done = all - open - later
    progressText.textContent = `${done.toLocaleString('en')} of ${all.toLocaleString('en')} reviewed`
    bar.style.width = `${(done / all) * 100}%`
    download.disabled = choices.size === 0
    const many = openShown().length
    bulk.textContent = `Accept the best of ${many.toLocaleString('en')} shown`
    bulk.hidden = many < 2
  }

  /** After a choice the next open row is selected: a review takes one key for each row. */
  function chosen(row: Row, kind: 'accept' | 'reject' | 'later' | 'undo', company = ''): void {
    choices.choose(row, kind, company)
    const shown = filters.rows()
    const at = shown.indexOf(row)
    const next = kind === 'undo' ? -1 : shown.findIndex((one, n) => n > at && choices.judgment(one) === 'open')
    // If the row no longer fits the filters, the row after it is selected.
    list.show(shown, at === -1 ? list.current : next === -1 ? at : next)
    updateProgress()
  }

  /** The undecided rows that fit the filters and have a company to accept. */
  function openShown(): Row[] {
    return list.rows.filter(row => choices.judgment(row) === 'open' && (row.candidates[0]?.id ?? '') !== '')
  }

  function acceptShown(): void {
    const all = openShown()
    const rows = `${all.length.toLocaleString('en')} ${all.length === 1 ? 'row' : 'rows'}`
    if (all.length === 0 || !confirm(`Accept the best company of ${rows}?`)) return
    choices.acceptBest(all)
    refresh()
  }

  const actions: Actions = {
    accept: (row, company) => chosen(row, 'accept', company),
    reject: row => chosen(row, 'reject'),
    later: row => chosen(row, 'later'),
    undo: row => chosen(row, 'undo'),
  }

  function save(): void {
    const url = URL.createObjectURL(new Blob([choices.file()], { type: 'text/csv' }))
    const link = h('a', { href: url, download: 'decisions.csv' })
    document.body.append(link)
    link.click()
    link.remove()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }

  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { target, key } = event
    if (target instanceof HTMLElement && target.matches('input, select, textarea')) {
      if (key === 'Escape') list.element.focus()
      return
    }
    // Keys act on what the reader sees: the desk must be in view, or hold the focus.
    if (!isInView() && !slot.contains(document.activeElement)) return
    const row = list.rows[list.current]
    const action = actionOfKey(key, 'page')
    const inList: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 8,
      PageUp: -8,
      Home: -Infinity,
      End: Infinity,
    }
    const move = { next: 1, back: -1 }[action as string] ?? (target === list.element ? inList[key] : undefined)
    if (move !== undefined) list.go(Math.max(0, Math.min(list.rows.length - 1, list.current + move)))
    else if (action === 'search') filters.search.focus()
    else if (action === 'all') acceptShown()
    else if (row === undefined) return
    else if (action === 'none') actions.reject(row)
    else if (action === 'later' && key !== ' ') actions.later(row)
    else if (action === 'undo') actions.undo(row)
    else {
      const candidate = row.candidates[action === 'best' ? 0 : action === 'nth' ? Number(key) - 1 : -1]
      if (candidate === undefined || candidate.id === '') return
      actions.accept(row, candidate.id)
    }
    halves.scrollIntoView({ block: 'nearest' })
    event.preventDefault()
  }

  function isInView(): boolean {
    const { top, bottom } = halves.getBoundingClientRect()
    const shown = Math.min(bottom, innerHeight) - Math.max(top, 0)
    return shown >= Math.min(bottom - top, innerHeight) / 3
  }

  const field = (label: string, type: string, value: string, set: (value: string) => void): HTMLElement => {
    const input = h('input', { type, value })
    input.addEventListener('input', () => {
      set(input.value)
      choices.save()
    })
    return h('label', {}, h('span', {}, label), input)
  }
  slot.append(
    h(
      'div',
      { class: 'deskhead' },
      h('div', { class: 'progress' }, progressText, h('span', { class: 'track', 'aria-hidden': 'true' }, bar)),
      field('Your name', 'text', choices.by, value => {
        choices.by = value
      }),
      field('Valid until', 'date', choices.expires, value => {
        choices.expires = value
      }),
      bulk,
      download,
    ),
    filters.element,
    halves,
    h('p', { class: 'small soft keys' }, `Keys, while the rows are in view: ${keyLine('page')}`),
    h(
      'p',
      { class: 'small soft' },
      'Bars under a candidate: to the right what speaks for the company, to the left what speaks against it. Starting odds: before anything is compared, any company is unlikely.',
    ),
  )
  document.addEventListener('keydown', press)
  refresh()
  return {
    scores(from, to) {
      filters.range = [from, to]
      refresh()
      slot.scrollIntoView({ block: 'start' })
    },
  }
}
