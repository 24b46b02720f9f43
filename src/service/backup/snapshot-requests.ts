/**
 * How a command asks a running service for a snapshot: an empty file `<id>.wanted` in a folder of the data directory, answered by a
 * folder `<id>.ready` or a text `<id>.failed`. Whoever may write there owns the data anyway; no port and no secret is needed.
 */
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'

/** The folder of requests and snapshots. */
export const snapshotDirIn = (dataDir: string): string => join(dataDir, 'backups')

/** What a request becomes, by the end of its name. */
export const ENDS = { wanted: '.wanted', part: '.part', ready: '.ready', failed: '.failed' } as const

/** What the desk needs. */
export interface SnapshotRequestParts {
  readonly dataDir: string
  readonly clock: Clock
  /** How often requests are looked for. */
  readonly everyMs: number
  /** Takes a snapshot into this new folder. */
  readonly take: (folder: string) => void
}

/** Answers one request. */
async function answer(desk: string, id: string, take: SnapshotRequestParts['take']): Promise<void> {
  const path = (end: keyof typeof ENDS): string => join(desk, `${id}${ENDS[end]}`)
  await rm(path('wanted'), { force: true })
  try {
    take(path('part'))
    await rename(path('part'), path('ready'))
  } catch (error) {
    await rm(path('part'), { recursive: true, force: true })
    await writeFile(path('failed'), error instanceof Error ? error.message : 'unknown', { mode: 0o600 })
  }
}

/** Answers requests until it is closed; half of a snapshot that a kill left is removed first. */
export function openSnapshotRequests({ dataDir, clock, everyMs, take }: SnapshotRequestParts): { close(): Promise<void> } {
  const desk = snapshotDirIn(dataDir)
  const stop = new AbortController()
  // Not there until somebody asks.
  const names = (): Promise<string[]> => readdir(desk).catch(() => [])
  const look = async (): Promise<void> => {
    for (const name of await names()) {
      if (name.endsWith(ENDS.wanted) && !stop.signal.aborted) await answer(desk, name.slice(0, -ENDS.wanted.length), take)
    }
  }
  const run = async (): Promise<void> => {
    for (const name of await names()) {
      if (name.endsWith(ENDS.part)) await rm(join(desk, name), { recursive: true, force: true })
    }
    while (!stop.signal.aborted) {
      // A disk in trouble now may be well at the next look; who asked gives up by itself.
      await look().catch(() => {})
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
