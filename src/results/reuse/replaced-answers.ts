/** Removes answers that newer ones replace, so that the store grows with the questions and not with how often they are asked. */
import { join } from 'node:path'
import { removeFile } from '../../files/atomic-file.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import { AnswerFile, AnswerFileWriter, OpenAnswerFiles } from './answer-file.ts'

/** A file is written again when at least this part of its answers are replaced. */
const WORTH = 0.25

/** Of the answers that a run adds: whether a question is among them, and when its answer is too old. */
class NewAnswers {
  readonly files: readonly AnswerFile[]
  readonly #index = new DigestIndex()
  #expires = new Float64Array(1024)

  constructor(files: readonly AnswerFile[]) {
    this.files = files
    for (const file of files)
      for (let at = 0; at < file.count; at++) {
        const number = this.#index.add(file.question(at))
        if (number === this.#expires.length) {
          const larger = new Float64Array(number * 2)
          larger.set(this.#expires)
          this.#expires = larger
        }
        this.#expires[number] = file.facts.expires
      }
  }

  /** Null for a question that is not among them. */
  expires(question: Buffer): number | null {
    const number = this.#index.find(question)
    return number === -1 ? null : this.#expires[number]!
  }

  /** Whether its answers are of use to everybody that those of the other file are. */
  replaces({ facts }: AnswerFile): boolean {
    const [first] = this.files
    if (first === undefined) return false
    const { scope, tags, pipeline, inRegister, companyNumbers } = first.facts
    // A pipeline has the facts of its list from its own answers only.
    const isOfList =
      facts.inRegister === inRegister &&
      facts.companyNumbers === companyNumbers &&
      (inRegister === undefined || facts.pipeline === pipeline)
    return facts.scope === scope && isOfList && facts.tags.every(tag => tags.includes(tag))
  }
}

/**
 * Removes from the other files of the folder the answers to questions that the files `added` answer. An answer of which the new one is
 * too old sooner must go, or it would be used again then; others go when they are many. Throws FETTLE_OUTPUT_WRITE.
 */
export async function dropReplaced(folder: string, names: readonly string[], added: readonly string[]): Promise<void> {
  const open = new OpenAnswerFiles()
  const fresh = new NewAnswers(added.flatMap(name => AnswerFile.open(join(folder, name), open) ?? []))
  try {
    for (const name of names.filter(one => !added.includes(one))) {
      const file = AnswerFile.open(join(folder, name))
      if (file === null) continue
      try {
        if (fresh.replaces(file)) await dropFrom(file, fresh)
      } finally {
        file.close()
      }
    }
  } finally {
    for (const file of fresh.files) file.close()
  }
}

async function dropFrom(file: AnswerFile, fresh: NewAnswers): Promise<void> {
  const { facts, count, path } = file
  const isReplaced = new Uint8Array(count)
  let replaced = 0
  let isUrgent = false
  for (let at = 0; at < count; at++) {
    const expires = fresh.expires(file.question(at))
    if (expires === null) continue
    isReplaced[at] = 1
    replaced++
    isUrgent ||= expires < facts.expires
  }
  if (replaced === 0 || (!isUrgent && replaced < count * WORTH)) return
  if (replaced === count) return removeFile(path)
  const writer = new AnswerFileWriter(path)
  try {
    for (let at = 0; at < count; at++) if (isReplaced[at] === 0) await writer.copy(file, at, file.line(at))
    const { format: _, ...kept } = facts
    await writer.publish(kept)
  } finally {
    await writer.discard()
  }
}
