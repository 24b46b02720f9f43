/** The reporters of one call: created from their requests, attached to every run of the call, and given the results at its end. */

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { detectCi } from '../../env/environment.ts'
import type { FettleError } from '../../errors.ts'
import { isInside } from '../../files/paths.ts'
import { createDispatcher, type ReporterDispatcher, type RunReporter } from '../../observe/reporters.ts'
import { nearest } from '../../pipeline/index.ts'
import { realPath } from '../../prepare/check-outputs.ts'
import { escapeTerminal, type PipelineResult } from '../../report/index.ts'
import { type Flags, usageError } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { listFlag, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { REPORTERS } from './registry.ts'
import { type CallContext, type CallReporter, type ReporterType, STDOUT } from './reporter.ts'

export class CallReporters {
  readonly paths: readonly string[]
  /** One of them writes to stdout: results go to stderr. */
  readonly hasStdout: boolean
  /** The page about all pipelines of the call, null without one. */
  readonly page: string | null
  readonly #enabled: CallReporter[]
  readonly #waiting: CallReporter[]
  readonly #dispatcher: ReporterDispatcher

  /** Throws FETTLE_USAGE for a reporter that does not exist, or a path it may not write to. */
  static async create(flags: Flags, io: Io): Promise<CallReporters> {
    const runsDir = needText(flags, 'runs-dir')
    const requests = await requestedReporters(flags, io)
    const created = await Promise.all(requests.map(request => createReporter(request, runsDir, io)))
    return new CallReporters(requests, created, io)
  }

  private constructor(requests: readonly ReporterRequest[], created: readonly CallReporter[], io: Io) {
    this.paths = requests.flatMap(listFiles)
    this.hasStdout = requests.some(({ path }) => path === STDOUT)
    this.page = created.find(({ page }) => page !== undefined)?.page ?? null
    const isWaiting = requests.map(({ path }) => path !== null && path !== STDOUT)
    const warnings: CallReporter = { name: 'stderr', onWarning: text => io.err(`warning: ${escapeTerminal(text)}`) }
    this.#enabled = [warnings, ...created.filter((_, index) => !isWaiting[index])]
    this.#waiting = created.filter((_, index) => isWaiting[index])
    this.#dispatcher = createDispatcher(this.#enabled)
  }

  /** Enables reporters that write to a requested path, once it is known that no other file is overwritten. */
  enable(): void {
    this.#enabled.push(...this.#waiting.splice(0))
  }

  /** The observers of one run: the reporters and its display. */
  observersOf(display: RunReporter): ReporterDispatcher {
    return this.#dispatcher.with([display])
  }

  async end(results: readonly PipelineResult[], exitCode: number): Promise<void> {
    for (const reporter of this.#enabled) {
      this.#dispatcher.guard(reporter, () => reporter.onCallEnd?.(results, exitCode))
      await this.#dispatcher.flush()
    }
  }
}

function listFiles({ type, path }: ReporterRequest): string[] {
  if (path === null || path === STDOUT) return []
  return type.files === undefined ? [path] : type.files.map(file => `${path}/${file}`)
}

function createReporter({ type, path }: ReporterRequest, runsDir: string, io: Io): Promise<CallReporter> {
  const defaultPath = type.defaultPath === null ? null : `${runsDir}/${type.defaultPath}`
  return type.create({ path: path ?? defaultPath, isRequestedPath: path !== null, runsDir, io })
}

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
async function requestedReporters(flags: Flags, io: Io): Promise<ReporterRequest[]> {
  const words = [...new Set(listFlag(flags, 'reporter'))]
  const requested = words.filter(word => word !== NONE).map(word => parseRequest(word, io))
  const context: CallContext = { env: io.env, platform: detectCi(io.env), pipelines: listFlag(flags, 'pipeline').length }
  const automatic = Object.entries(REPORTERS)
    .filter(([name, { isAutomatic }]) => isAutomatic?.(context) === true && !requested.some(request => request.name === name))
    .map(([name, type]) => ({ name, type, path: null }))
  const enabled = words.includes(NONE) ? requested : [...requested, ...automatic]
  const all = await Promise.all(
    enabled.map(async request => ((await request.type.usesStdout?.(io.env)) === true ? { ...request, path: STDOUT } : request)),
  )
  const project = textFlag(flags, REPORTERS_OF)
  if (project !== null) await assertInside(all, project, io.cwd)
  await checkPaths(all, needText(flags, 'runs-dir'), io.cwd)
  return all
}

const refusal = (word: string, why: string, hint = 'Name another path.'): FettleError =>
  usageError(`--reporter ${word}: ${why}`, hint)

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
    } else await assertReplaceableReport(path, { cwd, runsDir, extensions: type.extensions, flag: `--reporter ${word}` })
  }
}
