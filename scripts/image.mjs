/**
 * Writes what the container image holds into the folder that is named: the published files, and a manifest with the optional packages
 * among the dependencies, since nothing can be installed beside fettle later. `npm install` then takes the versions of the lock file.
 * Needs `npm run build` first.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
if (process.argv[2] === undefined) throw new Error('usage: node scripts/image.mjs FOLDER')
const folder = resolve(process.argv[2])

mkdirSync(folder, { recursive: true })
const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
const [{ filename }] = JSON.parse(execFileSync('npm', packing, { cwd: root, encoding: 'utf8' }))
execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder, '--strip-components=1', '--no-same-owner'])
rmSync(join(folder, filename))

const { devDependencies, peerDependencies, peerDependenciesMeta, scripts, overrides, ...manifest } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
// `$yaml` names a package of the tools, which are left out.
const { yaml, ...kept } = overrides
const dependencies = { ...manifest.dependencies, ...peerDependencies }
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, dependencies, overrides: kept }, null, 2)}\n`)
copyFileSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
chmodSync(join(folder, manifest.bin.fettle), 0o755)
