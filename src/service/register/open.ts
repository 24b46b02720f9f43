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
import { joinOfficers, NO_OFFICERS, type Officers, openOfficers } from './officers-file.ts'

/** Opened registers, ready to be matched against. */
export interface Register {
  readonly infos: readonly RegisterInfo[]
  readonly companies: readonly Company[]
  readonly index: MatchIndex
  readonly byConnectId: (connectId: string) => Company | undefined
  /** Officers of the companies; to be closed when the register is needed no more. */
  readonly officers: Officers
  /** The oldest snapshot among the registers; null when none is open. */
  readonly snapshotDate: string | null
}

/** A register as it lies on disk. */
interface Read {
  readonly info: RegisterInfo
  readonly companies: Company[]
  readonly officers: Officers
}

async function readFiles(dir: string, info: RegisterInfo): Promise<Read> {
  const companies = await readLines(dir, info)
  const { officers } = info
  return {
    info,
    companies,
    officers: officers === undefined ? NO_OFFICERS : await openOfficers(folderOf(dir, info.name), officers),
  }
}

/** The companies and officers of a register; once more when an import replaced it between the two readings. */
async function readRegister(dir: string, name: string): Promise<Read> {
  const info = await registerInfo(dir, name)
  try {
    return await readFiles(dir, info)
  } catch (error) {
    const again = await registerInfo(dir, name)
    if (again.file === info.file) throw error
    return readFiles(dir, again)
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
  const officers: Officers[] = []
  const elsewhere = new Set<string>()
  for (const name of new Set(names)) {
    const read = await readRegister(dir, name)
    infos.push(read.info)
    officers.push(read.officers)
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
  return {
    infos,
    companies,
    index: buildIndex(companies),
    byConnectId: id => byId.get(id),
    officers: joinOfficers(officers),
    snapshotDate: dates[0] ?? null,
  }
}
