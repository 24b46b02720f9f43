/**
 * AML searches and questions for candidates that earlier runs paid, in files of the folder of answers. Each line has when it was asked,
 * and the answer as JSON.
 */
import { digestOf } from '../../files/file-chunks.ts'
import { keyDigest } from '../../input/upload/question.ts'
import type { ScreenQuery } from '../../model/requests.ts'
import type { EarlierSearch, FoundCompany } from '../../model/results.ts'
import { AnswerFileWriter, SEARCHED } from './answer-file.ts'
import { openAnswers } from './answer-store.ts'
import type { KnownAnswers } from './known-answers.ts'

/** What a stored search was about, so that it can be removed with its row. */
export const aboutCompany = (id: string): Buffer => keyDigest(`company ${id}`)
export const aboutName = (name: string): Buffer => keyDigest(`name ${name}`)

/** A digest of company and search settings. */
export const screenDigest = ({ id, name }: Pick<FoundCompany, 'id' | 'name'>, query: Omit<ScreenQuery, 'name'>): Buffer =>
  digestOf(JSON.stringify([id, name, query.threshold, [...query.datasets].sort(), [...query.countries].sort()]))

export const questionDigest = (id: string): Buffer => digestOf(`question ${id}`)

export interface SearchAge {
  /** A digest of service and account. */
  readonly scope: string
  readonly pipeline: string
  /** Milliseconds for which a search is used. */
  readonly age: number
}

export class SearchStore<Answer> {
  readonly #known: KnownAnswers
  readonly #age: number

  private constructor(known: KnownAnswers, age: number) {
    this.#known = known
    this.#age = age
  }

  /** The searches of a folder, which need not exist. Always call `close`. */
  static async open<Answer>(folder: string, { scope, pipeline, age }: SearchAge, now: number): Promise<SearchStore<Answer>> {
    const all = { tags: [], hasKeys: false, facts: null, appliedShare: (share: number) => share }
    return new SearchStore(await openAnswers(folder, { scope, pipeline, now, ...all }), age)
  }

  /** Null for a search that was never made, or is too old. */
  find(digest: Buffer, now: number): EarlierSearch<Answer> | null {
    const line = this.#known.lineOf(digest)
    if (line === null) return null
    const [at, answer] = JSON.parse(line.toString()) as [string, string]
    // A time in the future is of a clock that was set back since: its age is unknown.
    const age = now - Date.parse(at)
    return age >= 0 && age < this.#age ? { at, answer: JSON.parse(answer) as Answer } : null
  }

  close(): void {
    this.#known.close()
  }
}

export interface MadeSearch {
  readonly digest: Buffer
  readonly about: Buffer
  readonly at: string
  readonly answer: unknown
}

/** Writes the searches of a run to `path`, unless there are none; returns their number. Throws FETTLE_OUTPUT_WRITE. */
export async function writeSearches(path: string, runId: string, made: readonly MadeSearch[], of: SearchAge): Promise<number> {
  if (made.length === 0) return 0
  const writer = new AnswerFileWriter(path)
  const newest = made
    .map(({ at }) => at)
    .sort()
    .at(-1)!
  try {
    for (const { digest, about, at, answer } of made) {
      const cells = [at, JSON.stringify(answer)]
      await writer.add({ question: digest, key: about, row: null, source: 0, outcome: SEARCHED, cells })
    }
    const { scope, pipeline, age } = of
    const sources = [{ job: runId, at: newest, columns: [] }]
    await writer.publish({ scope, pipeline, tags: [], expires: Date.parse(newest) + age, sources })
  } finally {
    await writer.discard()
  }
  return made.length
}
