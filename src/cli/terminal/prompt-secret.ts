/** Reads a secret: hidden at a terminal, otherwise the first line of stdin. */

import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Io } from './io.ts'

/** Longer than any password: a file piped in by mistake is not read to its end. */
const MAX_LENGTH = 4_096

interface Terminal extends Readable {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

/** The line as typed, null at the end of the input or for Ctrl-C and Ctrl-D. */
export async function promptSecret(question: string, io: Io): Promise<string | null> {
  const stdin: Terminal = io.stdin()
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
