/**
 * Inputs and outputs in stores and databases: an input is copied among the runs, once, and known again by its hash; an output becomes a
 * whole file in the folder of the run first, and then an object, or a table in one transaction. The client has the protocols.
 */
import { createReadStream } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { realClock } from '../client/clock.ts'
import type { DatabasePlace, TableColumn, TablePlace } from '../client/database/database.ts'
import { withQuery } from '../client/database/databases.ts'
import { checkTable, writeTable } from '../client/database/write-table.ts'
import { createObjects, type ObjectPlace, type Objects } from '../client/storage/objects.ts'
import { type Env, findProxies, s3SettingsOf } from '../env/environment.ts'
import { DEFAULT_RUNTIME, type Runtime } from '../env/runtime.ts'
import { assertMayOpen } from '../env/trust.ts'
import { FettleError } from '../errors.ts'
import { openSink, removeFile, type Sink, type SinkOptions, writeContentAddressed } from '../files/atomic-file.ts'
import { findMimeType } from '../formats/index.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { columnName, outputNames } from '../model/columns.ts'
import {
  addressOf,
  databaseFile,
  type InputQuery,
  isAddress,
  isHidden,
  isNear,
  type Links,
  type Plan,
  type PlannedOutput,
  shownPath,
  splitTable,
  withDatabaseFile,
} from '../pipeline/index.ts'
import { makeFolder } from '../runs/run-directory.ts'
import { type ReceivedInput, type StagingOptions, stageInput } from './staged-input.ts'

export interface StorageOptions {
  /** The path of a file of a database starts from this folder. */
  readonly cwd: string
  readonly env: Env
  readonly links?: Links
  readonly readsQueries?: boolean
  readonly attempts: number
  readonly runtime?: Runtime
  readonly signal?: AbortSignal
  readonly stop?: AbortSignal
  readonly deadline?: () => number
  readonly onNote?: (text: string) => void
}

/** Stores, open while `body` works with them. */
export async function withObjects<T>(storage: StorageOptions, body: (objects: Objects) => Promise<T>): Promise<T> {
  const { clock, connection } = storage.runtime ?? DEFAULT_RUNTIME
  const objects = createObjects({
    clock,
    ...connection,
    attempts: storage.attempts,
    proxies: findProxies(storage.env),
    s3: () => s3SettingsOf(storage.env),
    stop: storage.stop,
    deadline: storage.deadline,
    onRetry: storage.onNote,
  })
  try {
    return await body(objects)
  } finally {
    await objects.close()
  }
}

/** The object that is shown as `shown`. Throws FETTLE_SETTINGS when only its recorded half is known. */
export function findObjectPlace(shown: string, links: Links = new Map()): ObjectPlace {
  const whole = links.get(shown) ?? shown
  if (isHidden(whole))
    throw new FettleError('FETTLE_SETTINGS', `the query string of ${shown} is not stored and was not supplied`, {
      hint: 'Use ${NAME} as the address in the pipeline, and set NAME before each command.',
    })
  return { shown, ...addressOf(whole) }
}

/** Repeats a download that broke off and cannot be continued. */
async function again<T>(storage: StorageOptions, once: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await once()
    } catch (error) {
      const isCut = FettleError.is(error) && error.code === 'FETTLE_DOWNLOAD_CUT'
      if (!isCut || tries >= storage.attempts) throw error
      storage.onNote?.(`${error.message} Reading it again`)
    }
  }
}

/** Where an input is received, and whether it is kept for a run. */
type Kept = Pick<StagingOptions, 'runsDir' | 'keeps'>

/** Receives the input at an address, to be looked at and, when it `keeps`, read again by a run. */
export function receiveFrom(path: string, storage: StorageOptions, kept: Kept): Promise<ReceivedInput> {
  const shown = shownPath(path)
  const place = findObjectPlace(shown, new Map([[shown, path]]))
  const { signal } = storage
  return withObjects(storage, objects =>
    again(storage, () => stageInput(objects.read(place, signal), { ...kept, kind: 'object', shown })),
  )
}

