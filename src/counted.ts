/** Numbers in messages, equally in every locale: `12,345`, `1 row`, `12 rows`. */

/** `12,345`; `unknown` for null. */
export const count = (value: number | null): string =>
  value === null ? 'unknown' : String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** `1 row`, `12 rows`. */
export const counted = (value: number | null, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** `a, b and 3 more`: no more than `most` of the texts. */
export const listSome = (texts: readonly string[], most: number): string =>
  texts.slice(0, most).join(', ') + (texts.length > most ? ` and ${texts.length - most} more` : '')
