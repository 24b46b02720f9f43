/**
 * Rejects an import that would replace data by nothing, or by less than half of it, unless it is forced: such a file is
 * truncated or of another kind.
 */
import { FettleError } from '../../errors.ts'

export interface Taken {
  readonly file: string
  /** The target of the import, such as `register "uk"`. */
  readonly target: string
  readonly things: string
  readonly now: number
  /** The count of the previous import; null for the first one. */
  readonly before: number | null
  readonly skipped: number
  /** The first rows that were skipped. */
  readonly skippedRows: readonly { readonly line: number | null; readonly why: string }[]
}

/** Throws FETTLE_INPUT_EMPTY for an empty import, FETTLE_IMPORT_SHRINKS for less than half of the previous one. */
export function requireNoLoss({ file, target, things, now, before, skipped, skippedRows }: Taken): void {
  if (now > 0 && (before === null || now * 2 >= before)) return
  const [first] = skippedRows
  const where = first === undefined ? '' : `, the first ${first.line === null ? '' : `on line ${first.line} `}since: ${first.why}`
  const rows = `rows skipped: ${skipped}${skipped === 0 ? '' : where}`
  const stays = before === null ? '' : ` The existing ${before} stay.`
  if (now === 0) {
    throw new FettleError('FETTLE_INPUT_EMPTY', `${file} was not imported into the ${target}: 0 ${things}; ${rows}.${stays}`, {
      hint: 'Check the file and its kind; if they are right, force the import.',
    })
  }
  throw new FettleError(
    'FETTLE_IMPORT_SHRINKS',
    `${file} was not imported into the ${target}: ${now} ${things} would replace ${before}; ${rows}.${stays}`,
  )
}
