/** Chooses the registers that take part, and opens them for matching as one index, which is read from its file or built and stored. */
import { dirname, join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { waitForLock } from '../../files/process-lock.ts'
import { turnEvery } from '../../loop-turns.ts'
import { packageFile } from '../../package-file.ts'
import { type Clock, keepingAlive } from '../clock.ts'
import { type Column, type Company, IndexBuilder, type MatchIndex, pack, viewIndex } from '../matching/index.ts'
import { makeFolder } from '../storage/atomic-file.ts'
import { readAliases } from './aliases.ts'
import { folderOf, listRegisters, type RegisterInfo, readError, readLines, registerInfo } from './files.ts'
import { joinOfficers, NO_OFFICERS, type Officers, openOfficers } from './officers.ts'
import { type IndexPages, indexDigest, indexPath, loadIndex, type StoreColumn, storeIndex } from './stored-index.ts'

/** The register of invented companies that ships with the package. It is imported when it is first used. */
export const SAMPLE = 'sample'

interface ChosenRegister {
  readonly name: string
  /** Null for the sample before it is imported. */
  readonly info: RegisterInfo | null
}

/** Empty `names` stand for every imported register except the sample. Throws FETTLE_REGISTER_UNKNOWN, FETTLE_REGISTER_NONE. */
export async function chooseRegisters(dir: string, names: readonly string[]): Promise<readonly ChosenRegister[]> {
  const infos = await listRegisters(dir)
  if (names.length === 0) {
    const own = infos.filter(info => info.name !== SAMPLE && info.isNamedOnly !== true)
    if (own.length === 0) throw new FettleError('FETTLE_REGISTER_NONE', `no register was imported into ${dir}`)
    return own.map(info => ({ name: info.name, info }))
  }
  return Promise.all(
    [...new Set(names)].map(async name => {
      const info = infos.find(info => info.name === name) ?? null
      return { name, info: info === null && name !== SAMPLE ? await registerInfo(dir, name) : info }
    }),
  )
}

/** Imports the sample unless it is there. A lock serialises processes that start at the same time. */
export async function importSample(dir: string, clock: Clock): Promise<void> {
  const isThere = async (): Promise<boolean> => (await listRegisters(dir)).some(info => info.name === SAMPLE)
  if (await isThere()) return
  const { importRegister } = await import('./import/import.ts')
  await makeFolder(dirname(dir))
  const pause = (): Promise<void> => clock.sleep(100, new AbortController().signal)
  const lock = await keepingAlive(() => waitForLock(`${dir}.lock`, () => clock.now(), pause))
  try {
    if (!(await isThere()))
      await importRegister({ file: packageFile('samples/register.csv'), name: SAMPLE, dir, now: new Date(clock.now()) })
  } finally {
    lock.release()
  }
}

export interface Register {
  readonly infos: readonly RegisterInfo[]
  readonly index: MatchIndex
  /** What is left of a stored index to read; null when all of it is in memory. The owner of the register closes it. */
  readonly pages: IndexPages | null
  /** Officers of the companies; the owner of the register closes them. */
  readonly officers: Officers
  /** The oldest snapshot among the registers; null when none is open. */
  readonly snapshotDate: string | null
}

/** The index of a smaller register is not stored: building it takes no longer than writing it. */
const MIN_STORED = 1_000

/** The companies as they were imported. Throws FETTLE_INPUT_READ for a damaged file. */
export async function* readCompanies(dir: string, info: RegisterInfo): AsyncGenerator<Company> {
  const path = join(folderOf(dir, info.name), info.file)
  let companies = 0
  try {
    for await (const { text } of readLines(path)) {
      companies++
      yield JSON.parse(text) as Company
    }
    if (companies !== info.companies) throw new Error(`it has ${companies} companies instead of ${info.companies}`)
  } catch (cause) {
    throw readError(path, cause)
  }
}

/**
 * Builds the index and stores its columns. A connectId without an organisation number comes from the register's own id, which another register may have given
 * to another company: the later one gets the name of its register appended.
 */
async function build(dir: string, infos: readonly RegisterInfo[], store: StoreColumn): Promise<void> {
  const builder = new IndexBuilder()
  const taken = new Set<string>()
  const turn = turnEvery()
  for (const [at, { name }] of infos.entries()) {
    const own: string[] = []
    const confirmed = new Map<string, string[]>()
    for (const alias of await readAliases(dir, infos[at]!))
      confirmed.set(alias.company, [...(confirmed.get(alias.company) ?? []), alias.name])
    builder.startRegister()
    for await (const company of readCompanies(dir, infos[at]!)) {
      await turn()
      const { connectId, orgNumber } = company
      const other = { ...company, connectId: `${connectId}_${name.replaceAll('-', '_')}` }
      builder.add(taken.has(connectId) ? other : company, confirmed.get(connectId))
      const piece = builder.spill()
      if (piece !== null) await store(...piece)
      if (orgNumber === '' && at < infos.length - 1) own.push(connectId)
    }
    for (const connectId of own) taken.add(connectId)
  }
  for (const column of builder.finish()) await store(...column)
}

const findOldest = (infos: readonly RegisterInfo[]): string | null => infos.map(info => info.snapshotDate).sort()[0] ?? null

type Opened = Pick<Register, 'index' | 'pages'>

async function buildInMemory(dir: string, infos: readonly RegisterInfo[]): Promise<Opened> {
  const columns: [string, Column][] = []
  await build(dir, infos, async (...column) => void columns.push(column))
  return { index: viewIndex(pack(columns)), pages: null }
}

async function openIndex(dir: string, infos: readonly RegisterInfo[]): Promise<Opened> {
  const companies = infos.reduce((sum, info) => sum + info.companies, 0)
  if (companies < MIN_STORED) return buildInMemory(dir, infos)
  const path = indexPath(dir, infos)
  const digest = await indexDigest(infos)
  const load = async (): Promise<Opened | null> => {
    const image = await loadIndex(path, digest)
    return image && { index: viewIndex(image), pages: image.pages }
  }
  const stored = await load()
  if (stored !== null) return stored
  try {
    await storeIndex(path, { digest, snapshotDate: findOldest(infos), companies }, store => build(dir, infos, store))
  } catch (error) {
    // What the register itself is wrong about would be wrong again.
    if (FettleError.is(error)) throw error
    // If the index cannot be stored, for example on a full disk, the next start builds it again.
    return buildInMemory(dir, infos)
  }
  return (await load()) ?? buildInMemory(dir, infos)
}

async function openAllOfficers(dir: string, infos: readonly RegisterInfo[]): Promise<Officers> {
  const opened: Officers[] = []
  try {
    for (const { name, officers } of infos)
      opened.push(officers === undefined ? NO_OFFICERS : await openOfficers(folderOf(dir, name), officers))
  } catch (error) {
    for (const officers of opened) officers.close()
    throw error
  }
  return joinOfficers(opened)
}

async function openAll(dir: string, infos: readonly RegisterInfo[]): Promise<Register> {
  const officers = await openAllOfficers(dir, infos)
  try {
    return { infos, officers, snapshotDate: findOldest(infos), ...(await openIndex(dir, infos)) }
  } catch (error) {
    officers.close()
    throw error
  }
}

/**
 * Opens registers together. The companies of the first one come first in the index. Retries once when an import replaced a register after
 * its info was read.
 * @throws FettleError FETTLE_REGISTER_UNKNOWN, FETTLE_INPUT_READ for a damaged register
 */
export async function openRegister(dir: string, names: readonly string[]): Promise<Register> {
  const readInfos = () => Promise.all([...new Set(names)].map(name => registerInfo(dir, name)))
  const infos = await readInfos()
  try {
    return await openAll(dir, infos)
  } catch (error) {
    const again = await readInfos()
    if (again.every(({ file }, at) => file === infos[at]?.file)) throw error
    return await openAll(dir, again)
  }
}
