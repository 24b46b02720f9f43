/** The progress of long work outside a run, such as reading a list or importing a register. */
import { counted } from '../../../counted.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import { count } from '../../../report/words.ts'
import type { Io } from '../io.ts'
import { heartbeat, Screen } from './screen.ts'
import { amount, continueProgress, type JobProgress, timeLeft } from './text.ts'

const SHORT_MS = 300

export interface LongTask {
  bytes(what: string, done: number, total: number): void
  rows(what: string, done: number): void
  stop(): void
}

const SILENT: LongTask = { bytes() {}, rows() {}, stop() {} }

/** Redraws a line on a terminal; prints a line every 30 seconds otherwise. */
export function showLongTask(io: Io, isQuiet = false): LongTask {
  if (isQuiet) return SILENT
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
