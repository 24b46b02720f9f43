/** Removes the answers to the rows of a key from a folder of answers: each file that has some is replaced by one without them. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile } from '../../files/atomic-file.ts'
import { keyDigest } from '../../input/upload/question.ts'
import { AnswerFile, AnswerFileWriter } from './answer-file.ts'

export interface ForgottenAnswers {
  readonly path: string
  readonly answers: number
}

/** `pipeline`: only answers to its rows, those of all pipelines if null. Nothing is written if `dryRun`. Throws FETTLE_OUTPUT_WRITE. */
export async function forgetAnswers(
  folder: string,
  key: string,
  { pipeline, dryRun }: { readonly pipeline: string | null; readonly dryRun: boolean },
): Promise<ForgottenAnswers[]> {
  const wanted = keyDigest(key)
  const found: ForgottenAnswers[] = []
  for (const name of (await readdir(folder).catch(() => [])).filter(one => one.endsWith('.answers')).sort()) {
    const path = join(folder, name)
    const file = AnswerFile.open(path)
    if (file === null) continue
    try {
      const isOfKey = (at: number): boolean => file.key(at).equals(wanted)
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

async function rewrite(file: AnswerFile, kept: readonly number[]): Promise<void> {
  if (kept.length === 0) return removeFile(file.path)
  const writer = new AnswerFileWriter(file.path)
  try {
    for (const at of kept) {
      const [question, key] = [file.question(at), file.key(at)]
      const line = file.line(at)
      const outcome = file.outcome(at)
      if (line === null || outcome === null) continue
      const cells = JSON.parse(line.toString()) as string[]
      await writer.add({ question, key, source: file.source(at), outcome, cells })
    }
    await writer.publish(file.facts)
  } finally {
    await writer.discard()
  }
}
