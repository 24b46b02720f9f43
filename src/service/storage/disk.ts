/** Tells trouble with the disk from faults of ours and of the caller: it passes, so nothing is given up because of it (faults H32). */

const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'])

/** What the database says; it knows no codes. */
const SAID =
  /^(?:database or disk is full|disk I\/O error|Could not open the database|unable to open database file|attempt to write a readonly database)/

/** Whether this was thrown because the disk is full, read-only or broken. */
export function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return CODES.has((error as NodeJS.ErrnoException).code) || SAID.test(error.message)
}
