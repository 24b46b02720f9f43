/** Finds earlier answers by question in files of answers: up to 20 bytes of memory for each answer, whose digests stay in the files. */
import type { ListFacts } from '../../model/list-facts.ts'
import { addedColumns } from '../enriched-columns.ts'
import { COMPANY_TAGS, NAME_TAGS } from '../enriched-file.ts'
import type { AnswerFile, AnswerOutcome, AnswerSource } from './answer-file.ts'

export interface FoundAnswer {
  readonly outcome: AnswerOutcome
  readonly source: AnswerSource
  /** Number of the source over all files. */
  readonly sourceNumber: number
  /** It has the tags that are asked for now. */
  readonly isWide: boolean
  /** Too old by the age that it was stored with. */
  readonly isExpired: boolean
  /** The cells as JSON. */
  readonly line: () => Buffer
  /** The id of the company found, '' without one. */
  readonly company: () => string
  readonly companyName: () => string
}

interface OpenFile {
  readonly file: AnswerFile
  readonly isWide: boolean
  readonly firstSource: number
  /** The number of its first record among those of all files. */
  readonly start: number
}

/** What is asked of the answers. */
export interface KnownFor {
  readonly tags: readonly string[]
  readonly pipeline: string
  /** Whether keys of the pipeline are compared. */
  readonly hasKeys: boolean
  readonly facts: ListFacts | null
  readonly lacksFacts: boolean
  readonly now: number
}

export class KnownAnswers {
  /** What was known of the list, for these answers; null where that is unknown. */
  readonly facts: ListFacts | null
  /** There are answers that depend on facts of the list which the service has not reported to this pipeline yet: none of them is used. */
  readonly lacksFacts: boolean
  readonly sources: readonly AnswerSource[]
  readonly count: number
  readonly #files: readonly OpenFile[]
  readonly #questions: Slots
  readonly #keys: Slots | null
  readonly #companyColumns = new Map<AnswerSource, Readonly<Record<'id' | 'name', readonly number[]>>>()

  readonly #now: number

  constructor(files: readonly AnswerFile[], { tags, pipeline, hasKeys, facts, lacksFacts, now }: KnownFor) {
    this.facts = facts
    this.lacksFacts = lacksFacts
    this.#now = now
    let firstSource = 0
    let start = 0
    this.#files = files.map(file => {
      const isWide = tags.every(tag => file.facts.tags.includes(tag))
      const one = { file, isWide, firstSource, start }
      firstSource += file.facts.sources.length
      start += file.count
      return one
    })
    this.count = start
    this.sources = files.flatMap(({ facts }) => facts.sources)
    this.#questions = slotsFor(start)
    this.#keys = hasKeys ? slotsFor(start) : null
    for (const { file, start } of this.#files)
      for (let at = 0; at < file.count; at++) {
        this.#addQuestion(file.question(at), start + at)
        if (hasKeys && file.facts.pipeline === pipeline) this.#addKey(file.key(at), start + at)
      }
  }

  /** The line of the answer to a question; null for none. */
  lineOf(question: Buffer): Buffer | null {
    const number = this.#find(question)
    if (number === -1) return null
    const { file, start } = this.#fileOf(number)
    return file.line(number - start)
  }

  find(question: Buffer): FoundAnswer | null {
    const number = this.#find(question)
    if (number === -1) return null
    const { file, start, isWide, firstSource } = this.#fileOf(number)
    const at = number - start
    const outcome = file.outcome(at)
    if (outcome === null) return null
    const source = file.facts.sources[file.source(at)]!
    const line = (): Buffer => file.line(at)
    const company = (): string => this.#cellOf('id', line(), source)
    const companyName = (): string => this.#cellOf('name', line(), source)
    const isExpired = file.facts.expires <= this.#now
    return { outcome, source, sourceNumber: firstSource + file.source(at), isWide, isExpired, line, company, companyName }
  }

  /** The number of the answer to a question, -1 without one. */
  #find(question: Buffer): number {
    return this.#questions.numbers[this.#slotOf(this.#questions, question, 'question')]! - 1
  }

  #cellOf(what: 'id' | 'name', line: Buffer, source: AnswerSource): string {
    let columns = this.#companyColumns.get(source)
    if (columns === undefined) {
      const { find } = addedColumns(source.columns)
      const placesOf = (names: readonly string[]): number[] => names.map(name => find(name)).filter(at => at !== -1)
      columns = { id: placesOf(COMPANY_TAGS), name: placesOf(NAME_TAGS) }
      this.#companyColumns.set(source, columns)
    }
    const cells = JSON.parse(line.toString()) as string[]
    return columns[what].map(at => cells[at]?.trim() ?? '').find(cell => cell !== '') ?? ''
  }

  hasKey(key: Buffer): boolean {
    return this.#keys !== null && this.#keys.numbers[this.#slotOf(this.#keys, key, 'key')] !== 0
  }

  close(): void {
    for (const { file } of this.#files) file.close()
  }

  #fileOf(number: number): OpenFile {
    const files = this.#files
    let low = 0
    let high = files.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (files[middle]!.start <= number) low = middle
      else high = middle - 1
    }
    return files[low]!
  }

  /** The slot of a digest, or the free one where it belongs. */
  #slotOf({ numbers, tags }: Slots, digest: Buffer, name: 'question' | 'key'): number {
    const mask = numbers.length - 1
    for (let slot = digest.readUInt32LE(0) & mask; ; slot = (slot + 1) & mask) {
      const number = numbers[slot]!
      if (number === 0) return slot
      if (tags[slot] !== digest[TAG]) continue
      const { file, start } = this.#fileOf(number - 1)
      if (file[name](number - 1 - start).equals(digest)) return slot
    }
  }

  #put(slots: Slots, digest: Buffer, slot: number, number: number): void {
    slots.numbers[slot] = number + 1
    slots.tags[slot] = digest[TAG]!
  }

  /** Of several answers to a question the newest is used, before it one with all the tags. */
  #addQuestion(question: Buffer, number: number): void {
    const slot = this.#slotOf(this.#questions, question, 'question')
    const other = this.#questions.numbers[slot]!
    if (other === 0 || this.#isBetter(number, other - 1)) this.#put(this.#questions, question, slot, number)
  }

  #addKey(key: Buffer, number: number): void {
    const slot = this.#slotOf(this.#keys!, key, 'key')
    if (this.#keys!.numbers[slot] === 0) this.#put(this.#keys!, key, slot, number)
  }

  #isBetter(one: number, other: number): boolean {
    const [a, b] = [this.#fileOf(one), this.#fileOf(other)]
    if (a.isWide !== b.isWide) return a.isWide
    const timeOf = ({ file, start }: OpenFile, number: number): string =>
      file.facts.sources[file.source(number - start)]?.at ?? ''
    return timeOf(a, one) > timeOf(b, other)
  }
}

/** Numbers of answers plus one, 0 for a free slot, each with a byte of its digest: few are then compared in their file. */
interface Slots {
  readonly numbers: Uint32Array
  readonly tags: Uint8Array
}

/** The byte of a digest that is a tag: not one of the first four, which choose the slot. */
const TAG = 5

/** A power of two, at least twice as many. */
function slotsFor(count: number): Slots {
  const size = 2 ** Math.ceil(Math.log2(Math.max(16, 2 * count)))
  return { numbers: new Uint32Array(size), tags: new Uint8Array(size) }
}
