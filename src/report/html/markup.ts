/**
 * HTML by construction: in html`…` every value that is not itself Markup is foreign text and is escaped. There is no other
 * way to make Markup, so nothing can be forgotten.
 */
import { escapeHtml } from '../formats/escape.ts'

class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type { Markup }

/** What may stand in html`…`; null is nothing. */
export type Value = string | number | null | Markup | readonly Markup[]

/** Markup of a template whose literal parts are ours and whose values are not. Attribute values must be quoted. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + written(values[i - 1] ?? null) + part))
}

function written(value: Value): string {
  if (value === null) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(one => one.text).join('')
  return escapeHtml(String(value))
}

/** Text that is safe where it stands for another reason than escaping; every use must say which. */
export const trusted = (text: string): Markup => new Markup(text)

/** A sentence of ours in which `commands` stand in backticks; without a pair they are shown as they are. */
export function prose(text: string): Markup {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** Items that fit into `budget` characters, by whole items; a page must stay small enough to mail. */
export function within(items: readonly Markup[], budget: number): Markup[] {
  let left = budget
  const end = items.findIndex(item => {
    left -= item.text.length
    return left < 0
  })
  return items.slice(0, end === -1 ? items.length : end)
}
