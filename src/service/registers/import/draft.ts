/**
 * The unfinished file of companies of an import, with the position reached in the source. An import of the same source resumes
 * there after a kill.
 */
import { hash } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Company } from '../../matching/index.ts'
import { defaultConnectId } from '../../matching/index.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { SkippedRow } from '../files.ts'
import { linesOf } from './lines.ts'

const COMPANIES = '.import.jsonl'
const PROGRESS = '.import.json'
/** Characters per write. */
const BATCH = 1 << 20
const MAX_SKIPPED_ROWS = 20

const Progress = z.object({
  source: z.string(),
  kind: z.string(),
  header: z.array(z.string()),
  row: z.number(),
  place: z.object({ bytes: z.number(), lines: z.number() }),
  /** Bytes of the companies up to this progress. */
  written: z.number(),
  companies: z.number(),
  skipped: z.number(),
  skippedRows: z.array(z.object({ line: z.number(), why: z.string() })),
  countries: z.record(z.string(), z.number()),
})
type Progress = z.infer<typeof Progress>

async function readProgress(folder: string, source: string, kind: string): Promise<Progress | null> {
  try {
    const stored = Progress.parse(JSON.parse(await readFile(join(folder, PROGRESS), 'utf8')))
    const { size } = await stat(join(folder, COMPANIES))
    return stored.source === source && stored.kind === kind && size >= stored.written ? stored : null
  } catch {
    return null
  }
}

/** Opens the draft that a killed import of the same source left, or a new one. */
export async function openDraft(folder: string, source: string, kind: string) {
  const path = join(folder, COMPANIES)
  const stored = await readProgress(folder, source, kind)
  // biome-ignore format: reads better on one line
  const progress: Progress = stored ?? { source, kind, header: [], row: 0, place: { bytes: 0, lines: 0 }, written: 0, companies: 0, skipped: 0, skippedRows: [], countries: {} }
  const handle = await open(path, stored === null ? 'w' : 'r+', 0o600)
  await handle.truncate(progress.written)
  const ids = new Set<string>()
  const connectIds = new Set<string>()
  for await (const { text } of linesOf(path)) {
    const { id, connectId } = JSON.parse(text) as Company
    ids.add(id)
    connectIds.add(connectId)
  }
  let batch = ''
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(batch)
    batch = ''
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, progress.written)
      done += bytesWritten
      progress.written += bytesWritten
    }
  }
  const skip = (row: SkippedRow): void => {
    progress.skipped++
    if (progress.skippedRows.length < MAX_SKIPPED_ROWS) progress.skippedRows.push(row)
  }
  const close = (): Promise<void> => handle.close().catch(() => {})

  return {
    progress,
    skip,
    async add(company: Omit<Company, 'connectId'>, line: number): Promise<void> {
      const { id, name, country } = company
      if (name === '' || id === '' || ids.has(id)) {
        skip({ line, why: name === '' ? 'no name' : id === '' ? 'no id' : `the id ${id} is on an earlier line too` })
        return
      }
      ids.add(id)
      // In countries with several registers (courts, chambers) a number may occur twice: the later company gets its id instead.
      const byNumber = defaultConnectId(company)
      const byId = defaultConnectId({ id, country, orgNumber: '' })
      // Ids that differ in their signs alone: the later one gets a digest.
      const distinct = `${byId}_${hash('sha256', id).slice(0, 12)}`
      const connectId = [byNumber, byId].find(one => !connectIds.has(one)) ?? distinct
      connectIds.add(connectId)
      progress.companies++
      progress.countries[country] = (progress.countries[country] ?? 0) + 1
      batch += `${JSON.stringify({ ...company, connectId })}\n`
      if (batch.length > BATCH) await flush()
    },
    /** Syncs companies and progress to disk: a killed import resumes from here. */
    async checkpoint(): Promise<void> {
      await flush()
      await handle.datasync()
      await writeWhole(join(folder, PROGRESS), write => write(JSON.stringify(progress)))
    },
    async finish(): Promise<string> {
      await flush()
      await handle.sync()
      await close()
      return path
    },
    rename: (file: string): Promise<void> => rename(path, join(folder, file)),
    async discard(): Promise<void> {
      await close()
      for (const file of [COMPANIES, PROGRESS]) await rm(join(folder, file), { force: true })
    },
  }
}

export type Draft = Awaited<ReturnType<typeof openDraft>>
