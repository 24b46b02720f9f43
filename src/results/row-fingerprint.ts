/** Identifies a row for decisions by a digest of its key or of its mapped cells, independent of the file and of its position. */
import { hash } from 'node:crypto'
import type { Plan } from '../pipeline/model/types.ts'

/** Begins with a letter, so that no spreadsheet reads it as a number. */
export const FINGERPRINT = /^[kr][0-9a-f]{32}$/

/** The first half of its digest, as files of answers have it. */
export const rowDigest = (fingerprint: string): Buffer => Buffer.from(fingerprint.slice(1, 17), 'hex')

const withPlainBlanks = (cell: string): string =>
  cell
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]+/gu, ' ')
    .trim()

/** A cell without what spreadsheets and exports change: width of letters, blanks and leading zeros. */
function tidy(cell: string): string {
  const text = withPlainBlanks(cell)
  return /^\d+$/.test(text) ? text.replace(/^0+/, '') || '0' : text
}

/** A cell in the form that is compared: letters in any case and width, blanks and leading zeros do not count. */
export const comparable = (cell: string): string => tidy(cell).toLowerCase()

const digest = (parts: unknown): string => hash('sha256', JSON.stringify(parts)).slice(0, 32)

/** Identifies the row of this key in a list with this key column; '' without a key. Ids of some systems differ only in case. */
export function keyFingerprint(plan: Pick<Plan, 'key'>, key: string): string {
  const text = plan.key === null ? '' : tidy(key)
  return text === '' ? '' : `k${digest([comparable(plan.key?.header ?? ''), text])}`
}

/** Distinguishes rows of one list that share a fingerprint: leading zeros count. */
export const exactFingerprinter = (plan: Pick<Plan, 'mappings'>) =>
  fingerprinter(plan, cell => withPlainBlanks(cell).toLowerCase())

/** The digest covers mapping names and cells of the uploaded row, in any order of columns; empty cells are left out. */
export function fingerprinter({ mappings }: Pick<Plan, 'mappings'>, form: (cell: string) => string = comparable) {
  const mapped = mappings.filter(({ value }) => value === undefined).toSorted((a, b) => (a.mapping < b.mapping ? -1 : 1))
  return (uploadRow: readonly string[]): string => {
    const cells = mapped.map(({ mapping, index }) => [mapping, form(uploadRow[index] ?? '')]).filter(([, cell]) => cell !== '')
    return `r${digest(cells)}`
  }
}
