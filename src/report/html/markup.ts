/** HTML by construction: html`…` escapes every value that is not Markup itself, and is the only way to create Markup. */
import { escapeHtml } from '../formats/escape.ts'

class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type { Markup }

/** Values in html`…`; null is empty. */
export type Value = string | number | null | Markup | readonly Markup[]

/** The literal parts are trusted, the values are escaped. Attribute values must be quoted. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + written(values[i - 1] ?? null) + part))
}

function written(value: Value): string {
  if (value === null) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(markup => markup.text).join('')
  return escapeHtml(String(value))
}

/** Text that is safe without escaping; every use documents why. */
export const trusted = (text: string): Markup => new Markup(text)

/** A trusted sentence with `commands` in backticks; an unpaired backtick is shown unchanged. */
export function prose(text: string): Markup {
  const parts = text.split(/`([^`]+)`/)
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** How many of the items fit into `budget` characters; a page must stay small enough to mail. */
export function countFitting(items: readonly Markup[], budget: number): number {
  let left = budget
  const end = items.findIndex(item => {
    left -= item.text.length
    return left < 0
  })
  return end === -1 ? items.length : end
}
