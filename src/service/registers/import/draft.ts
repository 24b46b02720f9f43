/**
 * An import on its way: the companies taken so far in one file, and beside it how far the source was read, so that an import that was
 * killed goes on from there when the same source is imported again. Knows no kind of source.
 */
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Company } from '../../matching/index.ts'
import { defaultConnectId } from '../../matching/index.ts'
import { type SkippedRow, writeWhole } from '../files.ts'
import { linesOf } from './lines.ts'

const COMPANIES = '.import.jsonl'
const PROGRESS = '.import.json'
/** Characters gathered before they are written: large enough for few calls, small beside the register. */
const BATCH = 1 << 20
const NAMED_ROWS = 20

const Progress = z.object({
  /** Digest of the source, and the kind it is read as. */
  source: z.string(),
  kind: z.string(),
  header: z.array(z.string()),
  row: z.number(),
  place: z.object({ bytes: z.number(), lines: z.number() }),
  /** Bytes of companies that belong to it. */
  written: z.number(),
  companies: z.number(),
  skipped: z.number(),
  skippedRows: z.array(z.object({ line: z.number(), why: z.string() })),
  countries: z.record(z.string(), z.number()),
})
type Progress = z.infer<typeof Progress>

/** An unfinished register. */
export interface Draft {
  readonly progress: Progress
  /** Adds a company, or says why it is none. */
  add(company: Omit<Company, 'connectId'>, line: number): Promise<void>
  skip(row: SkippedRow): void
  /** Makes sure that the import can go on from here. */
  keep(): Promise<void>
  /** The finished file of companies, by its path until `settle` names it. */
  finish(): Promise<string>
  /** Gives the finished file its name. */
  settle(file: string): Promise<void>
  /** Takes all of it away. */
  discard(): Promise<void>
}

async function readProgress(folder: string, source: string, kind: string): Promise<Progress | null> {
  try {
    const kept = Progress.parse(JSON.parse(await readFile(join(folder, PROGRESS), 'utf8')))
    const { size } = await stat(join(folder, COMPANIES))
    return kept.source === source && kept.kind === kind && size >= kept.written ? kept : null
  } catch {
    return null
  }
}

/** Opens the draft of a register: the one that a killed import of the same source left behind, or a new one. */
export async function openDraft(folder: string, source: string, kind: string): Promise<Draft> {
  const path = join(folder, COMPANIES)
  const kept = await readProgress(folder, source, kind)
  // biome-ignore format: one line says it all
  const progress: Progress = kept ?? { source, kind, header: [], row: 0, place: { bytes: 0, lines: 0 }, written: 0, companies: 0, skipped: 0, skippedRows: [], countries: {} }
  const handle = await open(path, kept === null ? 'w' : 'r+', 0o600)
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
    if (progress.skippedRows.length < NAMED_ROWS) progress.skippedRows.push(row)
  }
  const close = (): Promise<void> => handle.close().catch(() => {})

  return {
    progress,
    skip,
    async add(company, line) {
      const { id, name, country } = company
      if (name === '' || id === '' || ids.has(id)) {
        skip({ line, why: name === '' ? 'no name' : id === '' ? 'no id' : `the id ${id} stands on an earlier line` })
        return
      }
      ids.add(id)
      // Where registers of one country are many (courts, chambers) a number comes twice: the later company goes by its id.
      const usual = defaultConnectId(company)
      const connectId = connectIds.has(usual) ? defaultConnectId({ id, country, orgNumber: '' }) : usual
      connectIds.add(connectId)
      progress.companies++
      progress.countries[country] = (progress.countries[country] ?? 0) + 1
      batch += `${JSON.stringify({ ...company, connectId })}\n`
      if (batch.length > BATCH) await flush()
    },
    async keep() {
      await flush()
      await handle.datasync()
      await writeWhole(folder, PROGRESS, async file => {
        await file.writeFile(JSON.stringify(progress))
      })
    },
    async finish() {
      await flush()
      await handle.sync()
      await close()
      return path
    },
    settle: file => rename(path, join(folder, file)),
    async discard() {
      await close()
      for (const file of [COMPANIES, PROGRESS]) await rm(join(folder, file), { force: true })
    },
  }
}
