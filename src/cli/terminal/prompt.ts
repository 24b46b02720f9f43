/** Asks questions at a terminal; without a terminal nothing is asked. */

import { createInterface, type Interface } from 'node:readline/promises'
import { StringDecoder } from 'node:string_decoder'
import { escapeTerminal } from '../../report/formats/escape.ts'
import { usageError } from '../command.ts'
import type { Io } from './io.ts'
import { wrapLines } from './wrap.ts'

/** Returns the trimmed answer, null at the end of input. */
export type Prompt = (question: string) => Promise<string | null>

/** Calls `body` with a prompt, or with null in a pipe or in CI. */
export async function withPrompt<T>(io: Io, body: (ask: Prompt | null) => Promise<T>): Promise<T> {
  const prompt = new OpenPrompt(io)
  try {
    return await body(prompt.ask)
  } finally {
    prompt.close()
  }
}

/** A prompt for questions at several places of a command. The terminal is read from the first question until it is closed. */
export class OpenPrompt {
  /** Null in a pipe or in CI. */
  readonly ask: Prompt | null
  readonly #stdin: ReturnType<Io['stdin']> | null
  #lines: Interface | null = null
  readonly #onStop = (): void => this.#lines?.close()
  readonly #signal: AbortSignal

  constructor(io: Io) {
    const stdin = io.isTerminal ? io.stdin() : null
    this.#stdin = stdin?.isTTY === true ? stdin : null
    this.#signal = io.signal
    let reader: AsyncIterator<string> | null = null
    const ask: Prompt = async question => {
      reader ??= this.#open()
      io.draw(wrapLines(question, io.columns()))
      const { value, done } = await reader.next()
      io.signal.throwIfAborted()
      return done === true ? null : value.trim()
    }
    this.ask = this.#stdin === null ? null : ask
  }

  #open(): AsyncIterator<string> {
    // Not `terminal: true`: the terminal itself echoes and edits the line.
    this.#lines = createInterface({ input: this.#stdin!, terminal: false })
    this.#signal.addEventListener('abort', this.#onStop, { once: true })
    return this.#lines[Symbol.asyncIterator]()
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#onStop)
    this.#lines?.close()
    this.#stdin?.destroy()
  }
}

/** Longer than any password: a file piped in by mistake is not read to its end. */
const MAX_LENGTH = 4_096

/** The line as typed, null at the end of the input or for Ctrl-C and Ctrl-D. */
export async function promptSecret(question: string, io: Io): Promise<string | null> {
  const stdin = io.stdin()
  const isTyped = stdin.isTTY === true && stdin.setRawMode !== undefined
  if (isTyped) {
    io.draw(question)
    stdin.setRawMode?.(true)
  }
  const decoder = new StringDecoder('utf8')
  let line = ''
  try {
    for await (const piece of stdin) {
      for (const char of decoder.write(piece as Buffer)) {
        if (char === '\r' || char === '\n') return line
        if (isTyped && (char === '\u0003' || char === '\u0004')) return null
        if (isTyped && (char === '\u007f' || char === '\b')) line = [...line].slice(0, -1).join('')
        else line += char
        if (line.length > MAX_LENGTH) return line
      }
      io.signal.throwIfAborted()
    }
    return line === '' ? null : line
  } finally {
    if (isTyped) {
      stdin.setRawMode?.(false)
      io.draw('\n')
    }
    stdin.destroy()
  }
}

export const isYes = (answer: string | null): boolean => /^y(es)?$/i.test(answer ?? '')

/**
 * Whether a request that may be charged is sent: prints the cost, or asks at a terminal. Throws FETTLE_USAGE without one. `isAgreed`: it
 * was agreed to before; `hint` names the flags that agree.
 */
export async function confirmCost(
  io: Io,
  ask: Prompt | null,
  { cost, isAgreed, isQuiet, hint }: { cost: string; isAgreed: boolean; isQuiet: boolean; hint: string },
): Promise<boolean> {
  if (isAgreed) {
    if (!isQuiet) io.err(escapeTerminal(cost))
    return true
  }
  if (ask === null) throw usageError(`${cost}; nothing was sent, because this is not a terminal to ask at`, hint)
  if (isYes(await ask(escapeTerminal(`${cost}. Send? [y/N] `)))) return true
  io.err('nothing was sent')
  return false
}
