/**
 * Inputs and outputs that lie elsewhere, for a run: an input is copied among the runs, once, and known again by its hash; an
 * output becomes a whole file in the run's folder first, and then an object. How a store is spoken to it leaves to the client.
 */
import { createReadStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { realClock } from '../../client/clock.ts'
import { createObjects, type ObjectPlace, type Objects } from '../../client/storage/objects.ts'
import { FettleError } from '../../errors.ts'
import { openSink, removeFile, type Sink, type SinkOptions, writeContentAddressed } from '../../files/atomic-file.ts'
import { mimeOf } from '../../formats/index.ts'
import { verifyPlanned } from '../../input/table/verify-unchanged.ts'
import { addressOf, isAddress, isHidden, type Links, type Plan, shownPath } from '../../pipeline/index.ts'
import { type Env, proxiesOf, s3SettingsOf } from '../env/environment.ts'
import { DEFAULT_RUNTIME, type Runtime } from '../env/runtime.ts'
import { assertMayOpen } from '../env/trust.ts'
import { makeFolder } from '../runs/run-directory.ts'
import { fetchQuery } from './queries.ts'
import { type ReceivedInput, stageInput } from './staged-input.ts'

export interface StorageOptions {
  /** The path of a file of a database starts from this folder. */
  readonly cwd: string
  readonly env: Env
  readonly links?: Links | undefined
  readonly readsQueries?: boolean
  readonly attempts: number
  readonly runtime?: Runtime | undefined
  readonly signal?: AbortSignal | undefined
  readonly stop?: AbortSignal
  readonly deadline?: () => number
  readonly onNote?: ((text: string) => void) | undefined
}

/** Stores, open while `body` works with them. */
export async function withObjects<T>(storage: StorageOptions, body: (objects: Objects) => Promise<T>): Promise<T> {
  const { clock, connection } = storage.runtime ?? DEFAULT_RUNTIME
  const objects = createObjects({
    clock,
    ...connection,
    attempts: storage.attempts,
    proxies: proxiesOf(storage.env),
    s3: () => s3SettingsOf(storage.env),
    ...(storage.stop === undefined ? {} : { stop: storage.stop }),
    ...(storage.deadline === undefined ? {} : { deadline: storage.deadline }),
    ...(storage.onNote === undefined ? {} : { onRetry: storage.onNote }),
  })
  try {
    return await body(objects)
  } finally {
    await objects.close()
  }
}

/** The object that is shown as `shown`. Throws FETTLE_SETTINGS when only its recorded half is known. */
export function objectPlaceOf(shown: string, links: Links = new Map()): ObjectPlace {
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

/** Receives the input at an address, to be looked at and, when it `keeps`, read again by a run. */
export function receiveFrom(
  path: string,
  storage: StorageOptions,
  { runsDir, keeps }: { readonly runsDir: string; readonly keeps: boolean },
): Promise<ReceivedInput> {
  const shown = shownPath(path)
  const place = objectPlaceOf(shown, new Map([[shown, path]]))
  const { signal } = storage
  return withObjects(storage, objects =>
    again(storage, () => stageInput(objects.read(place, signal), { runsDir, keeps, kind: 'object', shown })),
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
  const path = await copyAgain(input, folder, storage)
  if (path === at) return
  await removeFile(path)
  throw new FettleError('FETTLE_INPUT_CHANGED', `the input ${input.path} changed since the run was planned: it has other bytes`, {
    at: { file: input.path, line: null, column: null },
  })
}

async function copyAgain(input: Plan['input'], folder: string, storage: StorageOptions): Promise<string> {
  if (isAddress(input.path) || input.query !== undefined) assertMayOpen(storage.env, input.path)
  if (input.query !== undefined && storage.readsQueries === false)
    throw new FettleError(
      'FETTLE_INPUT_CHANGED',
      `the copy of the rows of the query at ${input.path} changed since the run was planned`,
    )
  if (input.query !== undefined) return fetchQuery(input.path, input.query, folder, storage)
  const place = objectPlaceOf(input.path, storage.links)
  return withObjects(storage, objects => again(storage, () => writeContentAddressed(objects.read(place, storage.signal), folder)))
}

const renamed = (place: ObjectPlace, shown: string): ObjectPlace =>
  place.kind === 's3' ? { ...place, shown, key: `${place.key.replace(/[^/]*$/, '')}${shown.replace(/^.*\//, '')}` } : place

/** A sink whose content becomes an object when it is published; until then it is a file in `workDir`. */
export async function openRemoteSink(
  path: string,
  workDir: string,
  options: SinkOptions,
  storage: StorageOptions,
): Promise<Sink> {
  assertMayOpen(storage.env, path)
  const place = objectPlaceOf(path, storage.links)
  // By its name a kill's remains are swept with those of other files on their way.
  const name = Buffer.from(path).toString('base64url').slice(-60)
  const at = join(workDir, `.${name}.sent.tmp`)
  const local = await openSink(at, options.tag === undefined ? {} : { tag: options.tag })
  let sha256 = ''
  return {
    path,
    // A signed address names one object.
    hasFixedName: place.kind === 'https',
    get bytes() {
      return local.bytes
    },
    write: bytes => local.write(bytes),
    finish: async () => (sha256 = await local.finish()),
    async publish(other) {
      await local.publish()
      const type = mimeOf(path)
      const file = { bytes: local.bytes, sha256, type, open: () => createReadStream(at) }
      try {
        await withObjects(storage, objects =>
          objects.write(other === undefined ? place : renamed(place, other), file, storage.signal),
        )
      } finally {
        await removeFile(at)
      }
    },
    discard: () => local.discard(),
  }
}
