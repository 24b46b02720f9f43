/**
 * Checksums of the lines of a journal. Each line ends with one over itself and the checksum of the line before, so that a line
 * that was changed, removed, added or moved is found. Pure; it reads no file and no event.
 */
import { createHash } from 'node:crypto'

/** What a line ends with. */
const SUM = /^,"sum":"([0-9a-f]{16})"\}$/
const SUM_LENGTH = ',"sum":"0123456789abcdef"}'.length

/** A line without its checksum, and the checksum, null where it has none. */
function cut(line: string): { readonly json: string; readonly sum: string | null } {
  const sum = SUM.exec(line.slice(-SUM_LENGTH))?.[1]
  return sum === undefined ? { json: line, sum: null } : { json: `${line.slice(0, -SUM_LENGTH)}}`, sum }
}

/** The lines of one journal in their order. A journal of before there were checksums may begin with lines without one. */
export class Checksums {
  #last = ''
  /** A line carried a checksum: every later one must. */
  #required = false

  /** The line of an event's JSON, with its checksum. The next line follows on it once it is `accept`ed. */
  seal(json: string): string {
    return `${json.slice(0, -1)},"sum":"${this.#next(json)}"}`
  }

  /** The next line as it was read or written; returns what is wrong with it, null when nothing is. */
  accept(line: string): string | null {
    const { json, sum } = cut(line)
    const expected = this.#next(json)
    if (sum === null && this.#required) return 'its checksum is missing'
    if (sum !== null && sum !== expected)
      return 'its checksum does not match: it was changed, or a line before it was changed or removed'
    this.#required = sum !== null
    this.#last = expected
    return null
  }

  #next(json: string): string {
    return createHash('sha256').update(this.#last).update(json).digest('hex').slice(0, 16)
  }
}

/** Lines without their checksums, each sealed as the lines of a new journal. */
export function resealed(lines: readonly string[]): string[] {
  const sums = new Checksums()
  return lines.map(line => {
    const sealed = sums.seal(cut(line).json)
    sums.accept(sealed)
    return sealed
  })
}
