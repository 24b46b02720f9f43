/** The key of a recording, which stays in the run directory until the run is over, and the check of its file before the run. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import { type RunDirectory, removeIfPossible } from '../runs/run-directory.ts'

const KEY_FILE = 'record.json'

export interface KeptKey {
  readonly file: string
  readonly key: string
  readonly startedAt: number
}

export const keyPath = ({ path }: RunDirectory): string => join(path, KEY_FILE)

/** The key that an earlier process of the run made for this file. */
export function keptKey(file: string, directory: RunDirectory): KeptKey | null {
  if (!existsSync(keyPath(directory))) return null
  const kept = JSON.parse(readFileSync(keyPath(directory), 'utf8')) as KeptKey
  return kept.file === file ? kept : null
}

/** Throws FETTLE_USAGE for a file that exists, unless it is the cassette of the same run. `directory` is null for a new run. */
export function checkRecording(file: string, directory: RunDirectory | null): void {
  if (!existsSync(file) || (directory !== null && keptKey(resolve(file), directory) !== null)) return
  throw new FettleError('FETTLE_USAGE', `the file ${file} exists and is not the recording of this run`, {
    hint: 'Record to a new file.',
  })
}

/** Removes the key of a finished run: nothing can be added to its cassette any more. */
export const removeRecordingKey = (directory: RunDirectory): void => removeIfPossible(keyPath(directory))
