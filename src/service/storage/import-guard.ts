/**
 * Keeps an import from replacing what is there by nothing, or by less than half of it, unless it is forced: a file cut short, or of another
 * shape, would be taken for a world without these companies. It knows no kind of import.
 */
import { FettleError } from '../../errors.ts'

/** What an import found, and what it would replace. */
export interface Taken {
  readonly file: string
  /** What is imported and where to, as in `register "uk"`. */
  readonly target: string
  /** What is counted, in the plural. */
  readonly things: string
  readonly now: number
  /** How many the import before took; null when there is none. */
  readonly before: number | null
  readonly skipped: number
  /** The first rows that were skipped. */
  readonly skippedRows: readonly { readonly line: number | null; readonly why: string }[]
}

/** Throws FETTLE_INPUT_EMPTY when there is nothing, FETTLE_IMPORT_SHRINKS when there is less than half of what was there. */
export function requireNoLoss({ file, target, things, now, before, skipped, skippedRows }: Taken): void {
  if (now > 0 && (before === null || now * 2 >= before)) return
  const [first] = skippedRows
  const where = first === undefined ? '' : `, the first ${first.line === null ? '' : `on line ${first.line} `}since: ${first.why}`
  const rows = `rows skipped: ${skipped}${skipped === 0 ? '' : where}`
  const stays = before === null ? '' : ` The ${before} that are there stay.`
  if (now === 0) {
    throw new FettleError('FETTLE_INPUT_EMPTY', `${file} was not imported into the ${target}: 0 ${things}; ${rows}.${stays}`, {
      hint: 'Check the file and its kind; if they are right, force the import.',
    })
  }
  throw new FettleError(
    'FETTLE_IMPORT_SHRINKS',
    `${file} was not imported into the ${target}: ${now} ${things} would take the place of ${before}; ${rows}.${stays}`,
  )
}
