/** The desk: filters, list, details of a row, progress, download, and keyboard shortcuts. */
import { type About, actionOfKey, keyTexts } from '../src/report/review-keys.ts'
import type { Choices } from './choices.ts'
import { type Actions, verb } from './detail.ts'
import { h } from './dom.ts'
import { Filters, type Words } from './filters.ts'
import { RowList } from './list.ts'
import type { Row } from './rows.ts'

/** What a desk is for. */
export interface Kind {
  readonly about: About
  readonly label: string
  readonly list: readonly Row[]
  readonly choices: Choices
  readonly words: Words
  readonly detail: (row: Row, alike: number, actions: Actions) => HTMLElement
  /** Below the desk; '' for none. */
  readonly note: string
}

/** How much of each desk is in view, from 0 to 1; 2 where it holds the focus. */
const views: (() => number)[] = []

/** Builds the desk into `slot`; returns its controls for the rest of the page. */
export function openDesk(
  slot: HTMLElement,
  { about, label, list: all, choices, words, detail, note }: Kind,
): { readonly scores: (from: number, to: number) => void } {
  const alike = new Map<string, number>()
  for (const { fingerprint } of all) alike.set(fingerprint, (alike.get(fingerprint) ?? 0) + 1)
  const pane = h('div', { class: 'pane' })
  const progressText = h('span', { role: 'status' })
  const bar = h('span', {})
  const filters = new Filters(all, choices, words, refresh)
  const list = new RowList(choices, words, label, showDetail)
  const halves = h('div', { class: 'halves' }, list.element, pane)
  const bulk = h('button', { type: 'button', click: acceptShown }, '')
  const download = h('button', { type: 'button', class: 'primary', click: save }, `Download ${choices.fileName}`)

  function showDetail(): void {
    const row = list.rows[list.current]
    pane.replaceChildren(
      row === undefined
        ? h('p', { class: 'soft none' }, 'Nothing fits these filters.')
        : detail(row, alike.get(row.fingerprint) ?? 1, actions),
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
    bulk.hidden = about !== 'rows' || many < 2
  }

  /** After a choice the next open row is selected: a review takes one key for each row. */
  function chosen(row: Row, kind: 'accept' | 'reject' | 'later', company = ''): void {
    choices.choose(row, kind, company)
    const shown = filters.rows()
    const at = shown.indexOf(row)
    const next = shown.findIndex((one, n) => n > at && choices.judgment(one) === 'open')
    // If the row no longer fits the filters, the row after it is selected.
    list.show(shown, at === -1 ? list.current : next === -1 ? at : next)
    updateProgress()
  }

  /** Undoes the choice about a row, or the last one where the row has none. */
  function undo(row: Row): void {
    const last = choices.judgment(row) === 'open' ? choices.last() : row
    if (last === null) return
    choices.choose(last, 'undo')
    const shown = filters.rows()
    list.show(shown, shown.includes(last) ? shown.indexOf(last) : list.current)
    updateProgress()
  }

  /** The undecided rows that fit the filters and have a company to accept. */
  function openShown(): Row[] {
    return list.rows.filter(row => choices.judgment(row) === 'open' && !row.isUnmatched && (row.candidates[0]?.id ?? '') !== '')
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
    undo,
  }

  function save(): void {
    const url = URL.createObjectURL(new Blob([choices.file()], { type: 'text/csv' }))
    const link = h('a', { href: url, download: choices.fileName })
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
    // Keys act on what the reader sees: of the desks in view, the one that holds the focus, or the one seen most.
    const seen = view()
    if (seen < 1 / 3 || help.open || views.some(other => other !== view && other() > seen)) return
    const row = list.rows[list.current]
    const action = actionOfKey(key, 'page', about)
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
    else if (action === 'help') help.showModal()
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

  function view(): number {
    if (slot.contains(document.activeElement)) return 2
    const { top, bottom } = halves.getBoundingClientRect()
    return (Math.min(bottom, innerHeight) - Math.max(top, 0)) / Math.min(bottom - top, innerHeight)
  }

  const help = h(
    'dialog',
    { 'aria-label': 'Keys' },
    h('h3', {}, 'Keys, while this list is in view'),
    h(
      'dl',
      { class: 'pairs' },
      ...keyTexts('page', about).flatMap(text => {
        const [key = '', ...words] = text.split(' ')
        return [h('dt', {}, key), h('dd', {}, words.join(' '))]
      }),
    ),
    h('button', { type: 'button', click: () => help.close() }, 'Close'),
  )

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
      ...(about === 'pairs'
        ? []
        : [
            field('Your name', 'text', choices.by, value => {
              choices.by = value
            }),
            field('Valid until', 'date', choices.expires, value => {
              choices.expires = value
            }),
          ]),
      bulk,
      download,
    ),
    filters.element,
    halves,
    h(
      'p',
      { class: 'keys' },
      verb('?', 'Keys', () => help.showModal()),
    ),
    note === '' ? '' : h('p', { class: 'small soft' }, note),
    help,
  )
  views.push(view)
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
