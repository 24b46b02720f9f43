/** What is seen of a run under way, as text: pictures of states, lines that fit, a sign of life, and nothing foreign raw. */
import fc from 'fast-check'
import stringWidth from 'string-width'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Io } from '../../../src/cli/terminal/io.ts'
import { showLongTask, showProgress, showSeveral } from '../../../src/cli/terminal/progress/index.ts'
import { ProgressModel } from '../../../src/cli/terminal/progress/model.ts'
import { fitted } from '../../../src/cli/terminal/progress/screen.ts'
import { wrapLines } from '../../../src/cli/terminal/wrap.ts'
import type { RunEventInput } from '../../../src/journal/index.ts'
import { fold, type RunState } from '../../../src/journal/state.ts'
import type { ProgressEvent } from '../../../src/run/ports.ts'
import { RECEIVED } from '../../support/received.ts'
import { planOf } from '../../unit/run/world.ts'

/** A run of so many jobs of 50,000 rows, told fact by fact. */
class Told {
  readonly #events: (RunEventInput & { at: string })[] = []
  readonly tell: (fact: RunEventInput, state: RunState) => void

  constructor(jobs: number, tell: (fact: RunEventInput, state: RunState) => void) {
    this.tell = tell
    const parts = Array.from({ length: jobs }, (_, part) => ({ from: part * 50_000, rows: 50_000 }))
    const plan = planOf({ parts, rows: jobs * 50_000, sent: jobs * 50_000 })
    const tool = { name: 'fettle', version: '0.1.0' }
    this.add({
      type: 'run.started',
      journal: 1,
      runId: 'r1',
      jobName: 'j',
      plan,
      tool,
      identity: 'e',
      args: {},
      traceId: 't',
      ci: null,
    })
  }