/**
 * The plan with its input where it can be read here: the copy that is kept, else a new one of an object, or the file itself. Throws FETTLE_INPUT_CHANGED when the
 * object is no longer the planned one.
 */
export async function localiseInput(plan: Plan, runsDir: string, storage: StorageOptions): Promise<Plan> {
  const { input } = plan
  const folder = resolve(runsDir, 'inputs')
  const at = join(folder, `${input.sha256}.csv`)
  const near = { ...input, path: at }
  if (!(await isPlanned(near, storage))) {
    // Without its copy a kept file is a file like any other.
    if (input.kept) return plan
    await fetchPlanned(plan, at, folder, storage)
  }
  return { ...plan, input: near }
}

/** Whether the copy that is kept is there and whole: it is fetched again where it is not. */
async function isPlanned(input: Plan['input'], { signal }: StorageOptions): Promise<boolean> {
  try {
    await verifyPlanned(input, { signal, now: realClock.now })
    return true
  } catch (error) {
    if (FettleError.is(error) && (error.code === 'FETTLE_INPUT_CHANGED' || error.code === 'FETTLE_INPUT_READ')) return false
    throw error
  }
}

async function fetchPlanned({ input }: Plan, at: string, folder: string, storage: StorageOptions): Promise<void> {
  makeFolder(folder)
  const path = await copyInput(input, folder, storage)
  if (path === at) return
  await removeFile(path)
  throw new FettleError('FETTLE_INPUT_CHANGED', `the input ${input.path} changed since the run was planned: it has other bytes`, {
    at: { file: input.path, line: null, column: null },
  })
}

async function copyInput({ path, query }: Plan['input'], folder: string, storage: StorageOptions): Promise<string> {
  if (isAddress(path) || query !== undefined) assertMayOpen(storage.env, path)
  if (query !== undefined && storage.readsQueries === false)
    throw new FettleError(
      'FETTLE_INPUT_CHANGED',
      `the copy of the rows of the query at ${path} changed since the run was planned`,
    )
  if (query !== undefined) return fetchQuery(path, query, folder, storage)
  const place = findObjectPlace(path, storage.links)
  return withObjects(storage, objects => again(storage, () => writeContentAddressed(objects.read(place, storage.signal), folder)))
}

const renamed = (place: ObjectPlace, shown: string): ObjectPlace =>
  place.kind === 's3' ? { ...place, shown, key: `${place.key.replace(/[^/]*$/, '')}${shown.replace(/^.*\//, '')}` } : place

/** A sink that is a file in the folder of the run until it is published: `send` gets the path of the file, its bytes and its SHA-256. */
async function openStagedSink(
  sink: Pick<Sink, 'path' | 'hasFixedName' | 'columns'>,
  at: string,
  { tag }: SinkOptions,
  send: (file: { readonly bytes: number; readonly sha256: string }, other?: string) => Promise<void>,
): Promise<Sink> {
  const local = await openSink(at, { tag })
  let sha256 = ''
  return {
    ...sink,
    get bytes() {
      return local.bytes
    },
    write: bytes => local.write(bytes),
    finish: async () => (sha256 = await local.finish()),
    async publish(other) {
      await local.publish()
      try {
        await send({ bytes: local.bytes, sha256 }, other)
      } finally {
        await removeFile(at)
      }
    },
    discard: () => local.discard(),
  }
}

