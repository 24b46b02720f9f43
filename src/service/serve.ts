/** Opens the registers, creates the matching engine and starts the embedded service. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { FettleError } from '../errors.ts'
import { inOwnTurn } from '../loop-turns.ts'
import { systemClock } from './clock.ts'
import { streamBeyond, Threads, threadStart } from './data-cleaning/processing/threads.ts'
import {
  absentEvidence,
  companyWithId,
  type IndexImage,
  type ListFacts,
  type MatchIndex,
  match,
  type Query,
  registerOf,
  rowEvidence,
} from './matching/index.ts'
import { registerChanges } from './monitoring/changes.ts'
import type { OpenedRegisters } from './registers/current.ts'
import { type Engine, matchResultOf } from './registers/engine.ts'
import {
  chooseRegisters,
  importSample,
  openRegister,
  type Register,
  type RegisterInfo,
  registerDigest,
  registerInfo,
  SAMPLE,
} from './registers/index.ts'
import { type Service, start } from './server.ts'
import type { StartOptions } from './start-options.ts'

/** Options of `serve`. */
export interface ServeOptions extends StartOptions {
  /** Folder of the imported registers; `registers` in the data directory if absent. */
  readonly registerDir?: string
  /**
   * Names of the registers to match against; empty or absent: all registers of the folder except `sample`. `sample`, the register of invented
   * companies that ships with the package, is imported when it is named.
   */
  readonly registers?: readonly string[]
  /** Threads that match the rows of large jobs. Default: the number of cores; 0: none. */
  readonly threads?: number
  /** Keep the registers as they are at the start. Default: a register that is imported again is read again within a minute. */
  readonly keepRegisters?: boolean
}

/** Below this many rows or companies, starting threads costs more than it saves. */
const MANY_ROWS = 2_000
const MANY_COMPANIES = 10_000

/** Without what reads more of it: a thread has all of it. */
const sharedImage = ({ image: { memory, places } }: MatchIndex): IndexImage => ({ memory, places })

function threadsFor({ index }: Register, { threads }: ServeOptions): Threads | null {
  const cores = availableParallelism()
  const count = threads ?? (cores > 1 && index.companies.length >= MANY_COMPANIES ? cores : 0)
  const startThread = threadStart('match-thread')
  if (count === 0 || startThread === null) return null
  return new Threads(count, () => startThread(sharedImage(index)))
}

function createEngine({ infos, index, pages }: Register, threads: Threads | null): Engine {
  const engine: Engine = {
    match: (query, most, list) => match(index, query, most, list),
    rowEvidence: query => rowEvidence(index, query),
    absentEvidence: (query, at) => absentEvidence(index, query, at),
    at: position => index.companies.at(position),
    registerOf: position => infos[registerOf(index, position)]?.name ?? '',
    registers: infos.length,
    find: connectId => companyWithId(index, connectId),
    size: index.companies.length,
    countries: [...new Set(infos.flatMap(info => Object.keys(info.countries)))].filter(code => code !== '').sort(),
  }
  if (threads === null) return engine
  const here = (query: Query, list: ListFacts) => matchResultOf(engine.match(query, undefined, list), list)
  const loadAll = async () => pages?.loadAll()
  const image = async () => {
    await Promise.all([loadAll(), threads.endIdle()])
    return sharedImage(index)
  }
  return { ...engine, image, matchAll: streamBeyond(MANY_ROWS, here, threads, loadAll) }
}

/**
 * Starts the embedded service; it listens when the promise resolves. Throws FETTLE_REGISTER_NONE when there is no register,
 * FETTLE_REGISTER_UNKNOWN for a name without one, FETTLE_LOCKED when another service uses the data directory, FETTLE_SETTINGS when it cannot listen.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  if (typeof options?.dataDir !== 'string')
    throw new FettleError('FETTLE_SETTINGS', 'serve needs dataDir, the folder of its database', {
      hint: "Call serve({ dataDir: 'data' }).",
    })
  const { registerDir = join(options.dataDir, 'registers') } = options
  const names = (await chooseRegisters(registerDir, options.registers ?? [])).map(({ name }) => name)
  if (names.includes(SAMPLE)) await importSample(registerDir, options.clock ?? systemClock)
  let opened: Register | null = null
  const open = async (): Promise<OpenedRegisters> => {
    await inOwnTurn()
    const register = await openRegister(registerDir, names)
    opened = register
    const threads = threadsFor(register, options)
    const registers = register.infos.map(info => {
      return { name: info.name, companies: info.companies, snapshotDate: info.snapshotDate, sha256: registerDigest(info) }
    })
    return {
      engine: createEngine(register, threads),
      officers: register.officers,
      registers,
      isDamaged: () => register.pages?.isDamaged === true,
      close: async () => {
        await threads?.close()
        register.pages?.close()
      },
    }
  }
  const reopen = async (): Promise<OpenedRegisters | null> => {
    if (opened?.pages?.isDamaged === true) return open()
    if (options.keepRegisters === true) return null
    const now = await Promise.all(names.map(name => registerInfo(registerDir, name)))
    const isSame = ({ file, aliases }: RegisterInfo, at: number): boolean =>
      file === opened?.infos[at]?.file && aliases?.file === opened.infos[at]?.aliases?.file
    return now.every(isSame) ? null : open()
  }
  const { engine, registers, ...more } = await open()
  return start(options, engine, registers, { ...more, changes: registerChanges(registerDir, names), reopen })
}
