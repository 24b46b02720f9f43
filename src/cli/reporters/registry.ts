/**
 * The reporters of a call: those asked for by `--reporter`, and those of the platform it runs on. They hear what happens and how
 * it ended; whatever one of them throws is said once, as a warning, and changes nothing.
 */

import { ciOf, type ProgressEvent, progressOf, type RunEventInput, type RunReporter, type RunState } from '../../app/index.ts'
import { type Event, escapeTerminal, eventData, type PipelineResult, startEventData } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { needText } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import type { Progress } from '../terminal/progress/index.ts'
import { dagsterReporter } from './dagster.ts'
import { DOCUMENTS, documentReporter, GITLAB, gitlabReporter, INDEX, indexReporter, STDOUT } from './documents.ts'
import { githubReporter } from './github.ts'
import { jsonEventsReporter } from './json-events.ts'
import { openLineageReporter } from './openlineage.ts'
import type { Reporter } from './reporter.ts'
import { type ReporterRequest, requestedReporters } from './requested.ts'

/** Transfers are told of at most so often. */
const TRANSFER_MS = 1_000

/** A display that reporters hear too, and those of them that want the lineage of the run. */
export interface ObservedProgress extends Progress {
  readonly lineage: readonly RunReporter[]
}

/** The reporters of a call. */
export class Reporters {
  /** Files that reporters were told to write, for whoever looks for clashes. */
  readonly paths: readonly string[]
  /** One of them has stdout: results go to stderr. */
  readonly hasStdout: boolean
  /** The page about all pipelines of the call, null when there is none. */
  readonly page: string | null
  readonly #io: Io
  readonly #reporters: readonly Reporter[]
  /** Reporters with a file of their own wait until it is known to be nobody else's. */
  readonly #waiting = new Set<Reporter>()
  readonly #failed = new Set<Reporter>()
  readonly #toldAt = new Map<string, number>()

  /** Throws FETTLE_USAGE for a reporter that does not exist, or a path it may not write to. */
  static async of(flags: Flags, io: Io): Promise<Reporters> {
    return new Reporters(await requestedReporters(flags, io, ciOf(io.env)), needText(flags, 'runs-dir'), io)
  }

  private constructor(asked: readonly ReporterRequest[], runsDir: string, io: Io) {
    this.#io = io
    this.paths = asked.flatMap(filesOf)
    const page = asked.find(({ name }) => name === 'html')
    this.page = page === undefined || page.path === STDOUT ? null : (page.path ?? `${runsDir}/${INDEX}`)
    this.hasStdout = asked.some(({ path }) => path === STDOUT)
    this.#reporters = asked.map(one => reporterOf(one, runsDir, io))
    for (const [at, { path }] of asked.entries()) if (path !== null && path !== STDOUT) this.#waiting.add(this.#reporters[at]!)
  }

  /** Their files clash with nothing: they may be written from now on. */
  approve(): void {
    this.#waiting.clear()
  }

  /** The display of a pipeline, overheard. */
  overhear(progress: Progress, pipeline: string): ObservedProgress {
    const tell = (type: string, { runId }: RunState, data: Event['data']): void => {
      const event = { at: new Date().toISOString(), pipeline, runId, type, data }
      for (const reporter of this.#reporters) this.#guarded(reporter, () => reporter.event?.(event))
    }
    let hasBegun = false
    const begin = (state: RunState): void => {
      if (!hasBegun) tell('run.started', state, startEventData(state))
      hasBegun = true
    }
    return {
      fact: (fact: RunEventInput, state: RunState) => {
        progress.fact(fact, state)
        begin(state)
        tell(fact.type, state, eventData(fact))
      },
      tick: (tick: ProgressEvent, state: RunState) => {
        progress.tick(tick, state)
        const { type, ...data } = tick
        begin(state)
        if (this.#isDue(tick, `${pipeline} ${type} ${tick.part}`)) tell(`progress.${type}`, state, data)
      },
      note: text => progress.note(text),
      stop: () => progress.stop(),
      lineage: this.#reporters.flatMap(one => {
        const { lineage } = one
        return lineage === undefined ? [] : [{ name: one.name, lineage: event => this.#guarded(one, () => lineage(event)) }]
      }),
    }
  }

  /** Tells everybody how the pipelines ended. */
  async end(told: readonly PipelineResult[], exitCode: number): Promise<void> {
    for (const reporter of this.#reporters) {
      if (this.#failed.has(reporter) || this.#waiting.has(reporter)) continue
      await reporter.end(told, exitCode).catch(error => this.#fail(reporter, error))
    }
  }

  #isDue(tick: ProgressEvent, key: string): boolean {
    const course = progressOf(tick)
    if (course === null) return true
    const now = performance.now()
    if (course.done !== course.total && now - (this.#toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < TRANSFER_MS) return false
    this.#toldAt.set(key, now)
    return true
  }

  #guarded(reporter: Reporter, act: () => void): void {
    if (this.#failed.has(reporter) || this.#waiting.has(reporter)) return
    try {
      act()
    } catch (error) {
      this.#fail(reporter, error)
    }
  }

  #fail(reporter: Reporter, error: unknown): void {
    this.#failed.add(reporter)
    const why = error instanceof Error ? error.message : String(error)
    this.#io.say(`warning: the reporter ${reporter.name} failed, the run did not: ${escapeTerminal(why)}`)
  }
}

/** What a reporter writes where it was told to. */
function filesOf({ name, path }: ReporterRequest): string[] {
  if (path === null || path === STDOUT) return []
  return name === 'gitlab' ? GITLAB.map(({ file }) => `${path}/${file}`) : [path]
}

function reporterOf({ name, path }: ReporterRequest, runsDir: string, io: Io): Reporter {
  if (name === 'github') return githubReporter(path, io)
  if (name === 'gitlab') return gitlabReporter(path ?? runsDir, io)
  if (name === 'json-events') return jsonEventsReporter(path ?? `${runsDir}/events.jsonl`, io)
  if (name === 'openlineage') return openLineageReporter(path ?? `${runsDir}/openlineage.jsonl`, io)
  if (name === 'dagster') return dagsterReporter(io)
  if (name === 'html') return indexReporter(path, runsDir, io)
  return documentReporter(name, path ?? `${runsDir}/${DOCUMENTS[name].file}`, io)
}
