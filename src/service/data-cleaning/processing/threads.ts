/**
 * Threads that answer batches of rows, and the stream of rows through them: out in the order they went in. A thread that dies is
 * replaced, and its batches are asked once more; a batch that two threads have died of is given up. Knows no register.
 */
import type { Query } from '../../matching/index.ts'
import type { MatchResult } from '../../registers/engine.ts'

/** Rows per message: enough that the message costs little beside them, few enough that the last ones are soon done. */
const BATCH = 128
/** Batches in a thread at a time: one at work and one waiting, so that no thread waits for this one. */
const IN_HAND = 2
const TRIES = 2

/** A batch on its way. */
interface Errand {
  readonly batch: string
  /** How often a thread has begun with it. */
  tries: number
  readonly done: (results: MatchResult[]) => void
  readonly failed: (error: Error) => void
}

/** What is needed of a worker thread. */
export interface Thread {
  on(event: 'message', listener: (text: string) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
  postMessage(batch: string): void
  terminate(): Promise<unknown>
}

/** A thread and what it has in hand, oldest first; it answers in that order. */
interface Hand {
  readonly thread: Thread
  readonly errands: Errand[]
}

/** Running threads. */
export interface Threads {
  /** Answers rows in their order. Ending it early leaves nothing running but the batches in hand. */
  stream(rows: AsyncIterable<Query>): AsyncGenerator<MatchResult>
  /** Ends all threads; what is in hand fails. */
  close(): Promise<void>
}

/** Threads made by `start`, at most `count`, each when it is first needed. */
export function makeThreads(count: number, start: () => Thread): Threads {
  const hands = new Set<Hand>()
  const queue: Errand[] = []
  let closed = false

  const hire = (): Hand => {
    const hand: Hand = { thread: start(), errands: [] }
    hands.add(hand)
    hand.thread.on('message', (text: string) => {
      hand.errands.shift()?.done(JSON.parse(text) as MatchResult[])
      const next = hand.errands[0]
      if (next !== undefined) next.tries++
      assign()
    })
    let why: Error = new Error('a matching thread ended')
    // 'exit' follows every 'error'.
    hand.thread.on('error', (error: Error) => {
      why = error
    })
    hand.thread.on('exit', () => {
      hands.delete(hand)
      for (const errand of hand.errands.splice(0).reverse()) {
        if (closed || errand.tries >= TRIES) errand.failed(why)
        else queue.unshift(errand)
      }
      assign()
    })
    return hand
  }
  const assign = (): void => {
    while (queue.length > 0 && !closed) {
      const idle = [...hands].sort((a, b) => a.errands.length - b.errands.length)[0]
      const hand = hands.size < count && (idle === undefined || idle.errands.length > 0) ? hire() : idle
      if (hand === undefined || hand.errands.length >= IN_HAND) return
      const errand = queue.shift() as Errand
      hand.errands.push(errand)
      // One that waits behind another is not to blame when the thread dies.
      if (hand.errands.length === 1) errand.tries++
      hand.thread.postMessage(errand.batch)
    }
  }
  const ask = (rows: readonly Query[]): Promise<MatchResult[]> =>
    new Promise((done, failed) => {
      if (closed) return failed(new Error('the matching threads were closed'))
      queue.push({ batch: JSON.stringify(rows), tries: 0, done, failed })
      assign()
    })

  return {
    async *stream(rows) {
      const asked: Promise<MatchResult[]>[] = []
      const most = count * IN_HAND + 1
      let batch: Query[] = []
      const send = (): void => {
        const answer = ask(batch)
        // Awaited in its turn; until then a failure must not count as unhandled.
        answer.catch(() => {})
        asked.push(answer)
        batch = []
      }
      for await (const row of rows) {
        batch.push(row)
        if (batch.length < BATCH) continue
        send()
        if (asked.length >= most) yield* (await asked.shift()) ?? []
      }
      if (batch.length > 0) send()
      for (const answer of asked) yield* await answer
    },
    async close() {
      closed = true
      for (const errand of queue.splice(0)) errand.failed(new Error('the matching threads were closed'))
      await Promise.all([...hands].map(({ thread }) => thread.terminate()))
    },
  }
}

/**
 * Streams rows through threads once there are more than `few` of them: those are answered here, and a small job costs no thread's
 * start.
 */
export const streamBeyond = (few: number, here: (query: Query) => MatchResult, threads: Threads) =>
  async function* (queries: AsyncIterable<Query>): AsyncGenerator<MatchResult> {
    const rows = queries[Symbol.asyncIterator]()
    try {
      for (let row = 0; row < few; row++) {
        const next = await rows.next()
        if (next.done) return
        yield here(next.value)
      }
      yield* threads.stream({ [Symbol.asyncIterator]: () => rows })
    } finally {
      await rows.return?.()
    }
  }
