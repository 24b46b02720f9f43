/** Stores bytes that can be read only once in a file named by their hash: the same bytes are the same file. */
import { join } from 'node:path'
import { openSink } from './atomic-file.ts'
import { fileDigest } from './file-chunks.ts'

/** Writes the bytes into `folder` (0600, atomically) and returns the path. Throws FETTLE_OUTPUT_WRITE, and what `bytes` throws. */
export async function writeContentAddressed(bytes: AsyncIterable<Uint8Array>, folder: string): Promise<string> {
  const sink = await openSink(join(folder, 'incoming'))
  try {
    for await (const piece of bytes) await sink.write(piece)
    const sha256 = await sink.finish()
    const path = join(folder, `${sha256}.csv`)
    // A process may be reading the existing file: it is not replaced by an equal one.
    if ((await fileDigest(path)) !== sha256) await sink.publish(path)
    return path
  } finally {
    await sink.discard()
  }
}
