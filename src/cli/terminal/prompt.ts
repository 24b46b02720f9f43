/** Questions to whoever sits at the terminal; nobody is asked elsewhere. It knows no question. */
import { createInterface } from 'node:readline/promises'
import type { Io } from './io.ts'

/** Asks and gives the answer without the spaces around it; null when there will be none. */
export type Prompt = (question: string) => Promise<string | null>

/** Lets `body` ask, or gives it null where nobody watches: in a pipe, in CI. */
export async function withPrompt<T>(io: Io, body: (ask: Prompt | null) => Promise<T>): Promise<T> {
  const stdin = io.isTerminal ? io.stdin() : null
  if (stdin?.isTTY !== true) return body(null)
  // The terminal itself echoes and edits the line.
  const lines = createInterface({ input: stdin, terminal: false })
  const reader = lines[Symbol.asyncIterator]()
  const onStop = (): void => lines.close()
  io.signal.addEventListener('abort', onStop, { once: true })
  try {
    return await body(async question => {
      io.draw(question)
      const { value, done } = await reader.next()
      io.signal.throwIfAborted()
      return done === true ? null : value.trim()
    })
  } finally {
    io.signal.removeEventListener('abort', onStop)
    lines.close()
    stdin.destroy()
  }
}
