/**
 * Starts the worker threads of the service, whose programs are files of the package: streams rows through those that match, in order, and
 * enriches the files of long jobs. A matching thread that dies is replaced and its batches are retried once.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { packageFile } from '../../../package-file.ts'
import { makeGate } from '../../auth/gate.ts'
import type { ListFacts, Query } from '../../matching/index.ts'
import type { Engine, MatchResult } from '../../registers/engine.ts'
import type { EnrichWork, ThreadData } from './enrich-thread.ts'
import { Stopped } from './job-pace.ts'

/** What a row leaves behind is short-lived: with less room for it a thread takes 40 to 45 MB less, in the same time. */
const YOUNG_MB = { 'match-thread': 8, 'enrich-thread': 4 }

/** Null when the service runs from its sources: then it works on one thread. */
export function threadStart(program: keyof typeof YOUNG_MB): ((workerData: object) => Worker) | null {
  if (!import.meta.url.endsWith('.js')) return null
  const script = packageFile(`dist/${program}.js`)
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB[program] }
  return workerData => new Worker(script, { resourceLimits, execArgv: [], env: {}, workerData })
}

/** Rows per message: large enough to make messages cheap, small enough that the last batch ends soon. */
const BATCH = 128
/** Batches per thread: one running and one waiting, so that a thread is never idle. */
const PER_THREAD = 2
const TRIES = 2

/** The message to a thread, as JSON. */
export interface Batch {
  readonly rows: readonly Query[]
  /** What is known of the list of the rows. */
  readonly list: ListFacts
}

interface Task {
  readonly batch: string
  tries: number
  readonly done: (results: MatchResult[]) => void
  readonly failed: (error: Error) => void
}

interface Thread {
  on(event: 'message', listener: (text: string) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
  postMessage(batch: string): void
  terminate(): Promise<unknown>
}

/** A thread and its tasks, oldest first; it answers in this order. */
type Slot = { readonly thread: Thread; readonly tasks: Task[] }

/** Starts at most `count` threads with `start`, each when it is needed. */
export class Threads {
  readonly #count: number
  readonly #start: () => Thread
  readonly #slots = new Set<Slot>()
  readonly #queue: Task[] = []
  #closed = false

  constructor(count: number, start: () => Thread) {
    this.#count = count
    this.#start = start
  }

  /** Answers rows in order. When it ends early, only the batches already sent still run. */
  async *stream(rows: AsyncIterable<Query>, list: ListFacts): AsyncGenerator<MatchResult> {
    const pending: Promise<MatchResult[]>[] = []
    const most = this.#count * PER_THREAD + 1
    let batch: Query[] = []
    const send = (): void => {
      const answer = this.#enqueue(batch, list)
      // Awaited later; until then a failure must not count as unhandled.
      answer.catch(() => {})
      pending.push(answer)
      batch = []
    }
    for await (const row of rows) {
      batch.push(row)
      if (batch.length < BATCH) continue
      send()
      if (pending.length >= most) yield* (await pending.shift()) ?? []
    }
    if (batch.length > 0) send()
    for (const answer of pending) yield* await answer
  }

