/**
 * Change sets made by holding the registers as they lie on disk against what was last known of the watched companies: a register
 * imported again since then is read once, line by line. It knows no rule. Where two registers hold a company the one named first
 * speaks for it, as it does in matching.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf, type RegisterInfo, registerInfo } from '../register/files.ts'
import type { Applied, Change, ChangeSet, ChangeSource } from './change-source.ts'
import { differences, type Facts, factsOf, GONE, type Registered } from './facts.ts'

/** An import's number: the moment of the import. */
const sequenceOf = ({ importedAt }: RegisterInfo): number => Date.parse(importedAt)

async function* companiesOf(dir: string, { name, file }: RegisterInfo): AsyncGenerator<Registered> {
  const handle = await open(join(folderOf(dir, name), file))
  for await (const line of handle.readLines()) yield JSON.parse(line) as Registered
}

/** The change sets of these registers of a folder, in the order in which they were opened. */
export const snapshotChanges = (dir: string, names: readonly string[]): ChangeSource => ({
  async *after({ sequences, watched }: Applied): AsyncGenerator<ChangeSet> {
    const infos = await Promise.all(names.map(name => registerInfo(dir, name)))
    const newer = infos.filter(info => sequenceOf(info) > (sequences.get(info.name) ?? Number.NEGATIVE_INFINITY))
    const [first] = newer
    if (first === undefined) return
    const left = new Map(watched())
    const changes = new Map(newer.map(({ name }): [string, Change[]] => [name, []]))
    const note = (register: string, connectId: string, before: Facts, after: Facts): void => {
      // A company may have come to a register that is not new because another one dropped it.
      const list = changes.get(register) ?? changes.get(first.name)
      for (const one of differences(before, after)) list?.push({ connectId, ...one })
    }
    for (const info of left.size === 0 ? [] : infos) {
      for await (const company of companiesOf(dir, info)) {
        const before = left.get(company.connectId)
        if (before === undefined || !left.delete(company.connectId)) continue
        note(info.name, company.connectId, before, factsOf(company))
      }
    }
    for (const [connectId, before] of left) note(first.name, connectId, before, GONE)
    for (const info of newer) {
      const { name: register, snapshotDate } = info
      yield { register, sequence: sequenceOf(info), snapshotDate, changes: changes.get(register) ?? [] }
    }
  },
})
