/** The desk: filters, list, details of a row, progress, download, and keyboard shortcuts. */
import type { Choices } from './choices.ts'
import { type Actions, detailOf } from './detail.ts'
import { h } from './dom.ts'
import { Filters } from './filters.ts'
import { RowList } from './list.ts'
import type { Row, Rows } from './rows.ts'

const KEYS = 'j next · k back · y accept the best · 1–5 accept that one · n none · l later · u undo · / search'

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
    const row = list.rows[list.current]
    const moves: Readonly<Record<string, number>> = { j: 1, k: -1 }
    const inList: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 8,
      PageUp: -8,
      Home: -Infinity,
      End: Infinity,
    }
    const move = moves[key] ?? (target === list.element ? inList[key] : undefined)
    if (move !== undefined) list.go(Math.max(0, Math.min(list.rows.length - 1, list.current + move)))
    else if (key === '/') filters.search.focus()
    else if (row === undefined) return
    else if (key === 'n') actions.reject(row)
    else if (key === 'l') actions.later(row)
    else if (key === 'u') actions.undo(row)
    else {
      const candidate = row.candidates[key === 'y' ? 0 : /^[1-9]$/.test(key) ? Number(key) - 1 : -1]
      if (candidate === undefined || candidate.id === '') return
      actions.accept(row, candidate.id)
    }
    event.preventDefault()
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
      field('Applies until', 'date', choices.expires, value => {
        choices.expires = value
      }),
      download,
    ),
    filters.element,
    h('div', { class: 'halves' }, list.element, pane),
    h('p', { class: 'small soft keys' }, KEYS),
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