  /** Ends the threads without a batch: their memory is free, and they are started again when they are needed. */
  async endIdle(): Promise<void> {
    const idle = [...this.#slots].filter(({ tasks }) => tasks.length === 0)
    for (const slot of idle) this.#slots.delete(slot)
    await Promise.all(idle.map(({ thread }) => thread.terminate()))
  }

  /** Ends all threads; pending batches fail. */
  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#queue.splice(0)) task.failed(new Error('the matching threads were closed'))
    await Promise.all([...this.#slots].map(({ thread }) => thread.terminate()))
  }

  #startThread(): Slot {
    const slot: Slot = { thread: this.#start(), tasks: [] }
    this.#slots.add(slot)
    slot.thread.on('message', (text: string) => {
      slot.tasks.shift()?.done(JSON.parse(text) as MatchResult[])
      const next = slot.tasks[0]
      if (next !== undefined) next.tries++
      this.#assign()
    })
    let reason: Error = new Error('a matching thread ended')
    // 'exit' follows every 'error'.
    slot.thread.on('error', (error: Error) => {
      reason = error
    })
    slot.thread.on('exit', () => {
      this.#slots.delete(slot)
      for (const task of slot.tasks.splice(0).reverse()) {
        if (this.#closed || task.tries >= TRIES) task.failed(reason)
        else this.#queue.unshift(task)
      }
      this.#assign()
    })
    return slot
  }

  #assign(): void {
    while (this.#queue.length > 0 && !this.#closed) {
      const idle = [...this.#slots].sort((a, b) => a.tasks.length - b.tasks.length)[0]
      const slot = this.#slots.size < this.#count && (idle === undefined || idle.tasks.length > 0) ? this.#startThread() : idle
      if (slot === undefined || slot.tasks.length >= PER_THREAD) return
      const task = this.#queue.shift() as Task
      slot.tasks.push(task)
      // A batch that waits behind a running batch did not cause the death of the thread.
      if (slot.tasks.length === 1) task.tries++
      slot.thread.postMessage(task.batch)
    }
  }

  #enqueue(rows: readonly Query[], list: ListFacts): Promise<MatchResult[]> {
    return new Promise((done, failed) => {
      if (this.#closed) return failed(new Error('the matching threads were closed'))
      this.#queue.push({ batch: JSON.stringify({ rows, list } satisfies Batch), tries: 0, done, failed })
      this.#assign()
    })
  }
}

/**
 * Streams rows through threads after the first `few`, which are answered on this thread, so that a small job starts none. `ready` is called
 * before the threads are used.
 */
export const streamBeyond = (
  few: number,
  here: (query: Query, list: ListFacts) => MatchResult,
  threads: Threads,
  ready: () => Promise<void> = async () => {},
) =>
  async function* (queries: AsyncIterable<Query>, list: ListFacts): AsyncGenerator<MatchResult> {
    const rows = queries[Symbol.asyncIterator]()
    try {
      for (let row = 0; row < few; row++) {
        const next = await rows.next()
        if (next.done) return
        yield here(next.value, list)
      }
      await ready()
      yield* threads.stream({ [Symbol.asyncIterator]: () => rows }, list)
    } finally {
      await rows.return?.()
    }
  }

/** Below this many rows, starting a thread costs more than it saves. */
const MANY_ROWS = 2_000

/** A thread for each core; the other jobs wait. */
const onFreeCore = makeGate({
  atOnce: availableParallelism(),
  waiting: Number.POSITIVE_INFINITY,
  laneWaiting: Number.POSITIVE_INFINITY,
  refusal: () => new TypeError('every job may wait'),
})

/** Enriches the file of a long job in a separate thread, so that requests and other jobs go on; null where this thread does as well. */
export function enrichAside({ image, registers }: Engine, rows: number) {
  const start = threadStart('enrich-thread')
  if (image === undefined || start === null || rows < MANY_ROWS) return null
  return (work: EnrichWork, signal: AbortSignal): Promise<string[]> =>
    onFreeCore('', async () => {
      const workerData: ThreadData = { ...work, image: await image(), registers }
      return readAnswer(start(workerData), signal)
    })
}

/**
 * What the thread answers: the countries of the matched companies. Throws what the thread throws, and Stopped once the signal is
 * aborted; the thread has ended then.
 */
export function readAnswer(thread: Worker, signal: AbortSignal): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let end = (): void => reject(new Error('the thread that enriches a file ended'))
    const stop = (): void => {
      end = () => reject(new Stopped())
      void thread.terminate()
    }
    thread.on('message', (countries: string[]) => {
      end = () => resolve(countries)
    })
    thread.on('error', error => {
      end = () => reject(error)
    })
    // After the message or the error.
    thread.on('exit', () => {
      signal.removeEventListener('abort', stop)
      end()
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}
