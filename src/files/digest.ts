/** Digests by which texts and files are known again. It knows nothing of what is in them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** 16 bytes of SHA-256: enough that two different texts are never taken for one, and few enough to keep one for every row. */
export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16)

/** SHA-256 of a file in hexadecimal; null for one that cannot be read. */
export async function fileDigest(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
    return hash.digest('hex')
  } catch {
    return null
  }
}
