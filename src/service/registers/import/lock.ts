/** The lock of a register: one change at a time. */
import { FettleError } from '../../../errors.ts'
import { lockDirectory, type Release } from '../../storage/lock.ts'
import { writeError } from '../files.ts'

/** Throws FETTLE_LOCKED while another import into the register runs, FETTLE_OUTPUT_WRITE where its folder cannot be written. */
export function lockRegister(folder: string): Release {
  try {
    return lockDirectory(folder)
  } catch (error) {
    if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw writeError(folder, error)
    throw new FettleError('FETTLE_LOCKED', `Cannot import into ${folder}: another import into this register is running`, {
      cause: error,
    })
  }
}
