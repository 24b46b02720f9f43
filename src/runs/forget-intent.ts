/** The record of a removal of rows that is not complete: what will be removed, from before it begins until it is done. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const intentPath = (runsDir: string): string => join(runsDir, 'forget.json')

/** Whether a removal was interrupted. */
export const isForgetting = (runsDir: string): boolean => existsSync(intentPath(runsDir))
