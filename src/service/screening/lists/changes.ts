/**
 * What an import changes in a list. The names of new, changed and gone entries are kept in a file, and the files of the last imports beside the
 * list, so that searches that they cannot concern need not be made again.
 */
import { createHash, hash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { Entry } from '../entry.ts'
import { entryFacts } from '../facts.ts'
import { readProvedLines } from './entry-lines.ts'

export interface ListChanges {
  readonly added: number
  readonly changed: number
  readonly gone: number
  /** Entries with the same facts under another id. */
  readonly renamed: number
}

/** The names that came or went from one state of the list to the next. */
export interface ChangeFile {
  /** `fileSha256` of the state before. */
  readonly from: string
  readonly file: string
  readonly sha256: string
  readonly names: number
}

/** The names of an entry that came, or went. */
export interface NameChange extends Pick<Entry, 'type' | 'name' | 'person' | 'aliases'> {
  readonly isNew: boolean
}

/** Imports after which a search is made again in full. */
const MOST_FILES = 32

/** This many names are kept for a list of any size. */
const FEW = 1000

interface State {
  readonly file: string
  readonly fileSha256: string
}

const parse = (line: Buffer): Entry => JSON.parse(line.toString('utf8')) as Entry

/** Compares two states of a list in `folder`, and writes the names that came or went. Throws for a state before that cannot be read. */
async function writeChanges(folder: string, before: State, now: State): Promise<{ counts: ListChanges; added: ChangeFile }> {
  const counts = { added: 0, changed: 0, gone: 0, renamed: 0 }
  /** Of the entries before that are not the same now. */
  const left = new Map<string, string>()
  for await (const line of readProvedLines(join(folder, before.file), before.fileSha256))
    left.set(parse(line).id, hash('sha256', line, 'base64'))
  const changed = new Set<string>()
  const newFacts = new Map<string, number>()
  const file = `changes-${randomUUID().slice(0, 8)}.jsonl`
  const digest = createHash('sha256')
  let names = 0
  await writeWhole(join(folder, file), async write => {
    const note = async ({ type, name, person, aliases }: Entry, isNew: boolean): Promise<void> => {
      const line = `${JSON.stringify({ isNew, type, name, person, aliases } satisfies NameChange)}\n`
      digest.update(line)
      names++
      await write(line)
    }
    for await (const line of readProvedLines(join(folder, now.file), now.fileSha256)) {
      const entry = parse(line)
      const was = left.get(entry.id)
      if (was === hash('sha256', line, 'base64')) left.delete(entry.id)
      else {
        if (was !== undefined) changed.add(entry.id)
        else newFacts.set(entryFacts(entry), (newFacts.get(entryFacts(entry)) ?? 0) + 1)
        await note(entry, true)
      }
    }
    for await (const line of readProvedLines(join(folder, before.file), before.fileSha256)) {
      const entry = parse(line)
      if (!left.has(entry.id)) continue
      await note(entry, false)
      if (changed.has(entry.id)) continue
      const alike = newFacts.get(entryFacts(entry)) ?? 0
      newFacts.set(entryFacts(entry), alike - 1)
      counts[alike > 0 ? 'renamed' : 'gone']++
    }
  })
  for (const count of newFacts.values()) counts.added += Math.max(0, count)
  counts.changed = changed.size
  return { counts, added: { from: before.fileSha256, file, sha256: digest.digest('hex'), names } }
}

/** The history of a list: the files of the last imports, the newest last. Those that have more names than the list has entries are left out. */
export async function keepChanges(
  folder: string,
  before: State & { readonly history?: readonly ChangeFile[] },
  now: State & { readonly entries: number },
): Promise<{ readonly changes: ListChanges | null; readonly history: readonly ChangeFile[] }> {
  const { history = [] } = before
  if (before.fileSha256 === now.fileSha256) return { changes: { added: 0, changed: 0, gone: 0, renamed: 0 }, history }
  // Of a damaged state nothing is known: everything is screened again.
  const written = await writeChanges(folder, before, now).catch(() => null)
  if (written === null) return { changes: null, history: [] }
  const kept: ChangeFile[] = []
  let names = 0
  for (const file of [...history, written.added].slice(-MOST_FILES).reverse()) {
    names += file.names
    if (names > Math.max(now.entries, FEW)) break
    kept.unshift(file)
  }
  return { changes: written.counts, history: kept }
}

/** The names that came or went since the state `from`; null where that is not known. */
export async function readChanges(
  folder: string,
  { fileSha256, history = [] }: { readonly fileSha256: string; readonly history?: readonly ChangeFile[] },
  from: string,
): Promise<readonly NameChange[] | null> {
  if (from === fileSha256) return []
  const at = history.findLastIndex(file => file.from === from)
  if (at < 0) return null
  const found: NameChange[] = []
  try {
    for (const { file, sha256 } of history.slice(at))
      for await (const line of readProvedLines(join(folder, file), sha256))
        found.push(JSON.parse(line.toString('utf8')) as NameChange)
  } catch {
    // A damaged file, or a later import has removed it.
    return null
  }
  return found
}
