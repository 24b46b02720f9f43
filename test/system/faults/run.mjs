/**
 * `npm run test:faults`: plays every cell of the matrix, where `npm test` plays one of each place. Arguments are passed to
 * vitest.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const args = process.argv.length > 2 ? process.argv.slice(2) : ['test/system/faults']
const { status } = spawnSync(process.execPath, [vitest, 'run', ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FAULTS: 'full' },
})
process.exitCode = status ?? 1
