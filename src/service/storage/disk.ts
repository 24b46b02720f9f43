/** Recognises disk errors (full, read-only, broken). They are temporary, so no job fails because of one (faults H32). */

const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'])

const DATABASE_MESSAGE =
  /^(?:database or disk is full|disk I\/O error|Could not open the database|unable to open database file|attempt to write a readonly database)/

export function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return CODES.has((error as NodeJS.ErrnoException).code) || DATABASE_MESSAGE.test(error.message)
}