  get state(): RunState {
    return fold(this.#events)!
  }

  add(...facts: RunEventInput[]): this {
    for (const fact of facts) {
      this.#events.push({ ...fact, at: '2026-01-01T00:00:00.000Z' })
      this.tell(fact, this.state)
    }
    return this
  }
}

const created = (part: number): RunEventInput[] => [
  { type: 'job.requested', part, name: `j-${part}` },
  { type: 'job.created', part, id: `id-${part}`, name: `j-${part}`, adopted: false },
]
const uploaded = (part: number): RunEventInput[] => [
  ...created(part),
  { type: 'upload.requested', part, bytes: 10 },
  { type: 'upload.accepted', part, fileId: null, bytes: 10, sha256: null, adopted: false },
]
const observed = (part: number, status: string, summary: object | null = null): RunEventInput =>
  ({ type: 'status.observed', part, stage: 'match', status, summary }) as RunEventInput
const matched = (part: number): RunEventInput => ({ type: 'match.finished', part, status: 'jobMatchingComplete', summary: null })

describe('a picture', () => {
  const picture = (jobs: number) => {
    const drawn = new ProgressModel(0, null)
    const told = new Told(jobs, (fact, state) => drawn.onEvent(fact, state))
    const tick = (one: ProgressEvent, now: number): void => drawn.onProgress(one, told.state, now)
    return { drawn, told, tick }
  }

  test('of one job: bytes, share and time left of an upload; the state and the next look of a wait', () => {
    const { drawn, told, tick } = picture(1)
    expect(drawn.lines(500, 9)).toEqual(['500 ms  starting'])
    told.add({ type: 'stage.started', stage: 'upload' }, ...created(0))
    tick({ type: 'upload', part: 0, sent: 10_000_000, total: 40_000_000 }, 1_000)
    expect(drawn.head(1_000)).toBe('1.0 s  upload  uploading 10.0 MB of 40.0 MB, 25%')
    tick({ type: 'upload', part: 0, sent: 20_000_000, total: 40_000_000 }, 3_000)
    expect(drawn.head(3_000)).toBe('3.0 s  upload  uploading 20.0 MB of 40.0 MB, 50%, 4.0 s left')
    // An upload begun anew is estimated anew.
    tick({ type: 'upload', part: 0, sent: 1_000_000, total: 40_000_000 }, 4_000)
    expect(drawn.head(4_000)).toBe('4.0 s  upload  uploading 1.0 MB of 40.0 MB, 2%')
    told.add(...uploaded(0).slice(2), { type: 'stage.started', stage: 'match' }, observed(0, 'matching'))
    tick({ type: 'waiting', part: 0, status: 'matching', forMs: 5, nextMs: 4_200 }, 10_000)
    expect(drawn.head(10_000)).toBe('10.0 s  match  matching, next poll in 5 s')
    expect(drawn.head(13_500)).toBe('13.5 s  match  matching, next poll in 1 s')
    expect(drawn.head(15_000)).toBe('15.0 s  match  matching, polling')
    const counts = { type: 'waiting', part: 0, status: 'matching', forMs: 5, nextMs: 500, total: 50_000 } as const
    tick({ ...counts, done: 10_000 }, 16_000)
    expect(drawn.head(16_000)).toBe('16.0 s  match  matching, 10,000 of 50,000 rows, 20%')
    tick({ ...counts, done: 12_500 }, 18_000)
    expect(drawn.head(18_000)).toBe('18.0 s  match  matching, 12,500 of 50,000 rows, 25%, 30.0 s left')
  })

  test('of a download without a content length, and of the stages after it', () => {
    const { drawn, told, tick } = picture(1)
    told.add(...uploaded(0), matched(0), { type: 'stage.started', stage: 'download' })
    tick({ type: 'download', part: 0, received: 5_000_000, total: null }, 1_000)
    expect(drawn.head(9_000)).toBe('9.0 s  download  downloading 5.0 MB')
    told.add({ type: 'file.received', part: 0, bytes: 5, rows: 5, sha256: '', ...RECEIVED })
    expect(drawn.head(9_000)).toBe('9.0 s  download  writing the outputs')
  })

  test('of several jobs: the whole, and a line for each under way', () => {
    const { drawn, told, tick } = picture(12)
    told.add(
      { type: 'stage.started', stage: 'create' },
      ...uploaded(0),
      matched(0),
      ...uploaded(1),
      ...created(2),
      ...created(10),
    )
    tick({ type: 'waiting', part: 1, status: 'matching', forMs: 5, nextMs: 2_000 }, 1_000)
    tick({ type: 'upload', part: 2, sent: 1_000, total: 4_000 }, 1_000)
    expect(drawn.lines(1_000, 9)).toEqual([
      '1.0 s  create  1 of 12 jobs done, 3 active',
      '  job  2  50,000 rows  matching, next poll in 2 s',
      '  job  3  50,000 rows  uploading 1.0 kB of 4.0 kB, 25%',
      '  job 11  50,000 rows  created',
    ])
    expect(drawn.lines(1_000, 3)).toEqual([
      '1.0 s  create  1 of 12 jobs done, 3 active',
      '  job  2  50,000 rows  matching, next poll in 2 s',
      '  and 2 more',
    ])
    expect(drawn.lines(1_000, 1)).toEqual(['1.0 s  create  1 of 12 jobs done, 3 active'])
    const error = { code: 'FETTLE_JOB_FAILED', kind: 'rejected', message: 'm', hint: 'h', correlationId: null } as const
    told.add({ type: 'part.failed', part: 2, error })
    expect(drawn.head(1_000)).toBe('1.0 s  create  2 of 12 jobs done, 2 active, 1 failed')
  })

  test('after matching, of enriching: what was matched is not done any more', () => {
    const { drawn, told, tick } = picture(2)
    told.add(...uploaded(0), matched(0), ...uploaded(1), matched(1), { type: 'stage.started', stage: 'enrich' })
    told.add({ type: 'enrichments.accepted', part: 1, product: 'basic', tags: 2 })
    tick({ type: 'waiting', part: 1, status: 'enriching', forMs: 0, nextMs: 500 }, 0)
    expect(drawn.lines(0, 9)).toEqual([
      '0 ms  enrich  0 of 2 jobs done, 1 active',
      '  job 2  50,000 rows  enriching, next poll in 1 s',
    ])
  })

  test('however few lines there are, it keeps to them', () => {
    const { drawn, told } = picture(30)
    for (let part = 0; part < 30; part++) told.add(...created(part))
    for (let most = 1; most < 40; most++) expect(drawn.lines(0, most).length).toBeLessThanOrEqual(most)
  })
})

describe('a line', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '漢字',
    '😀',
    '👩‍👩‍👧',
    '\u0301',
    ' ',
    '\u001b[31m',
    '\u009b2J',
    '\r',
    '\n',
    '\u202e',
    'ｗ',
  )

  test('fits the terminal, wide characters and all, and nothing of it moves the cursor', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 10, max: 60 }), (pieces, columns) => {
        const line = fitted(pieces.join(''), columns)
        expect(stringWidth(line)).toBeLessThanOrEqual(columns)
        expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
      }),
    )
    expect(fitted('漢字漢字漢字', 9)).toBe('漢字漢字…')
    expect(fitted('short', 10)).toBe('short')
  })
})

