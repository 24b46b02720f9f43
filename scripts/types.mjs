/** Whether the types of the package are found and right for whoever imports it, entry point by entry point. Needs `npm run build` first. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'fettle-types-'))
try {
  // Without scripts: `prepack` would build over the files that others use.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', pack, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  // ESM only, as package.json says.
  const judge = ['--profile', 'esm-only', '--no-definitely-typed', '--', join(folder, filename)]
  execFileSync(join(root, 'node_modules/.bin/attw'), judge, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
} catch (error) {
  if (error.status === undefined) throw error
  console.error(`${error.stdout}${error.stderr}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
