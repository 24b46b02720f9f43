/** The registers of a run: from the command line, the pipeline, FETTLE_REGISTER, or every imported one. */

import { hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { realClock } from '../client/clock.ts'
import { defined } from '../defined.ts'
import { type Env, findDataDir, registersOf, text } from '../env/environment.ts'
import { packageInfo } from '../env/package-info.ts'
import { action, FettleError, type Issue, issue, type Place } from '../errors.ts'
import type { Pipeline, Plan, PlannedRegister, PlannedService, TableRegister } from '../pipeline/index.ts'

export const findRegisterDir = (dataDir: string): string => join(dataDir, 'registers')

export const findScreeningDir = (dataDir: string): string => join(dataDir, 'screening')

const DAY = 86_400_000

/** Screening lists that are older than a pipeline allows: by their import, or by the file that was imported. */
export async function oldLists(age: number, env: Env, now: number, at: Place | null): Promise<Issue[]> {
  const { readLists } = await import('../service/screening/index.ts')
  const lists = await readLists(findScreeningDir(findDataDir(env)))
  const next = { hint: 'Import a screening list.', action: action('screening', 'import', 'opensanctions', 'FILE') }
  if (lists.length === 0) return [issue('FETTLE_SCREENING_OLD', 'no screening list was imported', { at, ...next })]
  return lists.flatMap(({ name, importedAt, snapshotDate }) => {
    // The file was changed at some time of this day.
    const since = Math.min(Date.parse(importedAt), Date.parse(snapshotDate) + DAY)
    // A day in the future is another clock; more is a wrong one, by which a list of any age is new.
    if (now - since <= age && since - now <= DAY) return []
    if (since > now)
      return [issue('FETTLE_SCREENING_OLD', `the screening list "${name}" was imported ${importedAt}, in the future`, { at })]
    const message = `the screening list "${name}" is of ${snapshotDate}, imported ${importedAt.slice(0, 10)}: older than screen.lists.age`
    return [issue('FETTLE_SCREENING_OLD', message, { at })]
  })
}

/** The proof that a pipeline asks for: see `proveScreening`. */
export async function proveLists(screen: Pipeline['screen'], env: Env, at: Place | null): Promise<Issue[]> {
  if (screen?.verify === undefined) return []
  const { proveScreening } = await import('../screening-proof/planned.ts')
  const dataDir = findDataDir(env)
  const { version } = packageInfo()
  return proveScreening(screen, { dataDir, dir: findScreeningDir(dataDir), version, now: new Date(realClock.now()), at })
}

interface RegisterChoice {
  readonly env: Env
  /** Of the command line; null for none. */
  readonly register: readonly string[] | null
}

/** The names asked for; null for every imported register. */
export const wantedRegisters = ({ env, register }: RegisterChoice, own: readonly string[] | null): readonly string[] | null =>
  register ?? own ?? registersOf(env)

/** A name of a register: of a path, and of a mark that differs between lists of one name. */
export function nameTable(path: string, mark: unknown): string {
  const stem = basename(path)
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 27)
  return `${stem}-${hash('sha256', JSON.stringify(mark)).slice(0, 12)}`.replace(/^-+/, '').replace(/-+/g, '-')
}

export const isTable = (register: Pipeline['register']): register is TableRegister =>
  register !== null && register !== undefined && 'file' in register

/** The names of the registers of a pipeline. A list has its name by its path: a list that has changed takes the place of the earlier one. */
export function registerNames(register: Pipeline['register'], cwd: string): readonly string[] | null {
  if (register === null || register === undefined) return null
  if (!isTable(register)) return register
  return [nameTable(register.file, [resolve(cwd, register.file), register])]
}

interface Registers {
  readonly registers: readonly PlannedRegister[]
  /** Sorted codes of the countries of their companies; null if unknown. */
  readonly countries: readonly string[] | null
  readonly hasOfficers: boolean
  /** The names of those without a company. */
  readonly empty: readonly string[]
}

/** Throws FETTLE_REGISTER_NONE when there is nothing to match against, FETTLE_REGISTER_UNKNOWN for a name without a register. */
export async function findRegisters(env: Env, wanted: readonly string[] | null): Promise<Registers> {
  const { chooseRegisters, listRegisters, registerDigest, SAMPLE } = await import('../service/registers/index.ts')
  const dir = findRegisterDir(findDataDir(env))
  const isOnlySample = wanted?.every(name => name === SAMPLE) ?? false
  if (
    !isOnlySample &&
    (await listRegisters(dir)).every(
      ({ name, isNamedOnly }) => name === SAMPLE || (isNamedOnly === true && wanted?.includes(name) !== true),
    )
  )
    throw await noRegister(env, wanted)
  const chosen = await chooseRegisters(dir, wanted ?? [])
  const countries = chosen.flatMap(({ info }) => (info === null ? [''] : Object.keys(info.countries)))
  return {
    registers: chosen.map(({ name, info }) =>
      info === null || name === SAMPLE
        ? { name, snapshotDate: null, sha256: null }
        : { name, snapshotDate: info.snapshotDate, sha256: registerDigest(info) },
    ),
    countries: countries.includes('') ? null : [...new Set(countries)].sort(),
    hasOfficers: chosen.some(({ info }) => (info?.officers?.officers ?? 0) > 0),
    empty: chosen.flatMap(({ name, info }) => (info?.companies === 0 ? [name] : [])),
  }
}

