/** Parses `--reporter NAME[=PATH]`, adds the reporters that the platform enables, and checks their paths before anything is sent. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ciOf } from '../../app/index.ts'
import { realPath } from '../../app/prepare/output-paths.ts'
import { FettleError } from '../../errors.ts'
import { isInside } from '../../files/inside-folder.ts'
import { nearest } from '../../pipeline/index.ts'
import type { Flags } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { listFlag, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { REPORTERS } from './registry.ts'
import { type CallContext, type ReporterType, STDOUT } from './reporter.ts'

const NONE = 'none'

/** The flag that names the project file which the reporters are from; it is never given on a command line. */
export const REPORTERS_OF = 'reporters-of'

/** A reporter to create; `path` is null where none was given. */
export interface ReporterRequest {
  readonly name: string
  readonly type: ReporterType
  readonly path: string | null
}

/** The reporters of a call. Throws FETTLE_USAGE for an unknown name and for a path it may not write to. */
export async function requestedReporters(flags: Flags, io: Io): Promise<ReporterRequest[]> {
  const words = [...new Set(listFlag(flags, 'reporter'))]
  const requested = words.filter(word => word !== NONE).map(word => parseRequest(word, io))
  const context: CallContext = { env: io.env, platform: ciOf(io.env), pipelines: listFlag(flags, 'pipeline').length }
  const automatic = Object.entries(REPORTERS)
    .filter(([name, { isAutomatic }]) => isAutomatic?.(context) === true && !requested.some(one => one.name === name))
    .map(([name, type]) => ({ name, type, path: null }))
  const enabled = words.includes(NONE) ? requested : [...requested, ...automatic]
  const all = await Promise.all(
    enabled.map(async one => ((await one.type.usesStdout?.(io.env)) === true ? { ...one, path: STDOUT } : one)),
  )
  const project = textFlag(flags, REPORTERS_OF)
  if (project !== null) await assertInside(all, project, io.cwd)
  await checkPaths(all, needText(flags, 'runs-dir'), io.cwd)
  return all
}

const refusal = (word: string, why: string, hint = 'Name another path.'): FettleError =>
  new FettleError('FETTLE_USAGE', `--reporter ${word}: ${why}`, { hint })

function parseRequest(word: string, { env }: Io): ReporterRequest {
  const [, name = '', path] = /^([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? []
  const type = Object.hasOwn(REPORTERS, name) ? REPORTERS[name] : undefined
  if (type === undefined) {
    const names = Object.keys(REPORTERS)
    const near = nearest(name, [...names, NONE])
    const hint = near === null ? `There are ${names.join(', ')}, and ${NONE}.` : `Did you mean ${near}?`
    throw refusal(word, `there is no reporter "${name}"`, hint)
  }
  if (path === '') throw refusal(word, 'a path is missing after =')
  if (path !== undefined && type.target === 'none') throw refusal(word, 'this reporter takes no path', 'Remove the path.')
  const unavailable = type.unavailable?.(env) ?? null
  if (unavailable !== null) throw refusal(word, unavailable.why, unavailable.hint)
  return { name, type, path: path ?? null }
}

/** Reporters of a project file write where its outputs may lie, also through links. Throws FETTLE_USAGE. */
async function assertInside(requests: readonly ReporterRequest[], project: string, cwd: string): Promise<void> {
  const root = await realPath(resolve(cwd))
  for (const { name, path } of requests)
    if (path !== null && path !== STDOUT && !isInside(root, await realPath(resolve(cwd, path))))
      throw refusal(`${name}=${path}`, `it is of ${project}, and the path is outside the working directory`)
}

async function checkPaths(requests: readonly ReporterRequest[], runsDir: string, cwd: string): Promise<void> {
  const taken = new Map<string, string>()
  for (const { name, type, path } of requests) {
    if (path === null) continue
    const word = `${name}=${path}`
    const target = path === STDOUT ? STDOUT : resolve(cwd, path)
    const other = taken.get(target)
    if (other !== undefined) throw refusal(word, `--reporter ${other} writes there`)
    taken.set(target, word)
    if (path === STDOUT) {
      if (!type.acceptsStdout) throw refusal(word, 'it cannot write to stdout')
    } else if (type.target === 'folder') {
      const stats = await stat(target).catch(() => null)
      if (stats !== null && !stats.isDirectory()) throw refusal(word, 'it needs a folder, and this is a file')
    } else {
      const { extensions } = type
      await assertReplaceableReport(path, { cwd, runsDir, extensions, flag: `--reporter ${word}` })
    }
  }
}
