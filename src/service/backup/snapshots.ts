/**
 * Snapshots of a data directory, and how a command asks a running service for one: an empty file `<id>.wanted` in the data directory,
 * answered by a folder `<id>.ready` or a text `<id>.failed`. No port and no secret is needed: a process that may write there owns the data
 * anyway.
 */
import { chmodSync, closeSync, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync } from 'node:fs'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Database } from '../storage/database.ts'
import { wholeIn } from '../storage/unnamed-files.ts'

export const snapshotDirIn = (dataDir: string): string => join(dataDir, 'backups')

export const ENDS = { wanted: '.wanted', part: '.part', ready: '.ready', failed: '.failed' } as const

type SnapshotRequests = { dataDir: string; clock: Clock; everyMs: number; take: (folder: string) => void }

async function answer(requests: string, id: string, take: SnapshotRequests['take']): Promise<void> {
  const path = (end: keyof typeof ENDS): string => join(requests, `${id}${ENDS[end]}`)
  await rm(path('wanted'), { force: true })
  try {
    take(path('part'))
    await rename(path('part'), path('ready'))
  } catch (error) {
    await rm(path('part'), { recursive: true, force: true })
    await writeFile(path('failed'), error instanceof Error ? error.message : 'unknown', { mode: 0o600 })
  }
}

/** Answers requests until it is closed. First removes unfinished snapshots left by a kill. */
export function openSnapshotRequests({ dataDir, clock, everyMs, take }: SnapshotRequests): { close(): Promise<void> } {
  const requests = snapshotDirIn(dataDir)
  const stop = new AbortController()
  // The folder is created by the first request.
  const names = (): Promise<string[]> => readdir(requests).catch(() => [])
  const answerAll = async (): Promise<void> => {
    for (const name of await names()) {
      if (name.endsWith(ENDS.wanted) && !stop.signal.aborted) await answer(requests, name.slice(0, -ENDS.wanted.length), take)
    }
  }
  const run = async (): Promise<void> => {
    for (const name of await names()) {
      if (name.endsWith(ENDS.part)) await rm(join(requests, name), { recursive: true, force: true })
    }
    while (!stop.signal.aborted) {
      // A disk error may be gone at the next poll; the waiting command has its own timeout.
      await answerAll().catch(() => {})
      await clock.sleep(everyMs, stop.signal)
    }
  }
  const running = run().catch(() => {})
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}

const namesIn = (folder: string): string[] => wholeIn(folder).filter(name => !name.startsWith('lock'))

const FOLDERS = ['accounts', 'uploads', 'files', 'imports'] as const

/** Links a file under a second name, so that its bytes survive the removal of the first. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    // A file system without links.
    copyFileSync(from, to)
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

export function takeSnapshot(database: Database, dataDir: string, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, 'jobs.db')
  database.copyTo(copy)
  chmodSync(copy, 0o600)
  sync(copy)
  for (const name of FOLDERS) {
    mkdirSync(join(folder, name), { mode: 0o700 })
    for (const file of namesIn(join(dataDir, name))) linkOrCopy(join(dataDir, name, file), join(folder, name, file))
  }
}
