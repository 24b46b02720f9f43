/**
 * Stores the officers of a register: one JSON line each, and an index of line numbers by company, person and surname. Only the
 * index is held in memory, 32 bytes per officer.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../files/durable.ts'
import { normaliseText } from '../../normalise/text.ts'
import { partOf, writeWhole } from '../storage/atomic-file.ts'
import { type OfficersInfo, readError } from './files.ts'
import { type Officer, readOfficer, tokenOf, writeOfficer } from './officer.ts'
import { entryOf, keyOf, placesBetween } from './sorted-index.ts'

export interface Officers {
  readonly size: number
  ofCompany(connectId: string): Officer[]
  ofPerson(peopleId: string): Officer[]
  /** Positions of people whose last name ends in the same word, at most `most`. */
  bySurname(lastName: string, most: number): Officer[]
  /** The first `most` positions of the register. */
  first(most: number): Officer[]
  close(): void
}

/** The key of the last word of a name. */
const surnameKey = (name: string): number => keyOf(normaliseText(name).split(' ').at(-1) ?? '')

export async function writeOfficers(
  folder: string,
  file: string,
  index: string,
  officers: AsyncIterable<Officer>,
): Promise<number> {
  const offsets = [0]
  const lists: [number[], number[], number[]] = [[], [], []]
  await writeWhole(join(folder, file), async write => {
    let offset = 0
    for await (const officer of officers) {
      const text = `${writeOfficer(officer)}\n`
      const lineNumber = offsets.length - 1
      const keys = [keyOf(officer.connectId), keyOf(tokenOf(officer.peopleId)), surnameKey(officer.lastName || officer.name)]
      for (const [at, key] of keys.entries()) lists[at]?.push(entryOf(key, lineNumber))
      offset += Buffer.byteLength(text)
      offsets.push(offset)
      await write(text)
    }
  })
  const path = join(folder, index)
  await replaceFile(path, partOf(path), async handle => {
    for (const list of [offsets, ...lists.map(entries => Float64Array.from(entries).sort())]) {
      await handle.appendFile(Buffer.from(Float64Array.from(list).buffer))
    }
  })
  return offsets.length - 1
}

export const NO_OFFICERS: Officers = {
  size: 0,
  ofCompany: () => [],
  ofPerson: () => [],
  bySurname: () => [],
  first: () => [],
  close() {},
}

const OPENING = 'Opening the officers in'

/** Opens the officers of a register; the caller closes them. Throws FETTLE_INPUT_READ for incomplete files. */
export async function openOfficers(folder: string, info: OfficersInfo): Promise<Officers> {
  const { officers: size } = info
  const bytes = await readFile(join(folder, info.index)).catch((cause: unknown) => {
    throw readError(folder, cause, OPENING)
  })
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  if (numbers.length !== 4 * size + 1) throw readError(folder, `its index does not have ${size} officers`, OPENING)
  const offsets = numbers.subarray(0, size + 1)
  const [companies, people, surnames] = [1, 2, 3].map(n => numbers.subarray(n * size + 1, (n + 1) * size + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  let file: number
  try {
    file = openSync(join(folder, info.file), 'r')
  } catch (cause) {
    throw readError(folder, cause, OPENING)
  }
  const read = (lineNumber: number): Officer => {
    const start = offsets[lineNumber] ?? 0
    const text = Buffer.alloc((offsets[lineNumber + 1] ?? 0) - start)
    readSync(file, text, 0, text.length, start)
    return readOfficer(text.toString())
  }
  const officersAt = (sorted: Float64Array, key: number, most: number): Officer[] =>
    placesBetween(sorted, key, key, most).map(read)
  return {
    size,
    ofCompany: connectId => officersAt(companies, keyOf(connectId), size).filter(one => one.connectId === connectId),
    ofPerson: peopleId =>
      officersAt(people, keyOf(tokenOf(peopleId)), size).filter(one => tokenOf(one.peopleId) === tokenOf(peopleId)),
    bySurname: (lastName, most) => officersAt(surnames, surnameKey(lastName), most),
    first: most => Array.from({ length: Math.min(most, size) }, (_, lineNumber) => read(lineNumber)),
    close: () => closeSync(file),
  }
}

/** The sorted names of the current officers of a company, separated by semicolons. */
export const currentOfficers =
  (officers: Officers) =>
  (connectId: string): string =>
    officers
      .ofCompany(connectId)
      .filter(({ resigned }) => resigned === '')
      .map(({ name }) => name)
      .sort()
      .join('; ')

/** Joins the officers of several registers. The first register with officers of a company, or positions of a person, wins. */
export const joinOfficers = (all: readonly Officers[]): Officers => ({
  size: all.reduce((sum, one) => sum + one.size, 0),
  ofCompany: connectId => all.map(one => one.ofCompany(connectId)).find(found => found.length > 0) ?? [],
  ofPerson: peopleId => all.map(one => one.ofPerson(peopleId)).find(found => found.length > 0) ?? [],
  bySurname: (lastName, most) => all.flatMap(one => one.bySurname(lastName, most)).slice(0, most),
  first: most => all.flatMap(one => one.first(most)).slice(0, most),
  close() {
    for (const one of all) one.close()
  },
})
