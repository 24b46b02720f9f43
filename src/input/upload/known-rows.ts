/** Which rows of a run have an answer of an earlier run: a file with a bit for each row that has a question. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink } from '../../files/atomic-file.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { questionDigester } from './question.ts'
import { DigestIndex } from './row-dedupe.ts'

export const KNOWN_BITS_FILE = 'known.bits'

const pathIn = (workDir: string): string => join(workDir, KNOWN_BITS_FILE)

export class KnownBits {
  #bytes: Buffer = Buffer.alloc(1024)
  #rows = 0

  constructor(bytes?: Buffer) {
    if (bytes !== undefined) this.#bytes = bytes
  }

  add(isKnown: boolean): void {
    const at = this.#rows++
    if (at >> 3 === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    if (isKnown) this.#bytes[at >> 3]! |= 1 << (at & 7)
  }

  has(row: number): boolean {
    return ((this.#bytes[row >> 3] ?? 0) & (1 << (row & 7))) !== 0
  }

  /** Writes the file and returns its digest. Throws FETTLE_OUTPUT_WRITE. */
  async write(workDir: string): Promise<string> {
    const sink = await openSink(pathIn(workDir))
    try {
      await sink.write(this.#bytes.subarray(0, (this.#rows + 7) >> 3))
      const sha256 = await sink.finish()
      await sink.publish()
      return sha256
    } finally {
      await sink.discard()
    }
  }
}

/** Throws FETTLE_OUTPUT_WRITE when the file is not the one that was written. */
export async function readKnownBits(workDir: string, sha256: string): Promise<KnownBits> {
  const path = pathIn(workDir)
  try {
    const bytes = await readFile(path)
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('it was changed')
    return new KnownBits(bytes)
  } catch (cause) {
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${(cause as Error).message}`, { cause })
  }
}

/** Where the answer to a row is: that of an earlier run, the next that comes back, or that of an equal row (from 0). */
export type AnswerPlace = 'known' | 'next' | number

/** Finds the place of each row that has a question, in their order. */
export function placeFinder(
  { mappings }: Pick<Plan, 'mappings'>,
  bits: KnownBits,
): (uploadRow: readonly string[]) => AnswerPlace {
  const questions = new DigestIndex()
  const questionOf = questionDigester({ mappings })
  let row = -1
  return uploadRow => {
    if (bits.has(++row)) return 'known'
    const { size } = questions
    const number = questions.add(questionOf(uploadRow))
    return number === size ? 'next' : number
  }
}
