/** Writes every generated file of the repository, or with --check fails when one is not current. Needs `npm run build` first. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const GENERATORS = [
  'structural-index.mjs',
  'notices.mjs',
  'page.mjs',
  'schema.mjs',
  'schema-report.mjs',
  'matching-doc.mjs',
  'samples.mjs',
  'docs.mjs',
]

for (const name of GENERATORS) {
  const script = fileURLToPath(new URL(name, import.meta.url))
  if (!existsSync(script)) continue
  const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
