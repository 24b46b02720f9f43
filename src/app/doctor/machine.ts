/** Checks of this machine: versions, disk space, the register, unfinished runs. They change nothing. */
import { constants, existsSync, readdirSync, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { action, FettleError } from '../../errors.ts'
import type { PlannedRegister } from '../../pipeline/index.ts'
import { dataDirOf, type Env } from '../env/environment.ts'
import { packageInfo } from '../env/package-info.ts'
import { findRegisters, registerDirOf, wantedRegisters } from '../prepare/registers.ts'
import { isCollected, openRunIds } from '../runs/open-runs.ts'
import { listRunIds } from '../runs/run-directory.ts'
import { parseRunId } from '../runs/run-id.ts'
import { type CheckResult, fail, ok, warn } from './check-result.ts'

export const checkVersion = (): CheckResult => {
  const { name, version } = packageInfo()
  return ok('versions', `${name} ${version}, Node ${process.version}, ${platform()} ${arch()}`)
}

const MB = 1024 ** 2
const LITTLE = 1024 * MB
const NONE = 50 * MB

/** Whether a folder can be written, or made, and how much room there is; `need` are the bytes that a run will want. */
export async function checkDisk(what: string, path: string, need: number): Promise<CheckResult> {
  let there = resolve(path)
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  const name = 'disk'
  try {
    await access(there, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(there)
    const free = bavail * bsize
    const text = `${what} ${path}: ${Math.floor(free / MB)} MB free`
    if (free < Math.max(NONE, need)) return fail(name, 'FETTLE_OUTPUT_WRITE', text, 'Make room, or name another folder.')
    return free < LITTLE ? warn(name, text, 'Make room before a long list.') : ok(name, text)
  } catch (error) {
    return fail(
      name,
      'FETTLE_OUTPUT_WRITE',
      `${what} ${path}: ${(error as Error).message}`,
      'Check permissions, or name another folder.',
    )
  }
}

const OLD_DAYS = 365
const DAY_MS = 86_400_000

/** What the embedded service would match against: the registers of the pipeline, else those of a run that names none. */
export async function checkRegister(env: Env, planned: readonly PlannedRegister[] | null, now: number): Promise<CheckResult> {
  const name = 'register'
  const { listRegisters } = await import('../../service/registers/index.ts')
  const infos = await listRegisters(registerDirOf(dataDirOf(env)))
  let registers = planned
  try {
    registers ??= (await findRegisters(env, wantedRegisters({ env, register: null }, null))).registers
  } catch (error) {
    if (!FettleError.is(error) || error.code !== 'FETTLE_REGISTER_NONE') throw error
    return warn(name, error.message, error.hint, error.action)
  }
  const own = infos.filter(info => registers.some(one => one.name === info.name && one.sha256 !== null))
  if (own.length === 0) return ok(name, 'sample: invented companies')
  const text = own.map(one => `${one.name}: ${counted(one.companies, 'company', 'companies')} of ${one.snapshotDate}`).join('; ')
  const isOld = own.some(one => now - Date.parse(one.snapshotDate) > OLD_DAYS * DAY_MS)
  return isOld ? warn(name, text, 'More than a year old: import a newer one.') : ok(name, text)
}

export function checkRuns(runsDir: string): CheckResult {
  const name = 'runs'
  const ids = listRunIds(runsDir)
  const lines = new Set(ids.map(id => parseRunId(id)!.line))
  const open = new Set([...lines].flatMap(line => openRunIds(runsDir, line)))
  const unfinished = ids.filter(id => open.has(id))
  const [newest] = unfinished
  if (newest === undefined)
    return ok(name, ids.length === 0 ? `none in ${runsDir}` : `${sizeWords(runsDir, ids)}, none unfinished`)
  const isDetached = isCollected(runsDir, newest)
  return warn(
    name,
    `${sizeWords(runsDir, ids)}, ${unfinished.length} unfinished: ${unfinished.slice(0, 5).join(', ')}`,
    `${isDetached ? 'Collect' : 'Resume'} the newest.`,
    action(isDetached ? 'collect' : 'resume', newest),
  )
}

/** `12 in fettle-runs with 3 MB, the oldest of 2026-01-31`: what `fettle runs prune` would have to remove. */
function sizeWords(runsDir: string, ids: readonly string[]): string {
  let size = 0
  for (const id of ids)
    for (const file of readdirSync(join(runsDir, id)))
      size += statSync(join(runsDir, id, file), { throwIfNoEntry: false })?.size ?? 0
  const oldest = new Date(Math.min(...ids.map(id => parseRunId(id)!.start))).toISOString().slice(0, 10)
  return `${ids.length} in ${runsDir} with ${Math.ceil(size / MB)} MB, the oldest of ${oldest}`
}