describe('long lines', () => {
  const word = fc.constantFrom('a', 'word', 'longer-than-most', '漢字', 'fettle', 'run', ' ', '  ', '\u001b[2mdim\u001b[22m')

  test('are broken at spaces only, and nothing is lost', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 20, max: 60 }), (words, columns) => {
        const text = words.join(' ')
        const lines = wrapLines(text, columns).split('\n')
        expect(lines.join(' ').split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean))
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  test('continue below their text, and a command at the end stays whole', () => {
    expect(wrapLines('漢字 a    longer-than-most', 24)).toBe('漢字 a\nlonger-than-most')
    expect(wrapLines('漢字  one more word', 12)).toBe('漢字  one\n      more\n      word')
    expect(wrapLines('warn  register     there is no register to match against', 40)).toBe(
      'warn  register     there is no register\n                   to match against',
    )
    expect(wrapLines('  hint: Pass the column, for example: fettle clean a.csv --map name=B', 50)).toBe(
      '  hint: Pass the column, for example:\n  fettle clean a.csv --map name=B',
    )
    expect(wrapLines(`{"a": 1}\n${'x'.repeat(50)}`, 20)).toBe(`{"a": 1}\n${'x'.repeat(50)}`)
  })
})

/** A terminal, or a log, that keeps what it is given. */
function stage(isTerminal: boolean, columns = 60) {
  const seen: string[] = []
  const io = {
    isTerminal,
    columns: () => columns,
    rows: () => 10,
    err: (text: string) => seen.push(`${text}\n`),
    draw: (text: string) => seen.push(text),
    signal: new AbortController().signal,
  } as unknown as Io
  return { io, seen }
}

