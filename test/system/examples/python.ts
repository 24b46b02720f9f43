/**
 * Installs Python packages for the tests of examples/ from PyPI, once for each requirements file, in the user's cache. If PyPI
 * cannot be reached, the tests are skipped with a message.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../cli/fettle.ts'
import { CACHE } from './kit.ts'

const call = promisify(execFile)
/** Installs in seconds what pip takes minutes for. */
const UV = 'uv==0.13.9'

/** The distribution's own Python; the one of a version manager may be of any version. */
export const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync) ?? 'python3'

/** Makes a folder of the cache, whole or not at all: several test files may want it at once. */
async function once(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const place = join(CACHE, name)
  if (existsSync(place)) return place
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, '.making-'))
  try {
    await make(draft)
    renameSync(draft, place)
  } catch (error) {
    // Another file was faster.
    if (!existsSync(place)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return place
}

const key = (...texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12)

/** The folder of uv. Throws where neither pip nor PyPI is there. */
const installer = (): Promise<string> =>
  once(`uv-${key(UV)}`, async folder => {
    await call(PYTHON, ['-m', 'venv', join(folder, 'pip')])
    await call(join(folder, 'pip/bin/python'), [
      '-m',
      'pip',
      'install',
      '-q',
      '--retries',
      '1',
      '--no-deps',
      '--target',
      join(folder, 'uv'),
      UV,
    ])
  })

/** Why there are no Python packages to be had, null when there are. */
export const pythonMissing: string | null = await installer().then(
  () => null,
  (error: Error & { stderr?: string }) => (error.stderr || error.message).trim().split('\n').at(-1) ?? 'unknown',
)
if (pythonMissing !== null)
  process.stderr.write(
    `\n\nTHE EXAMPLES FOR AIRFLOW, DAGSTER AND PREFECT ARE NOT RUN, SHAPES NOT CHECKED, THE DESCRIPTION NOT FUZZED: nothing can be installed from PyPI\n${pythonMissing}\n(${PYTHON} with venv and pip is needed, apt-get install python3-venv, and a way to PyPI)\n\n\n`,
  )

/** The `bin` of an environment with the packages of a requirements file of the repository. */
export async function pythonWith(requirements: string): Promise<string> {
  const path = join(ROOT, requirements)
  const uv = join(await installer(), 'uv/bin/uv')
  const { stdout } = await call(PYTHON, ['--version'])
  const name = `${basename(dirname(requirements))}-${key(readFileSync(path, 'utf8'), stdout)}`
  // Relocatable, since it is renamed into place.
  const folder = join(CACHE, name, 'env')
  await once(name, async draft => {
    await call(uv, ['venv', '-q', '--python', PYTHON, '--relocatable', join(draft, 'env')])
    await call(uv, ['pip', 'install', '-q', '--python', join(draft, 'env/bin/python'), '-r', path], { timeout: 300_000 })
  })
  return join(folder, 'bin')
}
