/** Finds earlier answers by their keys in the files of a folder. Their digests stay in the files: memory does not grow with them. */
import { join } from 'node:path'
import { listKept } from '../files/kept-files.ts'
import { addedColumns } from '../results/enriched-columns.ts'
import { companyIn, NAME_TAGS } from '../results/enriched-file.ts'
import { type AnswerSource, AnswersFile, readCells, type StoredOutcome } from './files/answers.ts'

const ENDING = '.answers'

/** The names of the files of answers in a folder. Throws FETTLE_OUTPUT_WRITE for one that is there and cannot be read. */
const answerFilesIn = (folder: string): string[] =>
  listKept(folder).filter(name => name.endsWith(ENDING) && !name.startsWith('.'))

/** Opens all files of a folder as they are at one time: another run may replace some just now. */
export function openFiles(folder: string): AnswersFile[] {
  for (;;) {
    const names = answerFilesIn(folder)
    const files: AnswersFile[] = []
    try {
      for (const name of names) {
        const file = AnswersFile.open(join(folder, name))
        if (file !== null) files.push(file)
      }
    } catch (error) {
      for (const file of files) file.close()
      throw error
    }
    if (files.length === names.length) return files
    for (const file of files) file.close()
  }
}

/** Gives `body` all files of a folder, and closes them. */
export async function withFiles<T>(folder: string, body: (files: readonly AnswersFile[]) => T | Promise<T>): Promise<T> {
  const files = openFiles(folder)
  try {
    return await body(files)
  } finally {
    for (const file of files) file.close()
  }
}

export interface FoundAnswer {
  readonly outcome: StoredOutcome
  readonly source: AnswerSource
  /** Number of the source over all files. */
  readonly sourceNumber: number
  /** It has the tags that are asked for now. */
  readonly isWide: boolean
  /** Too old by the age that it was stored with. */
  readonly isExpired: boolean
  /** The cells as JSON. */
  readonly text: () => string
  /** The id and the name of the company found, '' without one. */
  readonly company: () => { readonly id: string; readonly name: string }
}

interface OpenFile {
  readonly file: AnswersFile
  readonly isWide: boolean
  readonly firstSource: number
}

/** The company of a line of cells. */
export function companyOf(cells: readonly string[], { columns }: Pick<AnswerSource, 'columns'>): { id: string; name: string } {
  const added = addedColumns(columns)
  const name = NAME_TAGS.map(tag => cells[added.find(tag)]?.trim() ?? '').find(cell => cell !== '') ?? ''
  return { id: companyIn(cells, added), name }
}

/** The answers of a scope. Its methods throw FETTLE_OUTPUT_WRITE. Always call `close`. */
export class KnownAnswers {
  readonly sources: readonly AnswerSource[]
  readonly count: number
  readonly #files: readonly OpenFile[]
  readonly #now: number

  private constructor(files: readonly AnswersFile[], tags: readonly string[], now: number) {
    let firstSource = 0
    this.#files = files.map(file => {
      const isWide = tags.every(tag => file.facts.tags.includes(tag))
      const found = { file, isWide, firstSource }
      firstSource += file.facts.sources.length
      return found
    })
    this.#now = now
    this.sources = files.flatMap(({ facts }) => facts.sources)
    this.count = files.reduce((sum, { count }) => sum + count, 0)
  }

  /** `tags`: those that are asked for now. A folder that does not exist has no answers. */
  static open(folder: string, tags: readonly string[], now: number): KnownAnswers {
    return new KnownAnswers(openFiles(folder), tags, now)
  }

  /** Of several answers to a key the newest is used, before it one with all the tags. One of a clock that was set back since is the last. */
  find(key: Buffer): FoundAnswer | null {
    let best: { readonly open: OpenFile; readonly at: number; readonly time: number; readonly rank: number } | null = null
    for (const open of this.#files) {
      const at = open.file.find(key)
      if (at === -1) continue
      const time = open.file.time(at)
      const rank = time > this.#now ? -1 : time
      if (best === null || (open.isWide === best.open.isWide ? rank > best.rank : open.isWide)) best = { open, at, time, rank }
    }
    if (best === null) return null
    const { open, at, time } = best
    const { file, isWide, firstSource } = open
    const source = file.sourceOf(at)
    return {
      ...{ outcome: file.outcome(at), source, sourceNumber: firstSource + file.source(at), isWide },
      isExpired: time + file.facts.age <= this.#now,
      text: () => {
        const bytes = file.line(at)
        readCells(file.path, bytes)
        return bytes.toString('utf8', 0, bytes.length - 1)
      },
      company: () => companyOf(file.cells(at), source),
    }
  }

  close(): void {
    for (const { file } of this.#files) file.close()
  }
}
