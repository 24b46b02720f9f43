/**
 * Bytes that can be read only once, kept as a file that can be read again. Its name is the hash of its content: the same bytes are
 * the same file. It knows neither where they come from nor how long they are needed.
 */
import { join } from 'node:path'
import { openSink } from './atomic-file.ts'
import { fileDigest } from './digest.ts'

/** Writes the bytes into `folder` (0600, whole or not at all) and gives the path. Throws FETTLE_OUTPUT_WRITE, and what `bytes` throws. */
export async function writeContentAddressed(bytes: AsyncIterable<Uint8Array>, folder: string): Promise<string> {
  const sink = await openSink(join(folder, 'incoming'))
  try {
    for await (const piece of bytes) await sink.write(piece)
    const sha256 = await sink.finish()
    const path = join(folder, `${sha256}.csv`)
    // Whoever reads the same bytes from there now must not find another file under their hands.
    if ((await fileDigest(path)) !== sha256) await sink.publish(path)
    return path
  } finally {
    await sink.discard()
  }
}
