/** The list of rows. Only visible rows are elements, so that 50,000 rows scroll smoothly. */
import type { Choices, Judgment } from './choices.ts'
import { h } from './dom.ts'
import type { Words } from './filters.ts'
import type { Row } from './rows.ts'

/** Height of a row in pixels, as in the style sheet. */
const HEIGHT = 60
/** Rows drawn above and below the visible ones. */
const SPARE = 8

/** The signs of judgments; the desk has their words. */
export const SIGN: Readonly<Record<Judgment, string>> = { open: '', accepted: '✓', rejected: '✗', later: '?' }

export class RowList {
  readonly element: HTMLElement
  rows: readonly Row[] = []
  /** Index in `rows`; -1 for none. */
  current = -1
  readonly #inner = h('div', { class: 'sheet' })
  readonly #choices: Choices
  readonly #onCurrent: () => void
  readonly #drawn = new Map<number, HTMLElement>()

  readonly #words: Words

  constructor(choices: Choices, words: Words, label: string, onCurrent: () => void) {
    this.#words = words
    this.#choices = choices
    this.#onCurrent = onCurrent
    const element = h('div', { class: 'rows', role: 'listbox', tabindex: 0, 'aria-label': label }, this.#inner)
    element.addEventListener('scroll', () => this.draw(), { passive: true })
    this.element = element
  }

  show(rows: readonly Row[], current = 0): void {
    this.rows = rows
    this.#inner.style.height = `${rows.length * HEIGHT}px`
    this.go(current)
  }

  /** Selects a row and scrolls to it. */
  go(to: number): void {
    this.current = Math.max(-1, Math.min(to, this.rows.length - 1))
    const top = this.current * HEIGHT
    const { scrollTop, clientHeight } = this.element
    if (top < scrollTop) this.element.scrollTop = top
    else if (top + HEIGHT > scrollTop + clientHeight) this.element.scrollTop = top + HEIGHT - clientHeight
    this.#clear()
    this.draw()
    this.#onCurrent()
  }

  /** Draws the visible rows. */
  draw(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / HEIGHT) - SPARE)
    const last = Math.min(this.rows.length, Math.ceil((this.element.scrollTop + this.element.clientHeight) / HEIGHT) + SPARE)
    for (const [at, element] of this.#drawn)
      if (at < first || at >= last) {
        element.remove()
        this.#drawn.delete(at)
      }
    for (let at = first; at < last; at++) if (!this.#drawn.has(at)) this.#add(at)
    if (this.current >= 0) this.element.setAttribute('aria-activedescendant', this.rows[this.current]!.id)
    else this.element.removeAttribute('aria-activedescendant')
  }

  #clear(): void {
    for (const element of this.#drawn.values()) element.remove()
    this.#drawn.clear()
  }

  #add(at: number): void {
    const row = this.rows[at]!
    const judgment = this.#choices.judgment(row)
    const sign = SIGN[judgment]
    const [best] = row.candidates
    const props = {
      class: `item ${judgment}`,
      id: row.id,
      role: 'option',
      'aria-selected': String(at === this.current),
      'aria-setsize': this.rows.length,
      'aria-posinset': at + 1,
      click: () => this.go(at),
    }
    const element = h(
      'div',
      props,
      h('span', { class: 'name' }, row.name === '' ? `row ${row.number}` : row.name),
      h('span', { class: 'score' }, row.score === null ? '–' : row.score.toFixed(2)),
      h('span', { class: 'with' }, best === undefined ? 'no candidate' : best.name || best.id),
      h('span', { class: 'sign' }, sign === '' ? '' : `${sign} ${this.#words[judgment].toLowerCase()}`),
    )
    element.style.top = `${at * HEIGHT}px`
    this.#inner.append(element)
    this.#drawn.set(at, element)
  }
}