/** What the rows of a plan are matched by on this machine, without a service; the sample is imported. Throws as findRegisters does. */
export async function registersHere(
  { register, companyNumbers, precision }: Partial<Pick<Plan, 'register' | 'companyNumbers' | 'precision'>>,
  { env, register: named }: RegisterChoice,
) {
  const { importSample, SAMPLE } = await import('../service/registers/index.ts')
  const { systemClock } = await import('../service/clock.ts')
  const wanted = named ?? register?.map(({ name }) => name) ?? null
  const names = (await findRegisters(env, wanted)).registers.map(({ name }) => name)
  const dir = findRegisterDir(findDataDir(env))
  if (names.includes(SAMPLE)) await importSample(dir, systemClock)
  return { dir, names, precision, ...(companyNumbers && { companyNumbers }) }
}

/** The refusal, with the state of the data folder: a volume that is not mounted looks like a machine without registers. */
async function noRegister(env: Env, wanted: readonly string[] | null): Promise<FettleError> {
  const dataDir = findDataDir(env)
  const names = await readdir(dataDir).catch(() => null)
  const state = names === null ? 'does not exist' : names.length === 0 ? 'is empty' : 'has no imported register'
  const isSet = text(env, 'FETTLE_DATA') !== null
  const asked =
    wanted === null
      ? 'there is no register to match against'
      : `there is no register ${wanted.map(name => `"${name}"`).join(', ')}`
  const message = isSet || names !== null ? `${asked}: the data folder ${dataDir} ${state}` : `${asked}: none was imported`
  const hint = 'FETTLE_DATA names this folder: mount its volume, correct the path, or import a register.'
  const isMissing = isSet && (names ?? []).length === 0
  const next = isMissing ? { hint, action: action('register', 'import', 'csv', 'FILE') } : {}
  return new FettleError('FETTLE_REGISTER_NONE', message, next)
}

export interface PlannedRegisters {
  /** Absent for a remote service, and after an error. */
  readonly register?: readonly PlannedRegister[]
  readonly countries: readonly string[] | null
  /** Absent where it is not known. */
  readonly hasOfficers?: boolean
  readonly issues: readonly Issue[]
}

/** The registers of a plan. Throws FETTLE_USAGE for registers on the command line of a remote service. */
export async function planRegisters(
  service: PlannedService,
  choice: RegisterChoice,
  own: readonly string[] | null,
  at: Place | null,
): Promise<PlannedRegisters> {
  if (service.kind === 'remote') {
    if (choice.register !== null)
      throw new FettleError('FETTLE_USAGE', `registers cannot be chosen for ${service.url}, which has its own`, {
        hint: 'Choose no register, or use the embedded service.',
      })
    return { countries: null, issues: own === null ? [] : [unusedKey(service.url, at)] }
  }
  const wanted = wantedRegisters(choice, own)
  try {
    const { registers, ...found } = await findRegisters(choice.env, wanted)
    return { register: registers, ...found, issues: registers.some(({ name }) => name === 'sample') ? [sampleNote()] : [] }
  } catch (error) {
    return { countries: null, issues: [toIssue(error, choice.register === null && own !== null ? at : null)] }
  }
}

function toIssue(error: unknown, at: Place | null): Issue {
  if (!FettleError.is(error)) throw error
  const { code, message, hint, action: next } = error
  return issue(code, message, defined({ hint, at, action: next ?? undefined }))
}

/** The registers of an audit. */
export async function planAuditRegisters(env: Env, names: readonly string[], at: Place | null) {
  try {
    const { registers, empty } = await findRegisters(env, names)
    const issues = empty.map(name =>
      issue('FETTLE_REGISTER_NONE', `the register "${name}" has no company that a match could be compared with`, {
        at,
        hint: 'Import a list with companies into it, or name a different register.',
        action: action('register', 'import', 'csv', 'FILE'),
      }),
    )
    return { register: registers, issues }
  } catch (error) {
    return { register: undefined, issues: [toIssue(error, at)] }
  }
}

const unusedKey = (url: string, at: Place | null): Issue =>
  issue('FETTLE_REGISTER_UNUSED', `register is not used: ${url} matches against its own registers`, { severity: 'info', at })

const sampleNote = (): Issue =>
  issue('FETTLE_REGISTER_SAMPLE', 'the rows are matched against the sample register, whose companies are invented', {
    severity: 'info',
  })
