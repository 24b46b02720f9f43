/**
 * Records the changes of an import: companies added, removed, and changed in one of the compared fields, with old and new values. The file
 * has one JSON object per line after a header line with both snapshots (docs/registers.md).
 */

import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../../errors.ts'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { type Company, FIGURES } from '../matching/index.ts'
import { writeWhole } from '../storage/atomic-file.ts'
import { type ChangeSetInfo, folderOf, readLines, type Snapshot } from './files.ts'

/** What an earlier import knew: its name, and its previous names with the days until which they were used. */
type KnownNames = Pick<Company, 'name' | 'previousNames' | 'previousUntil'>

const plainWords = (name: string): string => parseCompanyName(name).words.join(' ')

/** An id made from the position of a row: after an insertion it is another company's. */
const hasStableId = ({ id }: Company): boolean => !/^row-\d+$/.test(id)

/**
 * The company with the names that an earlier import knew and the source lacks: a name that was replaced (until `day`, `2026-01-31`) and
 * earlier previous names. Spellings with the same words, such as another legal form, are one name.
 */
function withFormerNames(company: Company, before: KnownNames, day: string): Company {
  if (!hasStableId(company)) return company
  const seen = new Set([company.name, ...company.previousNames].map(plainWords))
  const earlier = before.previousNames.map((name, at) => ({ name, until: before.previousUntil?.[at] ?? '' }))
  const added = [{ name: before.name, until: day }, ...earlier].filter(({ name }) => {
    const words = plainWords(name)
    if (words === '' || seen.has(words)) return false
    seen.add(words)
    return true
  })
  if (added.length === 0) return company
  const { previousNames, previousUntil = previousNames.map(() => '') } = company
  return {
    ...company,
    previousNames: [...previousNames, ...added.map(({ name }) => name)],
    previousUntil: [...previousUntil, ...added.map(({ until }) => until)],
  }
}

const Identity = z.object({
  id: z.string(),
  connectId: z.string(),
  name: z.string(),
  country: z.string(),
  orgNumber: z.string(),
  status: z.string(),
})
/** A change of currency alone is not reported. */
const COMPARED_FIGURES = FIGURES.filter(name => name !== 'currency')

/** The fields of a company that are compared, in the order in which their changes are reported. */
export const COMPARED = ['status', 'name', 'address', 'legalForm', 'directors', 'activities', ...COMPARED_FIGURES] as const

export type ComparedField = (typeof COMPARED)[number]

const OldAndNew = z.object({ old: z.string(), new: z.string() })
const Change = z.discriminatedUnion('change', [
  z.object({ change: z.literal('added'), ...Identity.shape }),
  z.object({ change: z.literal('removed'), ...Identity.shape }),
  z.object({ change: z.literal('changed'), ...Identity.shape, fields: z.partialRecord(z.enum(COMPARED), OldAndNew) }),
])

/**
 * One change. The fields of the company are the new ones, of a removed company the last ones; `fields` has the old and new value of
 * each difference.
 */
export type RegisterChange = z.infer<typeof Change>

const FORMAT = 'fettle-changes'
const VERSION = 1

export const formatAddress = ({ address1, address2, town, postcode }: Company): string =>
  [address1, address2, town, postcode].filter(part => part !== '').join(', ')

type FindDirectors = (connectId: string) => string

const NO_DIRECTORS: FindDirectors = () => ''

export const formatActivities = ({ activities = [] }: Pick<Company, 'activities'>): string => activities.join(' | ')

export const figuresIn = ({ figures: { currency: _, ...figures } = {} }: Pick<Company, 'figures'>) => figures

/** '' for values that the register does not have; figures that it does not have are absent. */
const comparedFields = (company: Company, directors: FindDirectors): Partial<Record<ComparedField, string>> => ({
  name: company.name,
  address: formatAddress(company),
  status: company.status,
  legalForm: company.legalForm ?? '',
  directors: directors(company.connectId),
  activities: formatActivities(company),
  ...figuresIn(company),
})

/** Directors before and after the import. */
type People = { readonly old: FindDirectors; readonly fresh: FindDirectors }

/** 48 bits of a digest of the compared fields. */
const digestFields = (company: Company, directors: FindDirectors): number =>
  createHash('sha1')
    .update(JSON.stringify(comparedFields(company, directors)))
    .digest()
    .readUIntBE(0, 6)

async function readCompany(handle: FileHandle, start: number): Promise<Company> {
  for (let size = 4096; ; size *= 4) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, start)
    const end = buffer.subarray(0, bytesRead).indexOf(10)
    if (end >= 0) return JSON.parse(buffer.toString('utf8', 0, end)) as Company
    if (bytesRead < size) throw new Error('the file of companies ends within a line')
  }
}

