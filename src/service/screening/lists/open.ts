/**
 * Opens an imported list for reading. The offsets of the entries are held in memory, the entries stay on disk. The file stays
 * open, so that a later import cannot remove it during a search. The fictitious sample is read from its CSV.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFile } from '../../../package-file.ts'
import type { Entry } from '../entry.ts'
import { damaged, type ListInfo, listFolder, readEntries } from './import.ts'

export interface OpenList {
  readonly name: string
  readonly entries: number
  at(position: number): Entry
  /** Position of the entry with this id, or null. */
  find(id: string): number | null
  close(): void
}

/** Called with each entry, in order, while a list is opened. */
type OnEntry = (entry: Entry) => void

const NEWLINE = 10

/** The lines of a file with their bytes; every line ends with a line feed. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path)
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of handle.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, from)) {
      yield data.subarray(from, end + 1)
      from = end + 1
    }
    rest = data.subarray(from)
  }
  if (rest.length > 0) throw new Error('its last line is cut off')
}

/** Opens an imported list. Throws FETTLE_INPUT_READ when its file differs from the import. */
export async function openList(dir: string, info: ListInfo, onEntry: OnEntry): Promise<OpenList> {
  const path = join(listFolder(dir, info.name), info.file)
  const starts: number[] = [0]
  const ids = new Map<string, number>()
  const digest = createHash('sha256')
  let descriptor = -1
  try {
    // Opened before it is read, so that an import cannot remove it meanwhile.
    descriptor = openSync(path, 'r')
    for await (const line of linesOf(path)) {
      digest.update(line)
      const entry = JSON.parse(line.toString('utf8')) as Entry
      ids.set(entry.id, starts.length - 1)
      starts.push((starts.at(-1) ?? 0) + line.length)
      onEntry(entry)
    }
    if (digest.digest('hex') !== info.fileSha256) throw new Error('it is not the file that was imported')
  } catch (error) {
    if (descriptor >= 0) closeSync(descriptor)
    throw damaged(path, error)
  }
  return {
    name: info.name,
    entries: ids.size,
    at(position) {
      const start = starts[position] ?? 0
      const bytes = Buffer.alloc((starts[position + 1] ?? start) - start)
      readSync(descriptor, bytes, 0, bytes.length, start)
      return JSON.parse(bytes.toString('utf8')) as Entry
    },
    find: id => ids.get(id) ?? null,
    close: () => closeSync(descriptor),
  }
}

/** The fictitious list of the package, for installations without an imported one. */
export async function openSample(onEntry: OnEntry): Promise<OpenList> {
  const entries: Entry[] = []
  const ids = new Map<string, number>()
  const source = { file: packageFile('samples/screening.csv'), facts: { sha256: '', bytes: 0 }, skip: () => {} }
  for await (const entry of readEntries('csv', source, [])) {
    ids.set(entry.id, entries.length)
    entries.push(entry)
    onEntry(entry)
  }
  return { name: 'sample', entries: entries.length, at: at => entries[at] as Entry, find: id => ids.get(id) ?? null, close() {} }
}