/** A sink whose content becomes an object when it is published. */
export async function openRemoteSink(
  path: string,
  workDir: string,
  options: SinkOptions,
  storage: StorageOptions,
): Promise<Sink> {
  assertMayOpen(storage.env, path)
  const place = findObjectPlace(path, storage.links)
  // By its name a kill's remains are swept with unfinished files of others.
  const at = join(workDir, `.${Buffer.from(path).toString('base64url').slice(-60)}.sent.tmp`)
  // A signed address names one object.
  return openStagedSink({ path, hasFixedName: place.kind === 'https' }, at, options, async (facts, other) => {
    const file = { ...facts, type: findMimeType(path), open: () => createReadStream(at) }
    const to = other === undefined ? place : renamed(place, other)
    await withObjects(storage, objects => objects.write(to, file, storage.signal))
  })
}

/** The database that is shown as `shown`. Throws FETTLE_SETTINGS when only its recorded half is known. */
function findDatabase(shown: string, { links = new Map(), cwd }: Pick<StorageOptions, 'links' | 'cwd'>): DatabasePlace {
  const url = links.get(shown) ?? shown
  if (isHidden(url))
    throw new FettleError('FETTLE_SETTINGS', `the user and password of ${shown} are not stored and were not supplied`, {
      hint: 'Use ${NAME} as the url in the pipeline, and set NAME before each command.',
    })
  return { shown, url: locateDatabase(url, cwd) }
}

/** The address with the file where it is. */
function locateDatabase(url: string, cwd: string): string {
  const file = databaseFile(url)
  return file === null ? url : withDatabaseFile(url, resolve(cwd, file))
}

const databaseLimits = ({ attempts, signal }: StorageOptions) => ({ isNear, attempts, signal })

/** Receives the rows of a query, to be looked at and, when it `keeps`, read again by a run. */
export function receiveQuery(path: string, sql: string, storage: StorageOptions, kept: Kept): Promise<ReceivedInput> {
  const shown = shownPath(path)
  const query = { shown, url: locateDatabase(path, storage.cwd), sql }
  return withQuery(query, databaseLimits(storage), async ({ types, bytes }) => ({
    ...(await stageInput(bytes, { ...kept, kind: 'object', shown })),
    query: { sql, types },
  }))
}

/** Reads the rows of a planned query again, into `folder`, and returns the path of their copy. */
const fetchQuery = (shown: string, { sql }: InputQuery, folder: string, storage: StorageOptions): Promise<string> =>
  withQuery({ ...findDatabase(shown, storage), sql }, databaseLimits(storage), ({ bytes }) =>
    writeContentAddressed(bytes, folder),
  )

function findTable({ path, table }: PlannedOutput, storage: StorageOptions): TablePlace {
  assertMayOpen(storage.env, path)
  const { shown, url } = findDatabase(path, storage)
  const [shownTable, { url: database }] = [splitTable(shown), splitTable(url)]
  const { mode = 'replace', key = [] } = table ?? {}
  return { shown: shownTable.url, url: database, table: splitTable(path).table ?? '', mode, key }
}

/** Whether the table can take the rows of the plan. Throws FETTLE_OUTPUT_WRITE, FETTLE_SETTINGS. */
export function checkTableOf({ input }: Plan, output: PlannedOutput, storage: StorageOptions): Promise<void> {
  const own = input.header ?? Array.from({ length: input.columns }, (_, index) => columnName(index))
  const columns = outputNames(output, own).map(name => ({ name, type: 'string' }))
  return checkTable(findTable(output, storage), columns, databaseLimits(storage))
}

/** A sink whose content becomes rows of a table when it is published. */
export async function openTableSink(
  output: PlannedOutput,
  workDir: string,
  options: SinkOptions,
  storage: StorageOptions,
): Promise<Sink> {
  const place = findTable(output, storage)
  const at = resolve(workDir, '.table.sent.tmp')
  let columns: readonly TableColumn[] = []
  const keepColumns = (all: readonly TableColumn[]): void => {
    columns = all
  }
  // Rows that fail a check go into no table.
  return openStagedSink({ path: output.path, hasFixedName: true, columns: keepColumns }, at, options, ({ sha256 }) =>
    writeTable(place, { runId: basename(workDir), columns, sha256, path: at }, databaseLimits(storage)),
  )
}
