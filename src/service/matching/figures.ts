/** What a register may know of a company in figures, in the order in which an index stores them. A released name keeps its place. */
export const FIGURES = ['rating', 'score', 'limit', 'turnover', 'profit', 'equity', 'employees', 'currency'] as const

/** `rating` is a band from A to E; `score`, `limit` and the others are as the register writes them. */
export type Figure = (typeof FIGURES)[number]

export type Figures = Readonly<Partial<Record<Figure, string>>>

/** Null where every value is empty. */
export function figuresOf(read: (name: Figure) => string): Figures | null {
  const found = FIGURES.map(name => [name, read(name)] as const).filter(([, value]) => value !== '')
  return found.length === 0 ? null : Object.fromEntries(found)
}
