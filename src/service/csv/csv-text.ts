/** Checks that an uploaded file is UTF-8 text, and names the line of the first fault. */
import { isUtf8 } from 'node:buffer'

/** The file cannot be read; the message names the line and the reason. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault'
}

const LF = 10

/** Counts line feeds; a lone CR does not end a line, as in most editors. */
function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1
  return lines
}

function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= 3; back++) {
    const byte = bytes.at(-back) ?? 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length
    if (byte < 0x80) break
  }
  return bytes.length
}

/** Passes the bytes on. Throws a CsvFault at the first line that holds a NUL or is not UTF-8. */
export async function* checkText(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let lines = 0
  let rest: Buffer = Buffer.alloc(0)
  const check = (bytes: Buffer): Buffer => {
    if (!bytes.includes(0) && isUtf8(bytes)) {
      lines += countLines(bytes)
      return bytes
    }
    for (let start = 0; start < bytes.length; lines += 1) {
      const end = bytes.indexOf(LF, start) + 1
      const line = bytes.subarray(start, end === 0 ? bytes.length : end)
      if (line.includes(0)) throw new CsvFault(`line ${lines + 1}: the file is not text: it has a NUL byte`)
      if (!isUtf8(line)) throw new CsvFault(`line ${lines + 1}: the file is not UTF-8`)
      start += line.length
    }
    return bytes
  }
  for await (const chunk of source) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const complete = completeLength(bytes)
    rest = bytes.subarray(complete)
    yield check(bytes.subarray(0, complete))
  }
  if (rest.length > 0) yield check(rest)
}
