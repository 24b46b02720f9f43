/** Checks that the types of each entry are found, and that they need none of other packages. Needs `npm run build` first. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const declarations = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.d.ts'))
const foreign = declarations.flatMap(name => {
  const text = readFileSync(join(dist, name), 'utf8')
  const found = text.matchAll(/^(?:import|export)\b[^'"]*\bfrom\s+["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm)
  const targets = [...found].map(([, one, other]) => one ?? other)
  return targets.filter(to => !/^(?:\.|node:)/.test(to)).map(to => `${name} imports the types of ${to}`)
})
if (foreign.length > 0 || declarations.length === 0) {
  console.error(foreign.join('\n') || 'dist has no declarations: run npm run build')
  process.exitCode = 1
}

const folder = mkdtempSync(join(tmpdir(), 'fettle-types-'))
try {
  // Without scripts: `prepare` would build over the files that others use.
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
