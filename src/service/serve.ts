/** The embedded service on registers: opens them, makes the engine of them, and starts. It knows no request. */
import { FettleError } from '../errors.ts'
import type { Engine } from './jobs/engine.ts'
import { type Company, match } from './matching/index.ts'
import { listRegisters, openRegister, type Register } from './register/index.ts'
import { type Service, type StartOptions, start } from './start.ts'

/** How the service is started, and on what. */
export interface ServeOptions extends StartOptions {
  /** Folder of the imported registers. */
  readonly registerDir: string
  /** Names of the registers to match against; empty: all of the folder. */
  readonly registers: readonly string[]
}

const engineOf = ({ infos, index, companies, byConnectId }: Register): Engine => ({
  match: (query, most) => match(index, query, most),
  at: position => companies[position] as Company,
  find: connectId => byConnectId(connectId) ?? null,
  size: companies.length,
  countries: [...new Set(infos.flatMap(info => Object.keys(info.countries)))].filter(code => code !== '').sort(),
})

/**
 * Starts the embedded service; it listens when the promise resolves. Throws FETTLE_REGISTER_UNKNOWN when there is nothing to
 * match against, FETTLE_LOCKED when another service has the data directory, FETTLE_SETTINGS when it cannot listen.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  const { registerDir } = options
  const found = options.registers.length > 0 ? [] : await listRegisters(registerDir)
  const names = [...options.registers, ...found.map(register => register.name)]
  if (names.length === 0) {
    throw new FettleError('FETTLE_REGISTER_UNKNOWN', `Cannot start the service: there is no register in ${registerDir}.`)
  }
  const register = await openRegister(registerDir, names)
  const registers = register.infos.map(({ name, companies, snapshotDate }) => ({ name, companies, snapshotDate }))
  return start(options, engineOf(register), registers, register.officers)
}
