/**
 * Writes what the container image holds into the folder that is named: the published files, and a manifest with the optional packages
 * among the dependencies, since nothing can be installed beside fettle later, with their lock file. `npm ci` then installs them.
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

const read = name => JSON.parse(readFileSync(join(root, name), 'utf8'))
const { devDependencies, peerDependencies, peerDependenciesMeta, scripts, ...manifest } = read('package.json')
const { dependencies, overrides } = read('scripts/extras/optional/package.json')
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, dependencies, overrides }, null, 2)}\n`)
copyFileSync(join(root, 'scripts/extras/optional/package-lock.json'), join(folder, 'package-lock.json'))
chmodSync(join(folder, manifest.bin.fettle), 0o755)
