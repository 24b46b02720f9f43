/** Asks questions at a terminal; without a terminal nothing is asked. */
import { createInterface } from 'node:readline/promises'
import type { Io } from './io.ts'

/** Returns the trimmed answer, null at the end of input. */
export type Prompt = (question: string) => Promise<string | null>

/** Calls `body` with a prompt, or with null in a pipe or in CI. */
export async function withPrompt<T>(io: Io, body: (ask: Prompt | null) => Promise<T>): Promise<T> {
  const stdin = io.isTerminal ? io.stdin() : null
  if (stdin?.isTTY !== true) return body(null)
  // Not `terminal: true`: the terminal itself echoes and edits the line.
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
