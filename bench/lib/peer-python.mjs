/** The Python packages that benchmarks compare fettle with, in a virtual environment in the cache folder of the user. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const script = name => fileURLToPath(new URL(`../peers/${name}`, import.meta.url))

export function run(command, args, options = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
    ...options,
  })
  if (status === 0) return String(stdout)
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`)
}

/** The Python of the environment in the cache, which `python` makes; `requirements` names its file. */
export function peerPython(python, requirements = 'requirements.txt') {
  const folder = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'fettle-bench',
    requirements === 'requirements.txt' ? 'peers' : requirements.replace('-requirements.txt', ''),
  )
  const installed = join(folder, 'bin', 'python')
  if (!existsSync(installed)) run(python, ['-m', 'venv', folder])
  run(installed, ['-m', 'pip', 'install', '--quiet', '--requirement', script(requirements)])
  return installed
}
