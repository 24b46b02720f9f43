/**
 * Names that people confirmed for companies of a register: what one list's review decided helps other lists. They are kept beside the
 * companies and outlive an import.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { parseCompanyName } from '../../normalise/company-name.ts'
import { writeWhole } from '../storage/atomic-file.ts'
import { folderOf, lockRegister, publish, type RegisterInfo, readError, readLines, registerInfo, writeError } from './files.ts'

const AliasLine = z.object({
  /** The connectId of the company. */
  company: z.string(),
  companyName: z.string(),
  name: z.string(),
  /** Who confirmed it, and when; '' where unknown. */
  by: z.string(),
  at: z.string(),
  /** Fingerprint of the row in which it was confirmed. */
  fingerprint: z.string(),
})
export type Alias = z.infer<typeof AliasLine>

interface AliasChanges {
  readonly add: readonly Alias[]
  /** Fingerprints of the rows that were decided: names confirmed in them before, and not among those to add, are removed. */
  readonly decided: ReadonlySet<string>
}

const makeKey = ({ company, name }: Alias): string => `${company} ${parseCompanyName(name).words.join(' ')}`

/** The confirmed names of a register, in the order in which they were added. Throws FETTLE_INPUT_READ for a damaged file. */
export async function readAliases(dir: string, { name, aliases }: RegisterInfo): Promise<Alias[]> {
  if (aliases === undefined) return []
  const path = join(folderOf(dir, name), aliases.file)
  try {
    const found: Alias[] = []
    for await (const { text } of readLines(path)) found.push(AliasLine.parse(JSON.parse(text)))
    if (found.length !== aliases.names) throw new Error(`it has ${found.length} names instead of ${aliases.names}`)
    return found
  } catch (cause) {
    throw readError(path, cause)
  }
}

/** The companies among these connectIds that the register has. */
async function knownCompanies(dir: string, info: RegisterInfo, wanted: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const { text } of readLines(join(folderOf(dir, info.name), info.file))) {
    const { connectId } = JSON.parse(text) as { connectId: string }
    if (wanted.has(connectId)) found.add(connectId)
  }
  return found
}

/**
 * Adds and removes confirmed names in one step. Spellings with the same words are one name; `unknown` companies are not in the register.
 * @throws FettleError FETTLE_REGISTER_UNKNOWN, FETTLE_LOCKED while an import runs, FETTLE_OUTPUT_WRITE
 */
export async function changeAliases(dir: string, name: string, { add, decided }: AliasChanges) {
  await registerInfo(dir, name)
  const folder = folderOf(dir, name)
  const release = lockRegister(folder)
  try {
    const info = await registerInfo(dir, name)
    const before = await readAliases(dir, info)
    const known = await knownCompanies(dir, info, new Set(add.map(({ company }) => company)))
    const usable = add.filter(alias => known.has(alias.company) && parseCompanyName(alias.name).words.length > 0)
    const wanted = new Set(usable.map(makeKey))
    const stays = (alias: Alias): boolean => !decided.has(alias.fingerprint) || wanted.has(makeKey(alias))
    const kept = new Map(before.filter(stays).map(alias => [makeKey(alias), alias]))
    const removed = before.length - kept.size
    for (const alias of usable) if (!kept.has(makeKey(alias))) kept.set(makeKey(alias), alias)
    const counts = {
      added: kept.size - (before.length - removed),
      removed,
      unknown: add.filter(({ company }) => !known.has(company)).length,
    }
    if (counts.added === 0 && removed === 0) return { info, ...counts }
    const text = [...kept.values()].map(alias => `${JSON.stringify(alias)}\n`).join('')
    const file = `aliases-${randomUUID().slice(0, 8)}.jsonl`
    const aliases = { file, names: kept.size, sha256: createHash('sha256').update(text).digest('hex') }
    const fresh: RegisterInfo = { ...info, aliases: kept.size === 0 ? undefined : aliases }
    await writeWhole(join(folder, file), write => write(text)).catch(error => {
      throw writeError(folder, error)
    })
    await publish(folder, fresh)
    return { info: fresh, ...counts }
  } finally {
    release()
  }
}
