/** Which registers take part: those that are named, else every imported one; never the sample, unless it is named. */
import { dirname } from 'node:path'
import { FettleError } from '../../errors.ts'
import { type Lock, takeLock } from '../../files/process-lock.ts'
import { packageFile } from '../../package-file.ts'
import { type Clock, keepingAlive } from '../clock.ts'
import { makeFolder } from '../storage/atomic-file.ts'
import { listRegisters, type RegisterInfo, registerInfo } from './files.ts'

/** The register of invented companies that ships with the package. It is imported when it is first used. */
export const SAMPLE = 'sample'

export interface ChosenRegister {
  readonly name: string
  /** Null for the sample before it is imported. */
  readonly info: RegisterInfo | null
}

/** Empty `names` stand for every imported register except the sample. Throws FETTLE_REGISTER_UNKNOWN, FETTLE_REGISTER_NONE. */
export async function chooseRegisters(dir: string, names: readonly string[]): Promise<readonly ChosenRegister[]> {
  const infos = await listRegisters(dir)
  if (names.length === 0) {
    const own = infos.filter(info => info.name !== SAMPLE)
    if (own.length === 0) throw new FettleError('FETTLE_REGISTER_NONE', `no register was imported into ${dir}`)
    return own.map(info => ({ name: info.name, info }))
  }
  return Promise.all(
    [...new Set(names)].map(async name => {
      const info = infos.find(one => one.name === name) ?? null
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
  const lock = await waitForLock(`${dir}.lock`, clock)
  try {
    if (!(await isThere()))
      await importRegister({ file: packageFile('samples/register.csv'), name: SAMPLE, dir, now: new Date(clock.now()) })
  } finally {
    lock.release()
  }
}

const waitForLock = (path: string, clock: Clock): Promise<Lock> =>
  keepingAlive(async () => {
    for (;;) {
      try {
        return takeLock(path, () => clock.now())
      } catch (error) {
        if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
        await clock.sleep(100, new AbortController().signal)
      }
    }
  })
