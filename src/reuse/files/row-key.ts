/** The keys under which answers are stored: digests of what was asked, of one kind each, and of whose row it was. */
import { digestOf } from '../../files/file-chunks.ts'
import type { ScreenQuery } from '../../model/requests.ts'
import type { Subject } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'

type Row = readonly string[]

/** Bytes of a key, and of the digest of an owner. */
export const KEY_BYTES = 16
export const OWNER_BYTES = 8

/** Makes the key of a row: its mapped cells as they are sent, in any order of mappings, without the other columns. */
export function rowKeyMaker({ mappings }: Pick<Plan, 'mappings'>): (uploadRow: Row) => Buffer {
  const named = mappings.toSorted((a, b) => (a.mapping < b.mapping ? -1 : 1))
  const start = `row ${named.map(({ mapping }) => mapping).join()} `
  // Each cell with its length, so that different lists of cells give different texts.
  return uploadRow => {
    let text = start
    for (const { index } of named) {
      const cell = uploadRow[index] ?? ''
      text += `${cell.length}:${cell}`
    }
    return digestOf(text)
  }
}

/** The key of an AML search: the company, or a director of it, and the settings, and whether decisions need the facts of its hits. */
export function searchKey(
  { id, name, person, born }: Pick<Subject, 'id' | 'name' | 'person' | 'born'>,
  { threshold, datasets, countries, decisions }: Omit<ScreenQuery, 'name' | 'person'> & { readonly decisions?: string },
): Buffer {
  const whole = decisions === undefined ? [] : ['whole']
  const director = person === undefined ? [] : [person, born]
  return digestOf(
    `screen ${JSON.stringify([id, name, threshold, [...datasets].sort(), [...countries].sort(), ...whole, ...director])}`,
  )
}

/** The key of a question for candidates. */
export const candidatesKey = (question: string): Buffer => digestOf(`candidates ${question}`)

/** The key of a question to a decision tree, which may be changed: then it has another version. */
export const treeKey = (tree: { readonly id: string; readonly version: string } | null, question: string): Buffer =>
  digestOf(`decide ${JSON.stringify([tree?.id, tree?.version, question])}`)

const digestOwner = (text: string): Buffer => digestOf(text).subarray(0, OWNER_BYTES)

/** Whose answers they are, so that they can be forgotten: the rows of a cell of `input.key`, a company, a name. */
export const keyOwner = (cell: string): Buffer => digestOwner(`key ${cell}`)
export const companyOwner = (id: string): Buffer => digestOwner(`company ${id}`)
export const nameOwner = (name: string): Buffer => digestOwner(`name ${name}`)
