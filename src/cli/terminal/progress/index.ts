/**
 * What is seen while a run goes on: on a terminal lines that are drawn over, otherwise a line for each change and a sign of life
 * every 30 seconds. It reads facts and ticks; it decides nothing.
 */
import { type ProgressEvent, progressOf, type RunEventInput, type RunState } from '../../../app/index.ts'
import { escapeTerminal } from '../../../report/index.ts'
import type { Io } from '../io.ts'
import { heartbeat } from './heartbeat.ts'
import { ProgressModel } from './model.ts'
import { Screen } from './screen.ts'
import { formatProgressEvent, formatRunEvent, jobPrefix } from './text.ts'

/** A transfer is told of at most so often, where every line stays. */
const TRANSFER_MS = 5_000

/** A stop may take as long as a request in flight is heard out. */
const STOPPING = 'stopping: a request in flight is heard out, for 10 s at most; once more stops at once'

/** What a progress display is told. */
export interface Progress {
  fact(fact: RunEventInput, state: RunState): void
  tick(tick: ProgressEvent, state: RunState): void
  note(text: string): void
  /** Ends the display; the terminal is left on a fresh line. */
  stop(): void
}

/** Says nothing: for --quiet. */
const SILENT: Progress = { fact() {}, tick() {}, note() {}, stop() {} }

/** A display for one pipeline; `label` begins each line when several run at once. */
export function showProgress(io: Io, options: { quiet: boolean; verbose: boolean; label: string | null }): Progress {
  if (options.quiet) return SILENT
  const shown = io.isTerminal ? liveLines(io, options.label) : plainLines(io, options.label, options.verbose)
  const onStop = (): void => shown.note(STOPPING)
  io.signal.addEventListener('abort', onStop, { once: true })
  const stop = (): void => {
    io.signal.removeEventListener('abort', onStop)
    shown.stop()
  }
  return { ...shown, stop }
}

function plainLines(io: Io, label: string | null, verbose: boolean): Progress {
  const prefix = label === null ? '' : `[${label}] `
  const statuses = new Map<number, string>()
  const picture = new ProgressModel(performance.now(), null)
  let transferAt = Number.NEGATIVE_INFINITY
  let latest = 'working'
  const say = (text: string): void => {
    heart.beat()
    io.say(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${prefix}${text}`))
  }
  const heart = heartbeat(() => say(latest))
  return {
    fact(fact, state) {
      picture.fact(fact, state)
      const about = jobPrefix('part' in fact ? fact.part : undefined, state)
      if (fact.type === 'status.observed' && fact.status !== statuses.get(fact.part)) {
        statuses.set(fact.part, fact.status)
        say(`${about}status ${fact.status}`)
      }
      const words = formatRunEvent(fact)
      if (words !== null) say(`${about}${words}`)
      latest = picture.detail(performance.now()) || latest
    },
    tick(tick, state) {
      const now = performance.now()
      picture.tick(tick, state, now)
      const words = formatProgressEvent(tick)
      // Of several jobs the whole is told: any one of them says little.
      latest = state.jobs.length === 1 ? words : picture.detail(now)
      const isTransfer = progressOf(tick) !== null
      if (tick.type !== 'retry' && !(verbose && (!isTransfer || now - transferAt >= TRANSFER_MS))) return
      if (isTransfer) transferAt = now
      say(`${jobPrefix(tick.part, state)}${words}`)
    },
    note: say,
    stop: () => heart.stop(),
  }
}

function liveLines(io: Io, label: string | null): Progress {
  const screen = Screen.of(io)
  const picture = new ProgressModel(performance.now(), label)
  const lines = picture.lines.bind(picture)
  const prefix = label === null ? '' : `[${label}] `
  screen.add(lines)
  return {
    fact(fact, state) {
      picture.fact(fact, state)
      if (fact.type === 'issue.raised') screen.above(`${prefix}${fact.issue.message}`)
      else if (fact.type === 'part.failed') screen.above(`${prefix}${jobPrefix(fact.part, state)}${formatRunEvent(fact)}`)
      screen.changed(true)
    },
    tick(tick, state) {
      picture.tick(tick, state, performance.now())
      if (tick.type === 'retry') screen.above(`${prefix}${jobPrefix(tick.part, state)}${tick.message}`)
      screen.changed(false)
    },
    note: text => screen.above(`${prefix}${text}`),
    stop: () => screen.remove(lines),
  }
}
