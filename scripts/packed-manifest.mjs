/**
 * `npm pack` and `npm publish` run this: `prepack` builds and leaves the scripts, the tools and their versions out of package.json, of which
 * npm 11 reports `prepare` as an install script of the package; `postpack` (`restore`) brings the file back.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [file, original] = ['../package.json', '../package.original.json'].map(name =>
  fileURLToPath(new URL(name, import.meta.url)),
)

// Also what an interrupted pack left.
if (existsSync(original)) renameSync(original, file)
if (process.argv[2] !== 'restore') {
  await import('./prepare.mjs')
  const text = readFileSync(file, 'utf8')
  writeFileSync(original, text)
  const { scripts, devDependencies, overrides, ...manifest } = JSON.parse(text)
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
}
