/** Reads the file of an imported list: one entry a line, proved by its digest. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

const NEWLINE = 10

/** The lines of a file with their bytes. Throws at the end when its last line is cut off or its digest differs. */
export async function* readProvedLines(path: string, sha256: string): AsyncGenerator<Buffer> {
  const handle = await open(path)
  const digest = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of handle.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    digest.update(chunk)
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, from)) {
      yield data.subarray(from, end + 1)
      from = end + 1
    }
    rest = data.subarray(from)
  }
  if (rest.length > 0) throw new Error('its last line is cut off')
  if (digest.digest('hex') !== sha256) throw new Error('it is not the file that was imported')
}
