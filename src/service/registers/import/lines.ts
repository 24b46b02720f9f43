/** The lines of a file of JSON, parted by LF alone, each with its place. (Node's own line reader also parts at U+2028, which names may hold.) */
import { createReadStream } from 'node:fs'

const LF = 10

/** A line without its end. */
export interface Line {
  readonly text: string
  /** Place of its first byte. */
  readonly start: number
}

/** The lines of a file in order. */
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
