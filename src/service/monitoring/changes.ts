/**
 * Change sets as the registers kept them at each import, for the companies that are watched. It knows no rule. Where two registers hold
 * a company the one named first speaks for it, as it does in matching.
 */
import { join } from 'node:path'
import type { Company } from '../matching/types.ts'
import { differences, type Facts, type Field, factsOf, GONE } from '../portfolios/company-facts.ts'
import { type ChangeSetInfo, folderOf, type RegisterInfo, registerInfo } from '../registers/files.ts'
import { linesOf } from '../registers/import/lines.ts'
import { type RegisterChange, readChanges } from '../registers/index.ts'
import type { Applied, Change, ChangeSet, ChangeSource } from './change-source.ts'

/** An import's number: the moment of the import. */
const sequenceOf = ({ to }: ChangeSetInfo): number => Date.parse(to.importedAt)

/** What is known of a company after a change; a change says nothing of the fields that did not change. */
function factsAfter(before: Facts, change: RegisterChange): Facts {
  if (change.change === 'removed') return GONE
  if (change.change === 'added') return { ...before, name: change.name, status: change.status }
  return { ...before, ...fieldsOf(change, 'new') }
}

/** What the register said itself stands in for what is not known. */
const factsBefore = (known: Facts, change: RegisterChange): Facts => {
  const told = Object.entries(fieldsOf(change, 'old')).filter(([field]) => known[field as Field] === '')
  return { ...known, ...Object.fromEntries(told) }
}

function fieldsOf(change: RegisterChange, side: 'old' | 'new'): Partial<Facts> {
  if (change.change !== 'changed') return {}
  return Object.fromEntries(
    Object.entries(change.fields).flatMap(([field, value]) => (value === undefined ? [] : [[field, value[side]]])),
  )
}

/** These companies as the first of the registers that has them holds them. */
async function companiesIn(dir: string, infos: readonly RegisterInfo[], wanted: ReadonlySet<string>) {
  const found = new Map<string, { readonly register: string; readonly company: Company }>()
  for (const { name, file } of wanted.size === 0 ? [] : infos) {
    for await (const { text } of linesOf(join(folderOf(dir, name), file))) {
      const company = JSON.parse(text) as Company
      if (wanted.has(company.connectId) && !found.has(company.connectId))
        found.set(company.connectId, { register: name, company })
    }
  }
  return found
}

/** The change sets of these registers of a folder, oldest first. */
export const registerChanges = (dir: string, names: readonly string[]): ChangeSource => ({
  async *after({ sequences, watched }: Applied): AsyncGenerator<ChangeSet> {
    const infos = await Promise.all(names.map(name => registerInfo(dir, name)))
    const newer = infos
      .flatMap((info, place) => (info.changes ?? []).map(set => ({ info, place, set, sequence: sequenceOf(set) })))
      .filter(({ info, sequence }) => sequence > (sequences.get(info.name) ?? Number.NEGATIVE_INFINITY))
      .sort((a, b) => a.sequence - b.sequence)
    for (const { info, place, set, sequence } of newer) {
      const known = watched()
      const told: RegisterChange[] = []
      if (known.size > 0) for await (const one of readChanges(dir, info.name, set)) if (known.has(one.connectId)) told.push(one)
      const others = infos.filter(one => one !== info)
      const elsewhere = await companiesIn(dir, others, new Set(told.map(({ connectId }) => connectId)))
      const changes = told.flatMap((change): Change[] => {
        const { connectId } = change
        const facts = known.get(connectId)
        const other = elsewhere.get(connectId)
        const isSpokenFor = other !== undefined && names.indexOf(other.register) < place
        if (facts === undefined || isSpokenFor) return []
        const before = factsBefore(facts, change)
        const after = other !== undefined && change.change === 'removed' ? factsOf(other.company) : factsAfter(before, change)
        return differences(before, after).map(one => ({ connectId, ...one }))
      })
      yield { register: info.name, sequence, snapshotDate: set.to.snapshotDate, changes }
    }
  },
})
