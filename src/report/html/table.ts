/** A table with a caption, in a box that scrolls sideways by keyboard too. */
import { html, type Markup, type Value } from './markup.ts'

/** A column: its heading, and whether it holds figures. */
export interface Column {
  readonly label: string
  readonly figures?: boolean
}

const classOf = (column: Column | undefined): Markup | null => (column?.figures ? html` class="r"` : null)

/**
 * A table; the first cell of a row is its heading. `stacks` lets rows turn into blocks on a narrow screen: the roles keep it a
 * table for screen readers when its display is changed.
 */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Value[])[], stacks = false): Markup {
  const role = (name: string): Markup | null => (stacks ? html` role="${name}"` : null)
  const head = columns.map(column => html`<th scope="col"${classOf(column)}${role('columnheader')}>${column.label}</th>`)
  const body = rows.map(cells => {
    const tds = cells.map((cell, i) =>
      i === 0
        ? html`<th scope="row"${classOf(columns[i])}${role('rowheader')}${stacks ? html` data-label="${columns[i]?.label ?? ''}"` : null}>${cell}</th>`
        : html`<td${classOf(columns[i])}${role('cell')}${stacks ? html` data-label="${columns[i]?.label ?? ''}"` : null}>${cell}</td>`,
    )
    return html`<tr${role('row')}>${tds}</tr>
`
  })
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table${stacks ? html` class="rows" role="table"` : null}><caption>${caption}</caption>
<thead${role('rowgroup')}><tr${role('row')}>${head}</tr></thead>
<tbody${role('rowgroup')}>${body}</tbody></table></div>`
}
