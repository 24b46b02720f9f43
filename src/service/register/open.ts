/**
 * Registers opened for matching: one or several read into memory, joined, indexed. Knows the line format of import.ts; matching itself is
 * the engine's.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { normaliseOrgNumber } from '../matching/identifiers.ts'
import { buildIndex, type Company, type MatchIndex } from '../matching/index.ts'
import { folderOf, type RegisterInfo, registerInfo } from './files.ts'

/** Opened registers, ready to be matched against. */
export interface Register {
  readonly infos: readonly RegisterInfo[]
  readonly companies: readonly Company[]
  readonly index: MatchIndex
  readonly byConnectId: (connectId: string) => Company | undefined
  /** The oldest snapshot among the registers; null when none is open. */
  readonly snapshotDate: string | null
}

/** The companies of a register; once more when an import replaced it between the two readings. */
async function readRegister(dir: string, name: string): Promise<{ info: RegisterInfo; companies: Company[] }> {
  const info = await registerInfo(dir, name)
  try {
    return { info, companies: await readLines(dir, info) }
  } catch (error) {
    const again = await registerInfo(dir, name)
    if (again.file === info.file) throw error
    return { info: again, companies: await readLines(dir, again) }
  }
}

async function readLines(dir: string, info: RegisterInfo): Promise<Company[]> {
  const path = join(folderOf(dir, info.name), info.file)
  try {
    const handle = await open(path)
    const companies: Company[] = []
    for await (const line of handle.readLines()) companies.push(JSON.parse(line) as Company)
    if (companies.length !== info.companies)
      throw new Error(`it holds ${companies.length} companies where ${info.companies} were imported`)
    return companies
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FettleError('FETTLE_INPUT_READ', `Opening the register ${path} failed: ${why}`, {
      cause,
      hint: 'Import the register again.',
    })
  }
}

/**
 * Opens registers together. A company that two of them hold (same country and organisation number) counts once: the register named
 * first wins.
 * @throws FettleError FETTLE_REGISTER_UNKNOWN, FETTLE_INPUT_READ for a damaged register
 */
export async function openRegister(dir: string, names: readonly string[]): Promise<Register> {
  const infos: RegisterInfo[] = []
  const companies: Company[] = []
  const elsewhere = new Set<string>()
  for (const name of new Set(names)) {
    const read = await readRegister(dir, name)
    infos.push(read.info)
    const own: string[] = []
    for (const company of read.companies) {
      const number = normaliseOrgNumber(company.orgNumber, company.country)
      const key = `${company.country} ${number}`
      if (number !== '' && elsewhere.has(key)) continue
      if (number !== '') own.push(key)
      companies.push(company)
    }
    for (const key of own) elsewhere.add(key)
  }
  const byId = new Map<string, Company>()
  for (const company of companies) if (!byId.has(company.connectId)) byId.set(company.connectId, company)
  const dates = infos.map(info => info.snapshotDate).sort()
  return { infos, companies, index: buildIndex(companies), byConnectId: id => byId.get(id), snapshotDate: dates[0] ?? null }
}
