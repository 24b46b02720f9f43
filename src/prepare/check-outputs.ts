/** Checks the outputs of a pipeline before anything is paid for: where they would really lie, and whether they can be written. Writes none. */

import { open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { assertMayOpen } from '../env/trust.ts'
import { type Issue, issue, type Place } from '../errors.ts'
import { checkWritable } from '../files/atomic-file.ts'
import { readHead } from '../files/file-chunks.ts'
import { isInList, isInside } from '../files/paths.ts'
import { formatFacts, formatOfOutput, isGzipName, isTableName, listExtensions } from '../formats/index.ts'
import { requirePackages } from '../formats/writers.ts'
import {
  databaseFile,
  isAddress,
  isDatabase,
  OUTPUT_FILES,
  type Pipeline,
  type Plan,
  type PlannedOutput,
  RUN_OUTPUT,
} from '../pipeline/index.ts'
import { requireAlertsFile } from '../results/output/events-file.ts'
import { placeOf } from '../results/output/writers.ts'
import { DEFAULT_RUNS_DIR } from '../shell-command.ts'
import { checkTableOf, findObjectPlace, type StorageOptions, withObjects } from '../staging/remote-files.ts'

/** A disk or a store that will refuse the outputs is better known early. Throws FETTLE_OUTPUT_WRITE, FETTLE_SETTINGS, FETTLE_CREDENTIALS. */
export async function checkOutputsWritable(
  plan: Plan,
  settings: Omit<StorageOptions, 'attempts'> & { readonly cwd: string },
): Promise<void> {
  const { output, shard, retry } = plan
  // A shard writes no outputs; the merge does.
  if (shard !== undefined || output === null) return
  if (plan.events !== undefined) await checkWritable(plan.events.output, { root: settings.cwd, isShared: true })
  const alerts = plan.screen?.alerts
  if (alerts !== undefined) {
    await checkWritable(alerts, { root: settings.cwd, isShared: true })
    await requireAlertsFile(resolve(settings.cwd, alerts), alerts)
  }
  const paths = OUTPUT_FILES.map(({ key }) => output[key]).filter(path => path != null)
  for (const path of paths) await requirePackages(formatOfOutput(path, output.format))
  for (const path of paths.filter(path => path !== RUN_OUTPUT && !isAddress(path)))
    await checkWritable(path, { ...placeOf(output, path, settings.cwd), isShared: true })
  const { attempts } = retry
  for (const path of paths.filter(isAddress)) assertMayOpen(settings.env, path)
  if (output.table !== undefined) await checkTableOf(plan, output, { ...settings, attempts })
  const far = paths.filter(path => isAddress(path) && !isDatabase(path))
  if (far.length === 0) return
  await withObjects({ ...settings, attempts }, async objects => {
    for (const path of far)
      await objects.checkWritable(findObjectPlace(path, settings.links), isTableName(path, formatOfOutput(path, output.format)))
  })
}

export interface OutputContext {
  /** The files of the input. */
  readonly inputs: readonly string[]
  /** The folder or the path with wildcards that means them; null for one file. */
  readonly list: string | null
  readonly file: string
  readonly cwd: string
  readonly runsDir: string | undefined
  /** What allowed a folder outside the project: an option, a variable or a key. */
  readonly rootSource: (root: string) => string
  readonly locate: (path: readonly PropertyKey[]) => Place | null
}

export async function outputPathIssues(output: Pipeline['output'], surroundings: OutputContext): Promise<Issue[]> {
  if (output === null) return []
  const issues: Issue[] = []
  const { cwd, inputs, list } = surroundings
  const taken = new Map<string, { readonly path: string; readonly what: string }>()
  for (const input of inputs) taken.set(await realPath(resolve(cwd, input)), { path: resolve(cwd, input), what: 'the input' })
  for (const { key, from } of OUTPUT_FILES) {
    const given = output[key] ?? null
    const name = from.join('.')
    const database = given === null ? null : databaseFile(given)
    // Whether an object may be replaced is asked when the run begins.
    if (given === null || given === RUN_OUTPUT || (isAddress(given) && database === null)) continue
    const path = resolve(cwd, database ?? given)
    const real = await realPath(path)
    const other = taken.get(real)
    taken.set(real, { path, what: name })
    // The same name for both is already reported by the check of the pipeline.
    const clash = other === undefined || (other.path === path && list === null) ? null : `would really overwrite ${other.what}`
    const format = database === null ? formatOfOutput(given, key === 'rejects' ? 'excel' : output.format) : null
    const reason =
      (await whyNotThere(path, real, { ...surroundings, ...placeOf(output, given, cwd) }, format)) ??
      clash ??
      (list !== null && isInList(list, path, cwd) ? `would be part of the input ${list} of the next run` : null)
    if (reason !== null)
      issues.push(
        issue('FETTLE_PIPELINE_PATH', `${name}: ${JSON.stringify(given)} ${reason}`, {
          at: surroundings.locate(from),
          ...findHint(reason),
        }),
      )
  }
  return issues
}

/** The end of the reason for an output in a missing folder. */
const MISSING = 'which does not exist'

function findHint(reason: string): { hint?: string } {
  if (reason.endsWith(MISSING))
    return { hint: 'Create or mount this folder, or correct its path: fettle creates only the folders in it.' }
  return reason.includes('outside') ? { hint: 'Allow its folder with FETTLE_OUTPUT_ROOT.' } : {}
}

async function whyNotThere(
  path: string,
  real: string,
  { file, cwd, roots, rootSource, runsDir = DEFAULT_RUNS_DIR }: OutputContext & ReturnType<typeof placeOf>,
  format: PlannedOutput['format'] | null,
): Promise<string | null> {
  const there = await stat(path).catch(() => null)
  if (there?.isDirectory() === true) return 'is a folder'
  if (there !== null && !there.isFile()) return 'exists and is not a regular file'
  const [runs, pipeline] = await Promise.all([resolve(cwd, runsDir), resolve(cwd, file)].map(realPath))
  if (roots !== null) {
    const places = await Promise.all([cwd, ...(roots ?? [])].map(async place => ({ place, real: await realPath(place) })))
    const within = places.filter(folder => isInside(folder.real, real)).map(({ place }) => place)
    if (within.length === 0) return `would really be written to ${real}, outside the project`
    // A volume that is not mounted must not become a folder of this machine.
    const isThere = await Promise.all(within.map(isFolder))
    if (!isThere.includes(true)) return `is in ${within[0]}, the output root of ${rootSource(within[0]!)}, ${MISSING}`
  }
  if (isInside(runs!, real)) return `would be written among the runs in ${runsDir}`
  if (real === pipeline) return 'would overwrite the pipeline file'
  // A file of another kind is not opened as a database.
  if (format === null) return null
  if (there !== null && format === 'json' && !isGzipName(path) && !(await isArray(path)))
    return 'exists and is not a table: only a JSON array is replaced'
  if (there === null || isTableName(path, format)) return null
  const { kind } = formatFacts(format)
  const names = listExtensions(kind)
  const list = names.length === 1 ? `${names[0]} is` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are`
  return `is there, and no ${kind === 'workbook' ? 'workbook' : 'table'} by its name: only ${list} replaced`
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isDirectory() === true

/** Other JSON files, such as package.json, hold an object. */
const isArray = async (path: string): Promise<boolean> => {
  const handle = await open(path)
  try {
    return (await readHead(handle, 64)).toString().trimStart().startsWith('[')
  } finally {
    await handle.close()
  }
}

/** As many as Linux follows (path_resolution(7)). */
const MOST_LINKS = 40

/** The path without symbolic links, as far as it exists; also where a link leads to nothing yet, since a writer would follow it. */
export async function realPath(path: string, links = MOST_LINKS): Promise<string> {
  const parent = dirname(path)
  return realpath(path).catch(async () => {
    if (parent === path) return path
    const folder = await realPath(parent, links)
    const target = links === 0 ? null : await readlink(path).catch(() => null)
    return target === null ? join(folder, basename(path)) : realPath(resolve(folder, target), links - 1)
  })
}
