/** A table with a caption, in a box that scrolls sideways, also by keyboard. On a narrow screen rows become blocks. */
import { html, type Markup, type Value } from './markup.ts'

/** A heading, or one above figures, which are aligned right. */
export type Column = string | { readonly figures: string }

const readLabel = (column: Column): string => (typeof column === 'string' ? column : column.figures)
const alignRight = (column: Column): Markup | null => (typeof column === 'string' ? null : html` class="r"`)

/**
 * The first cell of a row is its heading. The caption is for screen readers. `wide` fixes the widths of the five columns of rows,
 * so that tables below each other line up; `groups` leaves room for the last of many columns. The roles keep it a table for screen readers where rows are blocks, and the labels
 * replace the headings there.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
  layout: '' | 'wide' | 'columns' | 'groups' = '',
): Markup {
  const head = columns.map(column => html`<th scope="col" role="columnheader"${alignRight(column)}>${readLabel(column)}</th>`)
  const body = rows.map(cells => {
    const tds = columns.map((column, i) => {
      const inner = html`${alignRight(column)} data-label="${readLabel(column)}"><div>${cells[i] ?? null}</div>`
      return i === 0 ? html`<th scope="row" role="rowheader"${inner}</th>` : html`<td role="cell"${inner}</td>`
    })
    return html`<tr role="row">${tds}</tr>
`
  })
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="${layout}" role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">${body}</tbody></table></div>`
}