/** What a terminal shows after so much was written to it: it knows the sequences that are used here, and no others. */
function screenOf(text: string): string[] {
  const lines = ['']
  let at = 0
  for (const [part, move, erase, plain] of text.matchAll(/(\x1b\[1A)|(\r?\x1b\[2K)|([^\x1b\r\n]+)|\n/g)) {
    if (move !== undefined) at--
    else if (erase !== undefined) lines[at] = ''
    else if (plain !== undefined) lines[at] += plain
    else if (part === '\n') {
      at++
      lines[at] ??= ''
    }
  }
  return lines
}

describe('shown as it goes on', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] }))
  afterEach(() => void vi.useRealTimers())
  const options = { quiet: false, verbose: false, label: null }

  test('a log: a line for each change, then a sign of life every 30 seconds', () => {
    const { io, seen } = stage(false)
    const progress = showProgress(io, options)
    const told = new Told(1, progress.onEvent)
    told.add(...created(0), observed(0, 'matching'), observed(0, 'matching'))
    expect(seen.map(line => line.slice(9))).toEqual(['job id-0\n', 'status matching\n'])
    progress.onProgress({ type: 'waiting', part: 0, status: 'matching', forMs: 3, nextMs: 30_000 }, told.state)
    vi.advanceTimersByTime(29_000)
    expect(seen).toHaveLength(2)
    vi.advanceTimersByTime(62_000)
    expect(seen.slice(2).map(line => line.slice(9))).toEqual(Array(3).fill('matching, waiting for 3 ms, next poll in 30.0 s\n'))
    progress.stop()
    vi.advanceTimersByTime(90_000)
    expect(seen).toHaveLength(5)
  })

  test('a log of several jobs: the heartbeat line covers all of them', () => {
    const { io, seen } = stage(false)
    const progress = showProgress(io, options)
    const told = new Told(3, progress.onEvent)
    told.add(...uploaded(0), matched(0), ...created(1))
    progress.onProgress({ type: 'waiting', part: 1, status: 'x', forMs: 3, nextMs: 9 }, told.state)
    vi.advanceTimersByTime(31_000)
    expect(seen.at(-1)).toContain('1 of 3 jobs done, 1 active')
    progress.stop()
  })

  test('verbose: transfers every five seconds, not by the piece', () => {
    const { io, seen } = stage(false)
    const progress = showProgress(io, { ...options, verbose: true })
    const told = new Told(1, progress.onEvent)
    for (let sent = 0; sent < 12_000; sent++) {
      progress.onProgress({ type: 'upload', part: 0, sent, total: 12_000 }, told.state)
      vi.advanceTimersByTime(1)
    }
    expect(seen).toHaveLength(3)
    progress.stop()
  })

  test('a terminal: the foot is drawn over, what stays is above it, and nothing is left behind', () => {
    const { io, seen } = stage(true)
    const one = showProgress(io, { ...options, label: 'one', width: 5 })
    const other = showProgress(io, { ...options, label: 'other', width: 5 })
    const told = new Told(3, one.onEvent)
    const second = new Told(1, other.onEvent)
    told.add({ type: 'stage.started', stage: 'upload' }, ...created(0), ...created(1))
    second.add({ type: 'stage.started', stage: 'match' }, observed(0, 'mat\u001b[2Jching'))
    expect(screenOf(seen.join(''))).toEqual([
      'one        0 ms  upload    0 of 3 jobs done, 2 active',
      '  job 1  50,000 rows  created',
      '  job 2  50,000 rows  created',
      'other      0 ms  match     matching',
    ])
    one.onProgress({ type: 'retry', message: 'try again', part: 1 }, told.state)
    expect(screenOf(seen.join(''))[0]).toBe('[one] job 2 of 3: try again')
    one.stop()
    expect(screenOf(seen.join('')).slice(0, 2)).toEqual(['[one] job 2 of 3: try again', 'other      0 ms  match     matching'])
    other.stop()
    expect(screenOf(seen.join('')).filter(line => line !== '')).toEqual(['[one] job 2 of 3: try again'])
  })

  test('several pipelines: each end has a line, and the number of those that are done is shown', () => {
    const log = stage(false)
    const inLog = showSeveral(log.io, 2, false)
    inLog.ended('one', '✓ Success, 8.1 s: 3 of 4 rows matched.')
    expect(log.seen.map(line => line.slice(9))).toEqual([
      '[one] ✓ Success, 8.1 s: 3 of 4 rows matched. (1 of 2 pipelines done)\n',
    ])
    const { io, seen } = stage(true)
    const several = showSeveral(io, 2, false)
    const other = showProgress(io, { ...options, label: 'other' })
    several.ended('one', '✓ Success, 8.1 s: 3 of 4 rows matched.')
    expect(screenOf(seen.join(''))).toEqual([
      '[one] ✓ Success, 8.1 s: 3 of 4 rows matched.',
      '1 of 2 pipelines done',
      'other      0 ms  starting',
    ])
    other.stop()
    several.stop()
    expect(screenOf(seen.join('')).filter(line => line !== '')).toHaveLength(1)
  })

  test('one pipeline alone, or a quiet call, has no such line', () => {
    const { io, seen } = stage(true)
    for (const several of [showSeveral(io, 1, false), showSeveral(io, 2, true)]) {
      several.ended('one', 'done')
      several.stop()
    }
    expect(seen).toEqual([])
  })

  test('a terminal of ten lines never scrolls', () => {
    const { io, seen } = stage(true)
    const progress = showProgress(io, options)
    const told = new Told(40, progress.onEvent)
    for (let part = 0; part < 40; part++) told.add(...created(part))
    expect(screenOf(seen.join('')).filter(line => line !== '')).toHaveLength(8)
    progress.stop()
  })

  test('reading a long list: bytes, share, time left; a short one shows nothing', () => {
    const { io, seen } = stage(true)
    const work = showLongTask(io)
    work.bytes('list.csv', 1_000_000, 9_000_000)
    work.stop()
    expect(seen.join('')).not.toContain('reading')
    const long = showLongTask(io)
    long.bytes('list.csv', 1_000_000, 9_000_000)
    vi.advanceTimersByTime(2_100)
    long.bytes('list.csv', 3_000_000, 9_000_000)
    expect(screenOf(seen.join('')).at(0)).toBe('reading list.csv  3.0 MB of 9.0 MB, 33%, 6.3 s left')
    long.stop()
    expect(screenOf(seen.join('')).filter(line => line !== '')).toEqual([])
  })

  test('importing a register into a log: rows and pace every 30 seconds', () => {
    const { io, seen } = stage(false)
    const work = showLongTask(io)
    work.rows('companies.csv', 10_000)
    vi.advanceTimersByTime(30_000)
    work.rows('companies.csv', 40_000)
    vi.advanceTimersByTime(31_000)
    expect(seen).toEqual(['reading companies.csv  10,000 rows\n', 'reading companies.csv  40,000 rows, 1,000 a second\n'])
    work.stop()
  })
})
