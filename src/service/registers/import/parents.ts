/**
 * Parents of companies: from a column of the register, or from the relationship records of GLEIF (RR-CDF as CSV). A company gets the company
 * above it and the last one above that; of a parent that the register does not have, the id alone is known.
 */
import { basename } from 'node:path'
import { turnEvery } from '../../../loop-turns.ts'
import type { Company, Related } from '../../matching/index.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import { type RelationsInfo, readLines } from '../files.ts'
import { readColumns } from './kinds.ts'
import { emptySource, readRows, sourceFacts } from './source.ts'

interface Above {
  parent?: string
  ultimate?: string
}

const START = 'Relationship.StartNode.NodeID'
const END = 'Relationship.EndNode.NodeID'
const TYPE = 'Relationship.RelationshipType'
const STATUS = 'Relationship.RelationshipStatus'
const RECORD = 'Registration.RegistrationStatus'
const FORM = { needs: [START, END, TYPE, STATUS, RECORD], header: [START, END, TYPE, STATUS, RECORD].join(',') }

/** The types that name a parent; branches, funds and the like name none. */
const STEPS: Readonly<Record<string, keyof Above>> = {
  IS_DIRECTLY_CONSOLIDATED_BY: 'parent',
  IS_ULTIMATELY_CONSOLIDATED_BY: 'ultimate',
}

/** @throws FettleError FETTLE_INPUT_… for the source */
async function readRelations(file: string): Promise<Map<string, Above>> {
  const above = new Map<string, Above>()
  const turn = turnEvery()
  let columns: ReturnType<typeof readColumns> | null = null
  for await (const { cells } of readRows(file, { bytes: 0, lines: 0 })) {
    await turn()
    if (columns === null) {
      columns = readColumns(file, cells, FORM)
      continue
    }
    const cell = (name: string): string => columns!.cell(cells, name)
    const step = STEPS[cell(TYPE)]
    if (step === undefined || cell(END) === cell(START) || cell(STATUS) !== 'ACTIVE' || cell(RECORD) !== 'PUBLISHED') continue
    const company = above.get(cell(START)) ?? {}
    company[step] = cell(END)
    above.set(cell(START), company)
  }
  if (columns === null) throw emptySource(file, FORM)
  return above
}

/** The parents that the companies themselves name. */
async function readParents(companies: string): Promise<Map<string, Above>> {
  const above = new Map<string, Above>()
  for await (const { text } of readLines(companies)) {
    const { id, parent } = JSON.parse(text) as Company
    if (parent !== undefined && parent !== id) above.set(id, { parent })
  }
  return above
}

/** The last company above; null without one, and where the companies name each other in a circle. */
function findUltimate(id: string, above: ReadonlyMap<string, Above>): string | null {
  const seen = new Set([id])
  for (let at = id; ; ) {
    const { parent, ultimate } = above.get(at) ?? {}
    if (ultimate !== undefined) return ultimate
    if (parent === undefined) return at === id ? null : at
    if (seen.has(parent)) return null
    seen.add(parent)
    at = parent
  }
}

/**
 * Writes the companies with their parents to `target`. `relations`: the file of GLEIF; null for parents that the companies name. Returns
 * facts of that file.
 * @throws FettleError FETTLE_INPUT_… for the file
 */
export async function addParents(
  companies: string,
  relations: string | null,
  target: string,
): Promise<RelationsInfo | undefined> {
  const above = relations === null ? await readParents(companies) : await readRelations(relations)
  const ids = new Set([...above].flatMap(([id, { parent }]) => [parent ?? '', findUltimate(id, above) ?? '']))
  const known = new Map<string, Related>()
  for await (const { text } of readLines(companies)) {
    const { id, connectId, name, country } = JSON.parse(text) as Company
    if (ids.has(id)) known.set(id, { id: connectId, name, country })
  }
  const find = (id: string | null | undefined): Related | undefined =>
    id == null || id === '' ? undefined : (known.get(id) ?? { id, name: '', country: '' })
  let count = 0
  await writeWhole(target, async write => {
    for await (const { text } of readLines(companies)) {
      const { parent: _, ...company } = JSON.parse(text) as Company
      const group = { parent: find(above.get(company.id)?.parent), ultimate: find(findUltimate(company.id, above)) }
      const isAlone = group.parent === undefined && group.ultimate === undefined
      if (!isAlone) count++
      await write(`${JSON.stringify(isAlone ? company : { ...company, group })}\n`)
    }
  })
  if (relations === null) return undefined
  const { sha256 } = await sourceFacts(relations)
  return { source: basename(relations), sha256, companies: count }
}
