/** How many rows of an input have a value. */
export const filledRows = ({ rows, emptyRows = 0 }: { readonly rows: number; readonly emptyRows?: number }): number =>
  rows - emptyRows
