/**
 * Files that are there whole or not at all: written under another name, synced, renamed, and the folder synced. It knows nothing
 * of what is written (stack §6).
 */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Takes the next piece of text; resolves when there is room for more. */
export type Write = (text: string) => Promise<void>

const CHUNK = 64 * 1024
const PART = '.part'

/** The name a file has until it is whole; files of this name are removed at start. */
export const partOf = (path: string): string => `${path}${PART}`

/** Whether a name is that of a file that is not whole yet. */
export const isPart = (name: string): boolean => name.endsWith(PART)

/** Moves a finished, synced file to its place; durable when it resolves. */
export async function settle(path: string): Promise<void> {
  await rename(partOf(path), path)
  const folder = await open(dirname(path), 'r')
  await folder.sync().finally(() => folder.close())
}

/** Writes a file through `fill`; it appears at `path` when `fill` has ended well, and leaves no trace when it throws. */
export async function writeWhole<T>(path: string, fill: (write: Write) => Promise<T>): Promise<T> {
  const file = await open(partOf(path), 'w', 0o600)
  let pending = ''
  const flush = async (): Promise<void> => {
    const text = pending
    pending = ''
    await file.appendFile(text)
  }
  try {
    const result = await fill(async text => {
      pending += text
      if (pending.length >= CHUNK) await flush()
    })
    await flush()
    await file.sync()
    await file.close()
    await settle(path)
    return result
  } catch (error) {
    await file.close().catch(() => {})
    await rm(partOf(path), { force: true })
    throw error
  }
}

/** Makes a folder that only its owner may enter. */
export const makeFolder = async (path: string): Promise<void> => void (await mkdir(path, { recursive: true, mode: 0o700 }))
