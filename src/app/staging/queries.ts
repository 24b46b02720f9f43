/** A query as an input: its rows are copied once among the runs, and known again by their hash, as those of a remote object are. */
import { resolve } from 'node:path'
import type { DatabasePlace } from '../../client/database/database.ts'
import { withQuery } from '../../client/database/databases.ts'
import { FettleError } from '../../errors.ts'
import { writeContentAddressed } from '../../files/atomic-file.ts'
import { databaseFile, type InputQuery, isHidden, isNear, type Links, shownPath, withDatabaseFile } from '../../pipeline/index.ts'
import { type ReceivedInput, stageInput } from './staged-input.ts'

/** How a database is asked. */
interface Asking {
  /** A path of a file starts from this folder. */
  readonly cwd: string
  readonly attempts: number
  readonly links?: Links | undefined
  readonly signal?: AbortSignal | undefined
}

/** The address with the file where it is. */
function located(url: string, cwd: string): string {
  const file = databaseFile(url)
  return file === null ? url : withDatabaseFile(url, resolve(cwd, file))
}

/** The database that is shown as `shown`. Throws FETTLE_SETTINGS when only its recorded half is known. */
export function databaseOf(shown: string, { links = new Map(), cwd }: Pick<Asking, 'links' | 'cwd'>): DatabasePlace {
  const url = links.get(shown) ?? shown
  if (isHidden(url))
    throw new FettleError('FETTLE_SETTINGS', `the user and password of ${shown} are not stored and were not supplied`, {
      hint: 'Use ${NAME} as the url in the pipeline, and set NAME before each command.',
    })
  return { shown, url: located(url, cwd) }
}

/** Receives the rows of a query, to be looked at and, when it `keeps`, read again by a run. */
export function receiveQuery(
  path: string,
  sql: string,
  storage: Asking,
  { runsDir, keeps }: { readonly runsDir: string; readonly keeps: boolean },
): Promise<ReceivedInput> {
  const shown = shownPath(path)
  const { signal, attempts, cwd } = storage
  return withQuery({ shown, url: located(path, cwd), sql }, { isNear, attempts, signal }, async ({ types, bytes }) => ({
    ...(await stageInput(bytes, { runsDir, keeps, kind: 'object', shown })),
    query: { sql, types },
  }))
}

/** Reads the rows of a planned query again, into `folder`, and returns the path of their copy. */
export const fetchQuery = (shown: string, { sql }: InputQuery, folder: string, storage: Asking): Promise<string> =>
  withQuery({ ...databaseOf(shown, storage), sql }, { isNear, attempts: storage.attempts, signal: storage.signal }, ({ bytes }) =>
    writeContentAddressed(bytes, folder),
  )