function changed(before: Company, now: Company, people: People): RegisterChange {
  const [old, fresh] = [comparedFields(before, people.old), comparedFields(now, people.fresh)]
  const fields: Partial<Record<ComparedField, { old: string; new: string }>> = {}
  for (const field of COMPARED) {
    const [was, is] = [old[field] ?? '', fresh[field] ?? '']
    if (was !== is) fields[field] = { old: was, new: is }
  }
  return { change: 'changed', ...Identity.parse(now), fields }
}

interface Compared {
  readonly change: RegisterChange | null
  /** The line of the company in the new register, with the former names that its source lacks; null for a removed company. */
  readonly line: string | null
}

/** Compares in the order of the new file, then yields the removed companies in the order of the old one. */
async function* compareRegisters(oldPath: string, newPath: string, day: string, people: People): AsyncGenerator<Compared> {
  const known = new Map<string, number>()
  const former = new Map<string, KnownNames>()
  const starts: number[] = []
  const digests: number[] = []
  for await (const { text, start } of readLines(oldPath)) {
    const company = JSON.parse(text) as Company
    known.set(company.id, starts.length)
    starts.push(start)
    digests.push(digestFields(company, people.old))
    const { id, name, previousNames, previousUntil } = company
    if (previousNames.length > 0) former.set(id, { name, previousNames, previousUntil })
  }
  const seen = new Uint8Array(starts.length)
  const handle = await open(oldPath)
  try {
    for await (const { text } of readLines(newPath)) {
      const company = JSON.parse(text) as Company
      const at = known.get(company.id)
      if (at === undefined) {
        yield { change: { change: 'added', ...Identity.parse(company) }, line: text }
        continue
      }
      seen[at] = 1
      const before = digestFields(company, people.fresh) === digests[at] ? null : await readCompany(handle, starts[at]!)
      const names = before ?? former.get(company.id)
      const named = names === undefined ? company : withFormerNames(company, names, day)
      yield {
        change: before === null ? null : changed(before, company, people),
        line: named === company ? text : JSON.stringify(named),
      }
    }
    for (const [at, start] of starts.entries())
      if (seen[at] === 0) yield { change: { change: 'removed', ...Identity.parse(await readCompany(handle, start)) }, line: null }
  } finally {
    await handle.close()
  }
}

/** Paths of two versions of a register and of the one to write, with their snapshots and people. */
interface RegisterPair {
  readonly old: string
  readonly fresh: string
  readonly merged: string
  readonly from: Snapshot
  readonly to: Snapshot
  readonly people?: People
}

/** Writes the changes as `file`, and the companies of the new register, with the names that the old one knew, as `paths.merged`. */
export async function writeChanges(
  folder: string,
  file: string,
  { from, to, people = { old: NO_DIRECTORS, fresh: NO_DIRECTORS }, ...paths }: RegisterPair,
): Promise<ChangeSetInfo> {
  const between = { from, to }
  const counts = { added: 0, removed: 0, changed: 0 }
  const fields: Record<string, number> = {}
  await writeWhole(join(folder, file), async write => {
    await write(`${JSON.stringify({ format: FORMAT, version: VERSION, ...between })}\n`)
    await writeWhole(paths.merged, async writeCompany => {
      for await (const { change, line } of compareRegisters(paths.old, paths.fresh, to.snapshotDate, people)) {
        if (line !== null) await writeCompany(`${line}\n`)
        if (change === null) continue
        counts[change.change]++
        for (const field of change.change === 'changed' ? Object.keys(change.fields) : [])
          fields[field] = (fields[field] ?? 0) + 1
        await write(`${JSON.stringify(change)}\n`)
      }
    })
  })
  return { file, ...between, ...counts, fields }
}

/**
 * The changes of one import from `registerInfo(…).changes`.
 * @throws FettleError FETTLE_INPUT_READ when the file is damaged or missing
 */
export async function* readChanges(dir: string, name: string, set: ChangeSetInfo): AsyncGenerator<RegisterChange> {
  const path = join(folderOf(dir, name), set.file)
  let lines = 0
  try {
    for await (const { text } of readLines(path)) {
      const value: unknown = JSON.parse(text)
      if (lines++ === 0) z.object({ format: z.literal(FORMAT), version: z.literal(VERSION) }).parse(value)
      else yield Change.parse(value)
    }
    const expected = set.added + set.removed + set.changed
    if (lines !== expected + 1) throw new Error(`it has ${lines - 1} changes instead of ${expected}`)
  } catch (cause) {
    const why = cause instanceof z.ZodError ? `line ${lines} is not a change` : cause instanceof Error ? cause.message : cause
    throw new FettleError('FETTLE_INPUT_READ', `Reading the changes ${path} failed: ${why}`, { cause })
  }
}
