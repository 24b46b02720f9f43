/** The filters and the order of the rows, and their controls. */
import type { Choices, Judgment } from './choices.ts'
import { h } from './dom.ts'
import { frequent, type Row, traits } from './rows.ts'

/** What each judgment is called. */
export type Words = Readonly<Record<Judgment | 'all', string>>

/** Options of a select box. */
const MOST = 60

const ORDERS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  'file order': (a, b) => a.at - b.at,
  'highest score first': (a, b) => (b.score ?? -1) - (a.score ?? -1) || a.at - b.at,
  'lowest score first': (a, b) => (a.score ?? 2) - (b.score ?? 2) || a.at - b.at,
  'by name': (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.at - b.at),
}

const JUDGMENTS: readonly (Judgment | 'all')[] = ['all', 'open', 'accepted', 'rejected', 'later']

export class Filters {
  readonly element: HTMLElement
  readonly search: HTMLInputElement
  /** Range of the score, inclusive. */
  range: readonly [from: number, to: number] = [0, 1]
  #judgment: Judgment | 'all' = 'all'
  /** Unmatched rows are shown instead of those to review. */
  #isUnmatched: boolean
  readonly #kinds: readonly HTMLElement[]
  readonly #rows: readonly Row[]
  readonly #choices: Choices
  readonly #chips = new Map<Judgment | 'all', HTMLElement>()
  readonly #country: HTMLSelectElement
  readonly #traits: HTMLSelectElement
  readonly #order: HTMLSelectElement
  readonly #score: HTMLButtonElement

  readonly #words: Words

  constructor(rows: readonly Row[], choices: Choices, words: Words, onChange: () => void) {
    this.#words = words
    this.#rows = rows
    this.#choices = choices
    this.#isUnmatched = rows.every(row => row.isUnmatched)
    const select = (label: string, entries: readonly (readonly [value: string, text: string])[]): HTMLSelectElement =>
      h(
        'select',
        { 'aria-label': label, change: onChange, hidden: entries.length < 2 },
        ...entries.map(([value, text]) => h('option', { value }, text)),
      )
    const counted = (texts: readonly string[], all: string): [string, string][] => [
      ['', all],
      ...frequent(texts)
        .slice(0, MOST)
        .map(([text, times]): [string, string] => [text, `${text} (${times})`]),
    ]
    this.search = h('input', {
      type: 'search',
      placeholder: 'Search  /',
      'aria-label': 'Search rows',
      'aria-keyshortcuts': '/',
      input: onChange,
    })
    this.#country = select('Country', counted(rows.map(({ country }) => country).filter(Boolean), 'all countries'))
    this.#traits = select('Evidence', counted(rows.flatMap(traits), 'any evidence'))
    this.#order = select(
      'Order',
      Object.keys(ORDERS)
        .filter(name => !name.includes('score') || rows.some(({ score }) => score !== null))
        .map(name => [name, name]),
    )
    this.#score = h('button', {
      type: 'button',
      class: 'chip',
      click: () => {
        this.range = [0, 1]
        onChange()
      },
    })
    const chips = JUDGMENTS.map(judgment => {
      const chip = h('button', {
        type: 'button',
        class: 'chip',
        click: () => {
          this.#judgment = judgment
          onChange()
        },
      })
      this.#chips.set(judgment, chip)
      return chip
    })
    this.#kinds = [false, true].map(isUnmatched =>
      h('button', {
        type: 'button',
        class: 'chip',
        click: () => {
          this.#isUnmatched = isUnmatched
          onChange()
        },
      }),
    )
    const hasUnmatched = rows.some(row => row.isUnmatched)
    this.element = h(
      'div',
      { class: 'filters' },
      hasUnmatched ? h('div', { class: 'chips', role: 'group', 'aria-label': 'Rows' }, ...this.#kinds) : null,
      h('div', { class: 'chips', role: 'group', 'aria-label': 'Judgment' }, ...chips, this.#score),
      h('div', { class: 'selects' }, this.search, this.#country, this.#traits, this.#order),
    )
  }

  /** The filtered rows, in order. Updates the counts in the controls. */
  rows(): Row[] {
    this.#label()
    const wanted = this.search.value.trim().toLowerCase()
    const [from, to] = this.range
    const { value: country } = this.#country
    const { value: reason } = this.#traits
    const fits = (row: Row): boolean =>
      row.isUnmatched === this.#isUnmatched &&
      (this.#judgment === 'all' || this.#choices.judgment(row) === this.#judgment) &&
      (country === '' || row.country === country) &&
      ((from === 0 && to === 1) || (row.score !== null && row.score >= from && row.score <= to)) &&
      (wanted === '' || row.text.includes(wanted)) &&
      (reason === '' || traits(row).includes(reason))
    const order = ORDERS[this.#order.value]
    const found = this.#rows.filter(fits)
    return order === undefined || this.#order.selectedIndex === 0 ? found : found.sort(order)
  }

  counts(): Record<Judgment | 'all', number> {
    const counts = { all: 0, open: 0, accepted: 0, rejected: 0, later: 0 }
    for (const row of this.#rows.filter(({ isUnmatched }) => isUnmatched === this.#isUnmatched)) {
      counts.all++
      counts[this.#choices.judgment(row)]++
    }
    return counts
  }

  #label(): void {
    const counts = this.counts()
    for (const [at, chip] of this.#kinds.entries()) {
      const isUnmatched = at === 1
      const rows = this.#rows.filter(row => row.isUnmatched === isUnmatched).length
      chip.textContent = `${isUnmatched ? 'Unmatched' : 'To review'} ${rows.toLocaleString('en')}`
      chip.setAttribute('aria-pressed', String(isUnmatched === this.#isUnmatched))
      chip.hidden = rows === 0
    }
    for (const judgment of JUDGMENTS) {
      const chip = this.#chips.get(judgment)!
      chip.textContent = `${this.#words[judgment]} ${counts[judgment].toLocaleString('en')}`
      chip.setAttribute('aria-pressed', String(judgment === this.#judgment))
    }
    const [from, to] = this.range
    this.#score.hidden = from === 0 && to === 1
    this.#score.textContent = `Score ${from.toFixed(2)} to ${to.toFixed(2)} ✕`
    this.#score.setAttribute('aria-label', `Score ${from.toFixed(2)} to ${to.toFixed(2)}: show all scores again`)
  }
}
