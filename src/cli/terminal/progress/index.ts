/** The display of runs and other long work: redrawn lines on a terminal, otherwise a line per change and one every 30 seconds. */

import { counted } from '../../../counted.ts'
import type { RunReporter } from '../../../observe/reporters.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import { count } from '../../../report/words.ts'
import { progressOf } from '../../../run/index.ts'
import { hintWithCommand } from '../../../shell-command.ts'
import type { Io } from '../io.ts'
import { ProgressModel } from './model.ts'
import { heartbeat, Screen } from './screen.ts'
import { amount, continueProgress, formatProgressEvent, formatRunEvent, type JobProgress, jobPrefix, timeLeft } from './text.ts'

/** The shortest interval between two lines about one transfer, where every line stays. */
const TRANSFER_MS = 5_000

const STOPPING = 'stopping: waiting up to 10 s for the request in flight; a second signal stops at once'

export interface ProgressDisplay extends Required<Pick<RunReporter, 'name' | 'onEvent' | 'onProgress' | 'onNote'>> {
  /** Ends the display; the cursor is left at the start of a new line. */
  stop(): void
}

const SILENT: ProgressDisplay = { name: 'display', onEvent() {}, onProgress() {}, onNote() {}, stop() {} }

/** A display for one pipeline; `label` starts each line when several run at once, on a terminal in a column of `width`. */
export function showProgress(
  io: Io,
  options: { quiet: boolean; verbose: boolean; label: string | null; width?: number; runsDir?: string },
): ProgressDisplay {
  if (options.quiet) return SILENT
  const shown = io.isTerminal ? liveLines(io, options.label, options.width ?? 0) : plainLines(io, options.label, options.verbose)
  const onStop = () => shown.onNote(STOPPING)
  io.signal.addEventListener('abort', onStop, { once: true })
  const stop = (): void => {
    io.signal.removeEventListener('abort', onStop)
    shown.stop()
  }
  const onNote: ProgressDisplay['onNote'] = (text, action = null) => shown.onNote(hintWithCommand(text, action, options.runsDir))
  return { ...shown, onNote, stop }
}

function plainLines(io: Io, label: string | null, verbose: boolean): ProgressDisplay {
  const prefix = label === null ? '' : `[${label}] `
  const statuses = new Map<number, string>()
  const model = new ProgressModel(performance.now(), null)
  let transferAt = Number.NEGATIVE_INFINITY
  let latest = 'working'
  const print = (text: string): void => {
    heart.beat()
    io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${prefix}${text}`))
  }
  const heart = heartbeat(() => print(latest))
  return {
    name: 'display',
    onEvent(event, state) {
      model.onEvent(event, state)
      const about = jobPrefix('part' in event ? event.part : undefined, state)
      if (event.type === 'status.observed' && event.status !== statuses.get(event.part)) {
        statuses.set(event.part, event.status)
        print(`${about}status ${event.status}`)
      }
      const words = formatRunEvent(event)
      if (words !== null) print(`${about}${words}`)
      latest = model.detail(performance.now()) || latest
    },
    onProgress(progress, state) {
      const now = performance.now()
      model.onProgress(progress, state, now)
      const words = formatProgressEvent(progress)
      // With several jobs the line is about the run: a single job shows little.
      latest = state.jobs.length === 1 ? words : model.detail(now)
      const isTransfer = progressOf(progress) !== null
      if (progress.type !== 'retry' && !(verbose && (!isTransfer || now - transferAt >= TRANSFER_MS))) return
      if (isTransfer) transferAt = now
      print(`${jobPrefix(progress.part, state)}${words}`)
    },
    onNote: print,
    stop: () => heart.stop(),
  }
}

function liveLines(io: Io, label: string | null, width: number): ProgressDisplay {
  const screen = Screen.of(io)
  const model = new ProgressModel(performance.now(), label?.padEnd(width) ?? null)
  const lines = model.lines.bind(model)
  const prefix = label === null ? '' : `[${label}] `
  screen.add(lines)
  return {
    name: 'display',
    onEvent(event, state) {
      model.onEvent(event, state)
      if (event.type === 'issue.raised') screen.above(`${prefix}${event.issue.message}`)
      else if (event.type === 'part.failed') screen.above(`${prefix}${jobPrefix(event.part, state)}${formatRunEvent(event)}`)
      screen.changed(true)
    },
    onProgress(progress, state) {
      model.onProgress(progress, state, performance.now())
      if (progress.type === 'retry') screen.above(`${prefix}${jobPrefix(progress.part, state)}${progress.message}`)
      screen.changed(false)
    },
    onNote: text => screen.above(`${prefix}${text}`),
    stop: () => screen.remove(lines),
  }
}

export interface SeveralDisplay {
  ended(name: string, text: string): void
  stop(): void
}

export function showSeveral(io: Io, total: number, isQuiet: boolean): SeveralDisplay {
  if (isQuiet || total < 2) return { ended() {}, stop() {} }
  let done = 0
  const sum = (): string => `${done} of ${counted(total, 'pipeline')} done`
  if (!io.isTerminal)
    return {
      ended(name, text) {
        done += 1
        io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} [${name}] ${text} (${sum()})`))
      },
      stop() {},
    }
  const screen = Screen.of(io)
  const part = (): string[] => [sum()]
  screen.add(part)
  return {
    ended(name, text) {
      done += 1
      screen.above(`[${name}] ${text}`)
    },
    stop: () => screen.remove(part),
  }
}

const SHORT_MS = 300

/** Long work outside a run, such as reading a list or importing a register. */
export interface LongTask {
  bytes(what: string, done: number, total: number): void
  rows(what: string, done: number): void
  stop(): void
}

/** Redraws a line on a terminal; prints a line every 30 seconds otherwise. */
export function showLongTask(io: Io, isQuiet = false): LongTask {
  if (isQuiet) return { bytes() {}, rows() {}, stop() {} }
  let course: JobProgress | null = null
  let words: (now: number) => string = () => 'working'
  const part = (now: number): string[] => (course === null || now - course.startedAt < SHORT_MS ? [] : [words(now)])
  const screen = io.isTerminal ? Screen.of(io) : null
  const heart = screen === null ? heartbeat(() => io.err(escapeTerminal(words(performance.now())))) : null
  screen?.add(part)
  return {
    bytes(what, done, total) {
      course = continueProgress(course, done, total, performance.now())
      words = now => `reading ${what}  ${amount(done, total)}${course === null ? '' : timeLeft(course, now)}`
      screen?.changed(false)
    },
    rows(what, done) {
      const now = performance.now()
      course = continueProgress(course, done, null, now)
      const rate = ((done - course.from) / Math.max(1, now - course.startedAt)) * 1_000
      words = () => `reading ${what}  ${counted(done, 'row')}${rate > 0 ? `, ${count(Math.round(rate))} a second` : ''}`
      screen?.changed(false)
    },
    stop() {
      screen?.remove(part)
      heart?.stop()
    },
  }
}
