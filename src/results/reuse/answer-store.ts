/**
 * The answers that later runs may use: a folder of files that never change. A file appears under its name in one step and is removed
 * once its answers are too old, so no process needs a lock, and a killed one leaves nothing half.
 */
import { copyFile, link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { attempt, removeFile } from '../../files/atomic-file.ts'
import { renameDurably } from '../../files/durable.ts'
import { listKept } from '../../files/kept-files.ts'
import { sweepFolder, temporaryName } from '../../files/stale-temp-files.ts'
import type { ListFacts } from '../../model/list-facts.ts'
import { AnswerFile, listFactsOf, OpenAnswerFiles } from './answer-file.ts'
import { KnownAnswers } from './known-answers.ts'

const ENDING = '.answers'

/** Throws FETTLE_OUTPUT_WRITE for a folder that is there and cannot be read. */
export const answerFilesIn = (folder: string): string[] =>
  listKept(folder).filter(name => name.endsWith(ENDING) && !name.startsWith('.'))

export interface WantedAnswers {
  /** See AnswerFileFacts. */
  readonly scope: string
  readonly tags: readonly string[]
  readonly pipeline: string
  readonly hasKeys: boolean
  /** What is known of the list; null: what the service last reported to this pipeline. */
  readonly facts: ListFacts | null
  /** Shares for which this is equal have the same answers. */
  readonly appliedShare: (inRegister: number) => number
  readonly now: number
}

/** Opens the answers of a scope; an empty store for a folder that does not exist. Always call `close`. */
export async function openAnswers(folder: string, wanted: WantedAnswers): Promise<KnownAnswers> {
  const { pipeline, appliedShare } = wanted
  const files = openFiles(folder, wanted.scope)
  const reported = files.filter(({ facts }) => facts.pipeline === pipeline && facts.inRegister !== undefined).sort(byTime)
  const last = reported.at(-1)
  const facts = wanted.facts ?? (last === undefined ? null : listFactsOf(last.facts))
  const isOfList = (file: AnswerFile): boolean => {
    const answered = listFactsOf(file.facts)
    if (answered === null) return true
    return (
      facts !== null &&
      appliedShare(answered.inRegister) === appliedShare(facts.inRegister) &&
      answered.companyNumbers === facts.companyNumbers
    )
  }
  const lacksFacts = facts === null && files.some(file => !isOfList(file))
  for (const file of files) if (!isOfList(file)) file.close()
  return new KnownAnswers(files.filter(isOfList), { ...wanted, facts, lacksFacts })
}

const byTime = (one: AnswerFile, other: AnswerFile): number => (timeOf(one) < timeOf(other) ? -1 : 1)
const timeOf = ({ facts }: AnswerFile): string =>
  facts.sources
    .map(({ at }) => at)
    .sort()
    .at(-1) ?? ''

/** Opens the files of a scope as they are at one time: another run may add one just now, and remove those that it replaces. */
function openFiles(folder: string, scope: string): AnswerFile[] {
  for (let names = answerFilesIn(folder); ; ) {
    const files: AnswerFile[] = []
    const open = new OpenAnswerFiles()
    try {
      for (const name of names) {
        const file = AnswerFile.open(join(folder, name), open)
        if (file?.facts.scope === scope) files.push(file)
        else file?.close()
      }
      const then = answerFilesIn(folder)
      if (then.join() === names.join()) return files
      names = then
    } catch (error) {
      for (const file of files) file.close()
      throw error
    }
    for (const file of files) file.close()
  }
}

/**
 * Adds a file of answers under a name of its run, in place of an equal one; returns its name in the folder, which must exist. Throws
 * FETTLE_OUTPUT_WRITE.
 */
export async function addAnswers(folder: string, name: string, from: string): Promise<string> {
  const path = join(folder, `${name}${ENDING}`)
  const temporary = temporaryName(path, 'add')
  try {
    await attempt(path, async () => {
      await rm(temporary, { force: true })
      await link(from, temporary).catch(() => copyDurably(from, temporary))
      await renameDurably(temporary, path)
    })
  } finally {
    // A rename onto a link to the same file leaves both names.
    await rm(temporary, { force: true }).catch(() => {})
  }
  return `${name}${ENDING}`
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  const file = await open(to, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Removes files whose answers are all too old, and what killed processes left. */
export async function removeOldAnswers(folder: string, now: number): Promise<void> {
  await sweepFolder(folder)
  for (const name of answerFilesIn(folder)) {
    const path = join(folder, name)
    const file = AnswerFile.open(path)
    if (file === null) continue
    file.close()
    if (file.facts.expires <= now) await removeFile(path)
  }
}
