/** Long work before or beside a run, such as reading a list or importing a register: how far it is, and how long it may take. */
import { escapeTerminal } from '../../../report/formats/escape.ts'
import { count } from '../../../report/words.ts'
import type { Io } from '../io.ts'
import { heartbeat } from './heartbeat.ts'
import { Screen } from './screen.ts'
import { amount, type JobProgress, timeLeft } from './text.ts'

/** What takes less is not worth a line. */
const SHORT_MS = 300

/** Work that is shown as it goes on. */
export interface LongTask {
  /** So many bytes of so many are dealt with. */
  bytes(what: string, done: number, total: number): void
  /** So many rows are. */
  rows(what: string, done: number): void
  stop(): void
}

const SILENT: LongTask = { bytes() {}, rows() {}, stop() {} }

/** Shows work on a terminal, or as a sign of life in a log. */
export function showLongTask(io: Io, isQuiet = false): LongTask {
  if (isQuiet) return SILENT
  let course: JobProgress | null = null
  let words: (now: number) => string = () => 'working'
  const begin = (done: number, total: number | null, now: number): JobProgress => {
    const goesOn = course !== null && course.total === total && done >= course.done
    return goesOn ? { ...course!, done } : { startedAt: now, from: done, done, total }
  }
  const part = (now: number): string[] => (course === null || now - course.startedAt < SHORT_MS ? [] : [words(now)])
  const screen = io.isTerminal ? Screen.of(io) : null
  const heart = screen === null ? heartbeat(() => io.say(escapeTerminal(words(performance.now())))) : null
  screen?.add(part)
  return {
    bytes(what, done, total) {
      course = begin(done, total, performance.now())
      words = now => `reading ${what}  ${amount(done, total)}${course === null ? '' : timeLeft(course, now)}`
      screen?.changed(false)
    },
    rows(what, done) {
      const now = performance.now()
      course = begin(done, null, now)
      const rate = ((done - course.from) / Math.max(1, now - course.startedAt)) * 1_000
      words = () => `reading ${what}  ${count(done)} rows${rate > 0 ? `, ${count(Math.round(rate))} a second` : ''}`
      screen?.changed(false)
    },
    stop() {
      screen?.remove(part)
      heart?.stop()
    },
  }
}
