/** What happens to each row of a run that has a question: a file with two bits for each. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink } from '../../files/atomic-file.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { questionDigester } from './question.ts'
import { DigestIndex } from './row-dedupe.ts'

/**
 * Whether most rows have an earlier answer. Parsing is then the smaller part of the work with a row, and the input is parsed without a
 * second thread: its memory would be a sixth of that of the run.
 */
export const hasMostlyKnown = ({ known, sent }: Pick<Plan, 'known' | 'sent'>): boolean =>
  known !== undefined && sent < known.sent / 2

export const KNOWN_BITS_FILE = 'known.bits'

const pathIn = (workDir: string): string => join(workDir, KNOWN_BITS_FILE)

/** It has an answer of an earlier run, goes up, or has the question of another row that goes up. */
const FATES = ['repeated', 'known', 'sent'] as const
export type RowFate = (typeof FATES)[number]

export class KnownBits {
  #bytes: Buffer = Buffer.alloc(1024)
  #rows = 0

  constructor(bytes?: Buffer) {
    if (bytes !== undefined) this.#bytes = bytes
  }

  add(fate: RowFate): void {
    const at = this.#rows++
    if (at >> 2 === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    this.#bytes[at >> 2]! |= FATES.indexOf(fate) << (2 * (at & 3))
  }

  fate(row: number): RowFate {
    return FATES[((this.#bytes[row >> 2] ?? 0) >> (2 * (row & 3))) & 3] ?? 'repeated'
  }

  /** The content of the file. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, (this.#rows + 3) >> 2)
  }

  /** Writes the file and returns its digest. Throws FETTLE_OUTPUT_WRITE. */
  async write(workDir: string): Promise<string> {
    const sink = await openSink(pathIn(workDir))
    try {
      await sink.write(this.bytes)
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

/**
 * Finds the place of each row that has a question, in their order. Equal rows are numbered among those that come back; of joined shards among
 * all that have an answer: an earlier shard may have known what a later one left to it.
 */
export function placeFinder(
  { mappings, merged }: Pick<Plan, 'mappings' | 'merged'>,
  bits: KnownBits,
): (uploadRow: readonly string[]) => AnswerPlace {
  const questions = new DigestIndex()
  const numbers: number[] = []
  const questionOf = questionDigester({ mappings })
  let row = -1
  let answers = 0
  return uploadRow => {
    const fate = bits.fate(++row)
    if (fate === 'known' && merged === undefined) return 'known'
    const question = questionOf(uploadRow)
    if (fate === 'repeated') return numbers[questions.find(question)] ?? missing(row)
    const { size } = questions
    if (questions.add(question) === size) numbers.push(answers)
    answers++
    return fate === 'known' ? 'known' : 'next'
  }
}

function missing(row: number): never {
  throw new FettleError('FETTLE_LEDGER', `row ${row + 1} of those with a question repeats no row before it`)
}
