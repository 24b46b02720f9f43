/** Parses long tables in a thread beside what is done with their rows: one thread for all tables of the process. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Options } from 'csv-parse'
import { packageFile } from '../../package-file.ts'
import type { Answer, FromThread, PackedRows, ToThread } from './row-thread.ts'

/** Below this many bytes, starting a thread costs more than it saves. */
const LONG_BYTES = 8 * 1024 ** 2
/** Pieces on their way: one that is parsed and one that waits. */
const AHEAD = 2

/** The program of the thread, null when fettle runs from its sources: then tables are parsed where their rows are used. */
const SCRIPT = import.meta.url.endsWith('.js') ? () => packageFile('dist/row-thread.js') : null

export const isParsedAside = (bytes: number): boolean => bytes >= LONG_BYTES && SCRIPT !== null && availableParallelism() > 1

type Listener = (answer: Answer | Error) => void

/** A thread and who waits for its answers, by the number of the table; it ends with the last of them. */
class RowThread {
  static #current: RowThread | null = null
  readonly #worker: Worker
  readonly #listeners = new Map<number, Listener>()
  #tables = 0

  private constructor(script: string) {
    // Flags of the program, such as --input-type or --import, are not for the thread.
    this.#worker = new Worker(script, { execArgv: [], env: {}, resourceLimits: { maxYoungGenerationSizeMb: 8 } })
    this.#worker.on('message', (answer: FromThread) => this.#listeners.get(answer.table)?.(answer))
    this.#worker.on('error', error => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the thread that parses tables ended')))
  }

  /** Opens a table in the thread of this process, which is started for the first table. */
  static open(script: string, options: Options, listener: Listener): { thread: RowThread; table: number } {
    RowThread.#current ??= new RowThread(script)
    const thread = RowThread.#current
    const table = thread.#tables++
    thread.#listeners.set(table, listener)
    thread.post({ table, open: options })
    return { thread, table }
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message, 'piece' in message ? [message.piece.buffer] : [])
  }

  async close(table: number): Promise<void> {
    this.post({ table, close: true })
    this.#listeners.delete(table)
    if (this.#listeners.size > 0) return
    if (RowThread.#current === this) RowThread.#current = null
    await this.#worker.terminate()
  }

  #fail(error: Error): void {
    if (RowThread.#current === this) RowThread.#current = null
    for (const listener of this.#listeners.values()) listener(error)
  }
}

/** The rows of a table, in their order. Throws what the parser throws, and errors of the table. */
export async function* parseAside(
  body: AsyncIterable<Uint8Array>,
  options: Options,
  script = SCRIPT?.() ?? '',
): AsyncGenerator<string[]> {
  const pieces = body[Symbol.asyncIterator]()
  const waiting: (Answer | Error)[] = []
  let wake = (): void => {}
  const { thread, table } = RowThread.open(script, options, answer => {
    waiting.push(answer)
    wake()
  })
  const ask = async (): Promise<boolean> => {
    const next = await pieces.next()
    // A copy: the piece is valid until the next one is read only.
    thread.post(next.done ? { table, end: true } : { table, piece: new Uint8Array(next.value) })
    return next.done !== true
  }
  try {
    let asked = 0
    let isMore = true
    for (;;) {
      while (isMore && asked < AHEAD) {
        isMore = await ask()
        asked++
      }
      while (waiting.length === 0)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      const answer = waiting.shift()!
      if (answer instanceof Error) throw answer
      if ('error' in answer) throw Object.assign(new Error(String(answer.error.message)), answer.error)
      if ('end' in answer) return
      asked--
      yield* unpackRows(answer.rows)
    }
  } finally {
    await thread.close(table)
    await pieces.return?.()
  }
}

/** Every cell is a separate string: a part of a long one would keep all of it in memory. */
function* unpackRows({ bytes, ends, isAscii }: PackedRows): Generator<string[]> {
  const text = Buffer.from(bytes.buffer)
  const encoding = isAscii ? 'latin1' : 'utf8'
  let from = 0
  for (let at = 0; at < ends.length; ) {
    const row = new Array<string>(ends[at++]!)
    for (let cell = 0; cell < row.length; cell++) {
      const end = ends[at++]!
      row[cell] = end === from ? '' : text.toString(encoding, from, end)
      from = end
    }
    yield row
  }
}
