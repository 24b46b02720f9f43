/**
 * The answers that later runs may use: a folder of files that never change. A file appears under its name in one step and is removed
 * once its answers are too old, so no process needs a lock, and a killed one leaves nothing half.
 */
import { copyFile, link, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { attempt, removeFile } from '../../files/atomic-file.ts'
import { renameDurably } from '../../files/durable.ts'
import { sweepFolder, temporaryName } from '../../files/stale-temp-files.ts'
import { AnswerFile } from './answer-file.ts'
import { KnownAnswers } from './known-answers.ts'

const ENDING = '.answers'

const answerFilesIn = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => [])
  return names.filter(name => name.endsWith(ENDING) && !name.startsWith('.')).sort()
}

/** Opens the answers of a scope; an empty store for a folder that does not exist. Always call `close`. */
export async function openAnswers(
  folder: string,
  { scope, tags, keysOf, now }: { scope: string; tags: readonly string[]; keysOf: string | null; now: number },
): Promise<KnownAnswers> {
  const files: AnswerFile[] = []
  for (const name of await answerFilesIn(folder)) {
    const file = AnswerFile.open(join(folder, name))
    if (file === null) continue
    if (file.facts.scope === scope && file.facts.expires > now) files.push(file)
    else file.close()
  }
  return new KnownAnswers(files, tags, keysOf)
}

/**
 * Adds a file of answers under a name of its run, in place of an equal one, and removes files whose answers are all too old. The folder
 * must exist. Throws FETTLE_OUTPUT_WRITE.
 */
export async function addAnswers(folder: string, name: string, from: string): Promise<void> {
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
  for (const name of await answerFilesIn(folder)) {
    const path = join(folder, name)
    const file = AnswerFile.open(path)
    if (file === null) continue
    file.close()
    if (file.facts.expires <= now) await removeFile(path)
  }
}
