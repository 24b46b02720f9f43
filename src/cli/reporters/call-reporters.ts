/** The reporters of one call: created from their requests, attached to every run of the call, and given the results at its end. */
import { createDispatcher, type ReporterDispatcher, type RunReporter } from '../../app/index.ts'
import { escapeTerminal, type PipelineResult } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { needText } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { type CallReporter, STDOUT } from './reporter.ts'
import { type ReporterRequest, requestedReporters } from './requested.ts'

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
    const isWaiting = requests.map(({ path }) => path !== null && path !== STDOUT)
    return new CallReporters(
      io,
      requests.flatMap(filesOf),
      requests.some(({ path }) => path === STDOUT),
      created.filter((_, index) => !isWaiting[index]),
      created.filter((_, index) => isWaiting[index]),
    )
  }

  private constructor(
    io: Io,
    paths: readonly string[],
    hasStdout: boolean,
    enabled: readonly CallReporter[],
    waiting: CallReporter[],
  ) {
    this.paths = paths
    this.hasStdout = hasStdout
    this.page = [...enabled, ...waiting].find(({ page }) => page !== undefined)?.page ?? null
    const warnings: CallReporter = { name: 'stderr', onWarning: text => io.err(`warning: ${escapeTerminal(text)}`) }
    this.#enabled = [warnings, ...enabled]
    this.#waiting = waiting
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

function filesOf({ type, path }: ReporterRequest): string[] {
  if (path === null || path === STDOUT) return []
  return type.files === undefined ? [path] : type.files.map(file => `${path}/${file}`)
}

function createReporter({ type, path }: ReporterRequest, runsDir: string, io: Io): Promise<CallReporter> {
  const defaultPath = type.defaultPath === null ? null : `${runsDir}/${type.defaultPath}`
  return type.create({ path: path ?? defaultPath, isRequestedPath: path !== null, runsDir, io })
}
