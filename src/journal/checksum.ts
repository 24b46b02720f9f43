/**
 * Checksums of journal lines. Each line ends with one over itself and the checksum of the line before, so that a changed, removed,
 * added or moved line is found.
 */
import { createHash } from 'node:crypto'

const SUM = /^,"sum":"([0-9a-f]{16})"\}$/
const SUM_LENGTH = ',"sum":"0123456789abcdef"}'.length

export function cut(line: string): { readonly json: string; readonly sum: string | null } {
  const sum = SUM.exec(line.slice(-SUM_LENGTH))?.[1]
  return sum === undefined ? { json: line, sum: null } : { json: `${line.slice(0, -SUM_LENGTH)}}`, sum }
}

/** The checksums of one journal, line by line. */
export class Checksums {
  /** The checksum after each line; the last one depends on the whole journal. */
  readonly heads: string[] = []

  /** Adds the checksum to the JSON of an event. The line counts for the next one once it is `accept`ed. */
  seal(json: string): string {
    return `${json.slice(0, -1)},"sum":"${this.#next(json)}"}`
  }

  accept(line: string): string | null {
    const { json, sum } = cut(line)
    const expected = this.#next(json)
    if (sum === null) return 'its checksum is missing'
    if (sum !== expected) return 'its checksum does not match: it was changed, or a line before it was changed or removed'
    this.heads.push(expected)
    return null
  }

  #next(json: string): string {
    return createHash('sha256')
      .update(this.heads.at(-1) ?? '')
      .update(json)
      .digest('hex')
      .slice(0, 16)
  }
}

export function resealed(lines: readonly string[]): string[] {
  const sums = new Checksums()
  return lines.map(line => {
    const sealed = sums.seal(cut(line).json)
    sums.accept(sealed)
    return sealed
  })
}
