/**
 * Removes the answers to the rows of a key from a folder of answers, and the searches about their companies and names: each file that
 * has some is replaced by one without them.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile } from '../../files/atomic-file.ts'
import { keyDigest } from '../../input/upload/question.ts'
import { AnswerFile, AnswerFileWriter } from './answer-file.ts'
import { aboutCompany, aboutName } from './search-store.ts'

export interface ForgottenAnswers {
  readonly path: string
  readonly answers: number
}

/** Companies and names of the rows of a key, whose searches go as well. */
export interface SearchedAbout {
  readonly companies: readonly string[]
  readonly names: readonly string[]
}

/** `pipeline`: only answers to its rows, those of all pipelines if null. Nothing is written if `dryRun`. Throws FETTLE_OUTPUT_WRITE. */
export async function forgetAnswers(
  folder: string,
  key: string,
  { companies, names }: SearchedAbout,
  { pipeline, dryRun }: { readonly pipeline: string | null; readonly dryRun: boolean },
): Promise<ForgottenAnswers[]> {
  const wanted = new Set([keyDigest(key), ...companies.map(aboutCompany), ...names.map(aboutName)].map(hex))
  const found: ForgottenAnswers[] = []
  for (const name of (await readdir(folder).catch(() => [])).filter(one => one.endsWith('.answers')).sort()) {
    const path = join(folder, name)
    const file = AnswerFile.open(path)
    if (file === null) continue
    try {
      const isOfKey = (at: number): boolean => wanted.has(hex(file.key(at)))
      const places = [...Array(file.count).keys()]
      const answers = pipeline === null || file.facts.pipeline === pipeline ? places.filter(isOfKey).length : 0
      if (answers === 0) continue
      found.push({ path, answers })
      if (!dryRun)
        await rewrite(
          file,
          places.filter(at => !isOfKey(at)),
        )
    } finally {
      file.close()
    }
  }
  return found
}

const hex = (digest: Buffer): string => digest.toString('hex')

async function rewrite(file: AnswerFile, kept: readonly number[]): Promise<void> {
  if (kept.length === 0) return removeFile(file.path)
  const writer = new AnswerFileWriter(file.path)
  try {
    for (const at of kept) {
      const line = file.line(at)
      if (line !== null) await writer.copy(file, at, line)
    }
    const { format: _, ...facts } = file.facts
    await writer.publish(facts)
  } finally {
    await writer.discard()
  }
}
