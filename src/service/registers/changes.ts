/**
 * What an import changed: companies added, removed, and changed in name, address, status, legal form or directors, with old and new values. One
 * JSON object a line behind a line that says between which states (docs/registers.md). Knows no source.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../../errors.ts'
import type { Company } from '../matching/index.ts'
import { type ChangeSetInfo, folderOf, type Snapshot, writeWhole } from './files.ts'
import { linesOf } from './import/lines.ts'

const Who = {
  id: z.string(),
  connectId: z.string(),
  name: z.string(),
  country: z.string(),
  orgNumber: z.string(),
  status: z.string(),
}
const OldAndNew = z.object({ old: z.string(), new: z.string() })
const Change = z.discriminatedUnion('change', [
  z.object({ change: z.literal('added'), ...Who }),
  z.object({ change: z.literal('removed'), ...Who }),
  z.object({
    change: z.literal('changed'),
    ...Who,
    fields: z
      .object({ name: OldAndNew, address: OldAndNew, status: OldAndNew, legalForm: OldAndNew, directors: OldAndNew })
      .partial(),
  }),
])

/**
 * One change. Of a company that is still there the fields are as they are now; `fields` holds what differs, in full: a removed
 * company's are those it had last.
 */
export type RegisterChange = z.infer<typeof Change>

const FORMAT = 'fettle-changes'
const VERSION = 1

const addressOf = ({ address1, address2, town, postcode }: Company): string =>
  [address1, address2, town, postcode].filter(part => part !== '').join(', ')

/** The directors of a company, by connectId. */
type DirectorsOf = (connectId: string) => string

const NOBODY: DirectorsOf = () => ''

/** What is watched of a company. */
const watchedOf = (company: Company, directors: DirectorsOf) => ({
  name: company.name,
  address: addressOf(company),
  status: company.status,
  legalForm: company.legalForm ?? '',
  directors: directors(company.connectId),
})

const whoOf = ({ id, connectId, name, country, orgNumber, status }: Company) => ({
  id,
  connectId,
  name,
  country,
  orgNumber,
  status,
})

/** Directors before and after. */
interface People {
  readonly old: DirectorsOf
  readonly fresh: DirectorsOf
}

/** 48 bits of a digest of what is watched. */
const digestOf = (company: Company, directors: DirectorsOf): number =>
  createHash('sha1')
    .update(JSON.stringify(watchedOf(company, directors)))
    .digest()
    .readUIntBE(0, 6)

/** The company whose line begins at a place. */
async function readCompany(handle: FileHandle, start: number): Promise<Company> {
  for (let size = 4096; ; size *= 4) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, start)
    const end = buffer.subarray(0, bytesRead).indexOf(10)
    if (end >= 0) return JSON.parse(buffer.toString('utf8', 0, end)) as Company
    if (bytesRead < size) throw new Error('the file of companies ends within a line')
  }
}

function changed(before: Company, now: Company, people: People): RegisterChange {
  const [old, fresh] = [watchedOf(before, people.old), watchedOf(now, people.fresh)]
  const fields: Partial<Record<keyof typeof old, { old: string; new: string }>> = {}
  for (const field of Object.keys(old) as (keyof typeof old)[])
    if (old[field] !== fresh[field]) fields[field] = { old: old[field], new: fresh[field] }
  return { change: 'changed', ...whoOf(now), fields }
}

/** Changes from one file of companies to another, in the order of the new one; the removed ones last, in the order of the old one. */
async function* changesBetween(oldPath: string, newPath: string, people: People): AsyncGenerator<RegisterChange> {
  const known = new Map<string, number>()
  const starts: number[] = []
  const digests: number[] = []
  for await (const { text, start } of linesOf(oldPath)) {
    const company = JSON.parse(text) as Company
    known.set(company.id, starts.length)
    starts.push(start)
    digests.push(digestOf(company, people.old))
  }
  const seen = new Uint8Array(starts.length)
  const handle = await open(oldPath)
  try {
    for await (const { text } of linesOf(newPath)) {
      const company = JSON.parse(text) as Company
      const at = known.get(company.id)
      if (at === undefined) yield { change: 'added', ...whoOf(company) }
      else {
        seen[at] = 1
        if (digestOf(company, people.fresh) !== digests[at])
          yield changed(await readCompany(handle, starts[at]!), company, people)
      }
    }
    for (const [at, start] of starts.entries())
      if (seen[at] === 0) yield { change: 'removed', ...whoOf(await readCompany(handle, start)) }
  } finally {
    await handle.close()
  }
}

/** Writes the changes between two files of companies as a file of the register's folder. */
export async function writeChanges(
  folder: string,
  file: string,
  paths: { readonly old: string; readonly fresh: string },
  between: { readonly from: Snapshot; readonly to: Snapshot },
  people: People = { old: NOBODY, fresh: NOBODY },
): Promise<ChangeSetInfo> {
  const counts = { added: 0, removed: 0, changed: 0 }
  await writeWhole(folder, file, async handle => {
    let batch = `${JSON.stringify({ format: FORMAT, version: VERSION, ...between })}\n`
    for await (const change of changesBetween(paths.old, paths.fresh, people)) {
      counts[change.change]++
      batch += `${JSON.stringify(change)}\n`
      if (batch.length < 1 << 20) continue
      await handle.appendFile(batch)
      batch = ''
    }
    await handle.appendFile(batch)
  })
  return { file, ...between, ...counts }
}

/**
 * The changes of one import, as `registerInfo(…).changes` names it.
 * @throws FettleError FETTLE_INPUT_READ when the file is damaged or not there any more
 */
export async function* readChanges(dir: string, name: string, set: ChangeSetInfo): AsyncGenerator<RegisterChange> {
  const path = join(folderOf(dir, name), set.file)
  let lines = 0
  try {
    for await (const { text } of linesOf(path)) {
      const value: unknown = JSON.parse(text)
      if (lines++ === 0) z.object({ format: z.literal(FORMAT), version: z.literal(VERSION) }).parse(value)
      else yield Change.parse(value)
    }
    const expected = set.added + set.removed + set.changed
    if (lines !== expected + 1) throw new Error(`it holds ${lines - 1} changes where there were ${expected}`)
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `line ${lines} is no change` : cause instanceof Error ? cause.message : cause
    throw new FettleError('FETTLE_INPUT_READ', `Reading the changes ${path} failed: ${why}`, { cause })
  }
}
