/** scripts/extras.mjs in a folder of its own, with packages that lie beside it: no registry is asked. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { folderOf, ROOT } from '../cli/fettle.ts'

let root: string
const npm = (cwd: string, ...args: string[]): string => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' })
const extras = (...groups: string[]) => promisify(execFile)(process.execPath, ['scripts/extras.mjs', ...groups], { cwd: root })
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
const folders = (): string[] => readdirSync(join(root, 'node_modules/.cache/extras'))

/** Packs @it/NAME and makes it the only package of the group. */
function offer(group: string, name: string, version: string): void {
  const source = join(root, 'sources', name)
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: `@it/${name}`, version }))
  npm(source, 'pack', '--pack-destination', root)
  const folder = join(root, 'scripts/extras', group)
  mkdirSync(folder, { recursive: true })
  const dependencies = { [`@it/${name}`]: `file:${join(root, `it-${name}-${version}.tgz`)}` }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  npm(folder, 'install', '--package-lock-only', '--offline', '--no-audit', '--no-fund')
}

beforeAll(() => {
  root = folderOf()
  mkdirSync(join(root, 'scripts'))
  cpSync(join(ROOT, 'scripts/extras.mjs'), join(root, 'scripts/extras.mjs'))
  offer('one', 'first', '1.0.0')
  offer('two', 'second', '1.0.0')
})

test('two at once install a group once, and link it; a later call does nothing', async () => {
  await Promise.all([extras('one'), extras('one', 'two')])
  expect([versionOf('@it/first'), versionOf('@it/second')]).toEqual(['1.0.0', '1.0.0'])
  expect(folders().sort()).toEqual([expect.stringMatching(/^one-\w{12}$/), expect.stringMatching(/^two-\w{12}$/)])
  const before = lstatSync(join(root, 'node_modules/@it/first')).mtimeMs
  expect((await extras('one', 'two')).stderr).toBe('')
  expect(lstatSync(join(root, 'node_modules/@it/first')).mtimeMs).toBe(before)
})

test('another lock file replaces the group, and no other', async () => {
  const [, two] = folders().sort()
  offer('one', 'first', '1.1.0')
  expect((await extras('one')).stderr).toContain('Installing the packages of scripts/extras/one\n')
  expect(versionOf('@it/first')).toBe('1.1.0')
  expect(folders().sort()).toEqual([expect.stringMatching(/^one-/), two])
})

test('links that npm removed come back without an install', async () => {
  rmSync(join(root, 'node_modules/@it'), { recursive: true })
  expect((await extras('one', 'two')).stderr).toBe('')
  expect([versionOf('@it/first'), versionOf('@it/second')]).toEqual(['1.1.0', '1.0.0'])
})

test('a package that the folder has itself stays', async () => {
  rmSync(join(root, 'node_modules/@it/first'))
  cpSync(join(root, 'sources/second'), join(root, 'node_modules/@it/first'), { recursive: true })
  await extras('one')
  expect(lstatSync(join(root, 'node_modules/@it/first')).isSymbolicLink()).toBe(false)
})

test('what npm cannot install is an error, and leaves nothing', async () => {
  offer('two', 'third', '1.0.0')
  rmSync(join(root, 'it-third-1.0.0.tgz'))
  const before = folders()
  await expect(extras('two')).rejects.toThrow('it-third-1.0.0.tgz')
  expect(folders()).toEqual(before)
})

test('a group that does not exist is an error', async () => {
  await expect(extras('three')).rejects.toThrow('scripts/extras/three')
})
