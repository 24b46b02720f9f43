/**
 * What is seen while a run goes on: on a terminal one line that is drawn over, otherwise a line for each change and a sign of
 * life every 30 seconds. It reads facts and ticks; it decides nothing.
 */
import type { RunFact, RunState, Tick } from '../compose.ts'
import { bytesInWords, durationInWords, escapeTerminal } from '../report/index.ts'
import type { Io } from './io.ts'

/** Longest silence on a log that nobody watches (README, "Command line"). */
const HEARTBEAT_MS = 30_000
/** A live line is drawn over at most so often. */
const REDRAW_MS = 100

/** A stop may take as long as a request in flight is heard out. */
const STOPPING = 'stopping: a request in flight is heard out, for 10 s at most; once more stops at once'

/** What a progress display is told. */
export interface Progress {
  fact(fact: RunFact, state: RunState): void
  tick(tick: Tick, state: RunState): void
  note(text: string): void
  /** Ends the display; the terminal is left on a fresh line. */
  stop(): void
}

/** Says nothing: for --quiet. */
const SILENT: Progress = { fact() {}, tick() {}, note() {}, stop() {} }

const percent = (part: number, whole: number | null): string =>
  whole === null || whole === 0 ? '' : ` ${Math.floor((part / whole) * 100)}%`

function inWords(tick: Tick): string {
  if (tick.type === 'upload') return `uploading ${bytesInWords(tick.sent)}${percent(tick.sent, tick.total)}`
  if (tick.type === 'download') return `downloading ${bytesInWords(tick.received)}${percent(tick.received, tick.total)}`
  if (tick.type === 'waiting') return `${tick.status}, waiting for ${durationInWords(tick.forMs)}`
  return tick.message
}

function factInWords(fact: RunFact): string | null {
  switch (fact.type) {
    case 'job.created':
      return `job ${fact.id}${fact.adopted ? ' (found again)' : ''}`
    case 'upload.accepted':
      return fact.adopted ? 'the file had already arrived' : `uploaded ${bytesInWords(fact.bytes)}`
    case 'mapping.accepted':
      return `${fact.count} columns mapped`
    case 'match.accepted':
      return fact.adopted ? 'matching had already begun' : 'matching begun'
    case 'enrich.accepted':
      return fact.adopted ? 'enriching had already begun' : 'enriching begun'
    case 'file.received':
      return `received ${fact.rows} rows, ${bytesInWords(fact.bytes)}`
    case 'output.written':
      return `wrote ${fact.files.map(file => file.path).join(', ')}`
    case 'part.failed':
      return `its rows fail: ${fact.error.message}`
    case 'stage.failed':
      return `${fact.stage} stopped: ${fact.error.message}`
    case 'issue.raised':
      return fact.issue.message
    default:
      return null
  }
}

/** Which of several remote jobs a fact or a sign of life is about; nothing when there is only one. */
const jobPrefix = (part: number | undefined, { jobs }: RunState): string =>
  part === undefined || jobs.length === 1 ? '' : `job ${part + 1} of ${jobs.length}: `

/** A display for one pipeline; `label` begins each line when several run at once. */
export function showProgress(io: Io, options: { quiet: boolean; verbose: boolean; label: string | null }): Progress {
  if (options.quiet) return SILENT
  const prefix = options.label === null ? '' : `[${options.label}] `
  const shown = io.isTerminal && options.label === null ? liveLine(io) : plainLines(io, prefix, options.verbose)
  const onStop = (): void => shown.note(STOPPING)
  io.signal.addEventListener('abort', onStop, { once: true })
  const stop = (): void => {
    io.signal.removeEventListener('abort', onStop)
    shown.stop()
  }
  return { ...shown, stop }
}

function plainLines(io: Io, prefix: string, verbose: boolean): Progress {
  let lastSaid = performance.now()
  const statuses = new Map<number, string>()
  const say = (text: string): void => {
    lastSaid = performance.now()
    io.say(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${prefix}${text}`))
  }
  let latest = 'working'
  const heart = setInterval(() => {
    if (performance.now() - lastSaid >= HEARTBEAT_MS) say(latest)
  }, 1_000)
  heart.unref()
  return {
    fact(fact, state) {
      const about = jobPrefix('part' in fact ? fact.part : undefined, state)
      if (fact.type === 'status.observed' && fact.status !== statuses.get(fact.part)) {
        statuses.set(fact.part, fact.status)
        say(`${about}status ${fact.status}`)
      }
      const words = factInWords(fact)
      if (words !== null) say(`${about}${words}`)
    },
    tick(tick) {
      latest = inWords(tick)
      if (tick.type === 'retry' || verbose) say(latest)
    },
    note: say,
    stop: () => clearInterval(heart),
  }
}

function liveLine(io: Io): Progress {
  let stage = 'starting'
  let detail = ''
  let drawnAt = 0
  const startedAt = performance.now()
  const draw = (now: boolean): void => {
    if (!now && performance.now() - drawnAt < REDRAW_MS) return
    drawnAt = performance.now()
    const text = `${durationInWords(drawnAt - startedAt)}  ${stage}${detail === '' ? '' : `  ${detail}`}`
    io.draw(`\r\x1b[2K${[...escapeTerminal(text)].slice(0, Math.max(10, io.columns() - 1)).join('')}`)
  }
  const clear = (): void => io.draw('\r\x1b[2K')
  const above = (text: string): void => {
    clear()
    io.say(escapeTerminal(text))
    draw(true)
  }
  const clock = setInterval(() => draw(true), 1_000)
  clock.unref()
  return {
    fact(fact, state) {
      if (fact.type === 'stage.started') [stage, detail] = [fact.stage, '']
      if (fact.type === 'status.observed') detail = `${jobPrefix(fact.part, state)}${fact.status}`
      if (fact.type === 'issue.raised') above(fact.issue.message)
      draw(true)
    },
    tick(tick) {
      if (tick.type === 'retry') above(tick.message)
      else detail = inWords(tick)
      draw(false)
    },
    note: above,
    stop() {
      clearInterval(clock)
      clear()
    },
  }
}
