/**
 * The changes of the registers that monitoring reads: the change sets that the imports recorded, for the monitored companies. If two
 * registers have a company, the one named first decides, as in matching.
 */
import { join } from 'node:path'
import type { Company } from '../matching/types.ts'
import { type Difference, differences, type Facts, type Field, GONE, readFacts } from '../portfolios/company-facts.ts'
import { folderOf, type RegisterInfo, readLines, registerInfo } from '../registers/files.ts'
import { type RegisterChange, readChanges } from '../registers/index.ts'

/** `old` is '' when the register had no value before. */
export type Change = Difference & { readonly connectId: string }

export interface ChangeSet {
  readonly register: string
  readonly sequence: number
  /** Day of the newer data, `2026-01-31`. */
  readonly snapshotDate: string
  readonly changes: AsyncIterable<Change> | Iterable<Change>
}

interface Applied {
  /** Sequence of the last applied set of each register, if any. */
  readonly sequences: ReadonlyMap<string, number>
  /** The last known state of the monitored companies; changes of others may be omitted. */
  watched(): ReadonlyMap<string, Facts>
}

/** Yields the pending change sets, oldest first. */
export type ChangeSource = { after(applied: Applied): AsyncIterable<ChangeSet> }

/** A source without changes. */
export const UNCHANGING: ChangeSource = { async *after() {} }

/** The state of a company after a change. A change contains only the changed fields. */
export function factsAfter(before: Facts, change: RegisterChange): Facts {
  if (change.change === 'removed') return GONE
  if (change.change === 'added') return { ...before, name: change.name, status: change.status }
  return { ...before, ...readFields(change, 'new') }
}

export function readFields(change: RegisterChange, side: 'old' | 'new'): Partial<Facts> {
  if (change.change !== 'changed') return {}
  return Object.fromEntries(
    Object.entries(change.fields).flatMap(([field, value]) => (value === undefined ? [] : [[field, value[side]]])),
  )
}

/** The companies with these connectIds, each from the first register that has it. */
async function companiesIn(dir: string, infos: readonly RegisterInfo[], wanted: ReadonlySet<string>) {
  const found = new Map<string, { readonly register: string; readonly company: Company }>()
  for (const { name, file } of wanted.size === 0 ? [] : infos) {
    for await (const { text } of readLines(join(folderOf(dir, name), file))) {
      const company = JSON.parse(text) as Company
      if (wanted.has(company.connectId) && !found.has(company.connectId))
        found.set(company.connectId, { register: name, company })
    }
  }
  return found
}

export const registerChanges = (dir: string, names: readonly string[]): ChangeSource => ({
  async *after({ sequences, watched }: Applied): AsyncGenerator<ChangeSet> {
    const infos = await Promise.all(names.map(name => registerInfo(dir, name)))
    const newer = infos
      .flatMap((info, place) => (info.changes ?? []).map(set => ({ info, place, set, sequence: Date.parse(set.to.importedAt) })))
      .filter(({ info, sequence }) => sequence > (sequences.get(info.name) ?? Number.NEGATIVE_INFINITY))
      .sort((a, b) => a.sequence - b.sequence)
    for (const { info, place, set, sequence } of newer) {
      const known = watched()
      const relevant: RegisterChange[] = []
      if (known.size > 0)
        for await (const change of readChanges(dir, info.name, set)) if (known.has(change.connectId)) relevant.push(change)
      const others = infos.filter(other => other !== info)
      const inOthers = await companiesIn(dir, others, new Set(relevant.map(({ connectId }) => connectId)))
      const changes = relevant.flatMap((change): Change[] => {
        const { connectId } = change
        const facts = known.get(connectId)
        const other = inOthers.get(connectId)
        const isOverridden = other !== undefined && names.indexOf(other.register) < place
        if (facts === undefined || isOverridden) return []
        const oldValues = Object.entries(readFields(change, 'old')).filter(([field]) => facts[field as Field] === '')
        const before = { ...facts, ...Object.fromEntries(oldValues) }
        const after = other !== undefined && change.change === 'removed' ? readFacts(other.company) : factsAfter(before, change)
        return differences(before, after).map(difference => ({ connectId, ...difference }))
      })
      yield { register: info.name, sequence, snapshotDate: set.to.snapshotDate, changes }
    }
  },
})
