/** AML searches and questions for candidates that a run has made, as files of answers: when each was made, and the answer as JSON. */
import type { EarlierSearch } from '../model/results.ts'
import type { AnswerFolder } from './answer-folder.ts'
import { AnswersWriter } from './files/answers.ts'
import type { KnownAnswers } from './known-answers.ts'

export interface MadeSearch {
  readonly key: Buffer
  /** See `companyOwner` and `nameOwner`. */
  readonly owner: Buffer
  readonly at: string
  readonly answer: unknown
}

/** Null for a search that was never made, or is older than `age` milliseconds. */
export function findSearch<Answer>(known: KnownAnswers, key: Buffer, age: number, now: number): EarlierSearch<Answer> | null {
  const found = known.find(key)
  if (found?.outcome !== 'searched') return null
  const [at = '', answer = ''] = JSON.parse(found.text()) as string[]
  // A time in the future is of a clock that was set back since: its age is unknown.
  const passed = now - Date.parse(at)
  return passed >= 0 && passed < age ? { at, answer: JSON.parse(answer) as Answer } : null
}

/** Writes the searches of a run to `path`, unless there are none. Throws FETTLE_OUTPUT_WRITE. */
export async function writeSearches(
  path: string,
  run: string,
  made: readonly MadeSearch[],
  { folder, age }: { readonly folder: AnswerFolder; readonly age: number },
): Promise<void> {
  if (made.length === 0) return
  const writer = new AnswersWriter(path)
  const at = made
    .map(search => search.at)
    .sort()
    .at(-1)!
  try {
    for (const { key, owner, at, answer } of made)
      await writer.add({ key, owner, row: null, source: 0, outcome: 'searched', cells: [at, JSON.stringify(answer)] })
    await writer.publish(folder.facts({ age, tags: [], sources: [{ run, job: run, at, columns: [] }] }))
  } finally {
    await writer.discard()
  }
}
