/** Reads the lines of a JSON file with their offsets. Only LF separates lines: Node's reader also splits at U+2028, which names may contain. */
import { createReadStream } from 'node:fs'

const LF = 10

export interface Line {
  readonly text: string
  /** Offset of its first byte. */
  readonly start: number
}

export async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0)
  let before = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      yield { text: bytes.toString('utf8', start, end), start: before + start }
      start = end + 1
    }
    before += start
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), start: before }
}
