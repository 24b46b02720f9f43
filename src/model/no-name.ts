/** Texts that people and spreadsheets write where they have no name. */
const WORDS = new Set(
  'n a|na|nil|none|null|nan|undefined|unknown|unnamed|not known|not available|not applicable|no name|blank|test|tba|tbc|tbd|unbekannt|keine angabe|k a|inconnu|desconocido|sconosciuto|onbekend|0'.split(
    '|',
  ),
)
/** Values of formulas that failed. */
const FAILED = /^#(?:n\/a|name\?|null!|num!|ref!|value!|div\/0!)$/i

/** No such text is longer, in bytes. */
export const MOST_NO_NAME = 24

/** Whether a cell has a text in place of a name, such as `N/A`, `-` or `unknown`: rows with it need not be one company. */
export function isNoName(cell: string): boolean {
  const text = cell.trim()
  if (text === '' || text.length > MOST_NO_NAME) return false
  const words = text.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u)
  const plain = words.filter(word => word !== '').join(' ')
  return plain === '' || WORDS.has(plain) || FAILED.test(text)
}
