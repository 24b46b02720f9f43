/** What differs on Windows, on any system: paths with backslashes and drives, folders that cannot be synced, files that are held open for a moment. */
import fs, { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renameDurably, syncFolderSync } from '../../../src/files/durable.ts'
import { isInside } from '../../../src/files/inside-folder.ts'
import { isAlive, ownBeginning } from '../../../src/process.ts'
import { replaceBuiltin } from '../../support/builtin.ts'

function onPlatform(platform: NodeJS.Platform): void {
  const before = Object.getOwnPropertyDescriptor(process, 'platform')!
  Object.defineProperty(process, 'platform', { ...before, value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', before))
}

const failure = (code: string): Error => Object.assign(new Error(code), { code })

test.each([
  [win32, 'C:\\work', 'C:\\work\\out\\a.csv', true],
  [win32, 'C:\\work', 'c:\\Work', true],
  [win32, 'C:\\work', 'C:\\work\\..a.csv', true],
  [win32, 'C:\\work', 'C:\\other\\a.csv', false],
  [win32, 'C:\\work', 'C:\\', false],
  [win32, 'C:\\work', 'D:\\work\\a.csv', false],
  [win32, 'C:\\work', '\\\\server\\share\\a.csv', false],
  [posix, '/list', '/list/a.csv', true],
  [posix, '/list', '/list/..a.csv', true],
  [posix, '/list', '/lists/a.csv', false],
  [posix, '/list', '/', false],
])('a path is inside a folder or not, by the rules of the platform', (rules, folder, path, expected) => {
  expect(isInside(folder, path, rules)).toBe(expected)
})

test('a folder, which Windows cannot sync, is not opened there', () => {
  const missing = join(tmpdir(), 'fettle-no-such-folder')
  expect(() => syncFolderSync(missing)).toThrow('ENOENT')
  onPlatform('win32')
  expect(() => syncFolderSync(missing)).not.toThrow()
})

test('a rename that another program holds up is tried again on Windows only, and not without end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-windows-'))
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  writeFileSync(from, 'new')
  let left = 2
  const { rename } = fs.promises
  const held = async (...paths: Parameters<typeof rename>): Promise<void> => {
    if (left-- > 0) throw failure('EBUSY')
    await rename(...paths)
  }
  onTestFinished(replaceBuiltin(fs.promises, { rename: held }))
  await expect(renameDurably(from, to)).rejects.toThrow('EBUSY')
  onPlatform('win32')
  left = 2
  await renameDurably(from, to)
  expect(readFileSync(to, 'utf8')).toBe('new')
  writeFileSync(from, 'newer')
  left = Number.POSITIVE_INFINITY
  await expect(renameDurably(from, to)).rejects.toThrow('EBUSY')
})

test('without /proc a process is known by its number alone', () => {
  const readFileSync = (): never => {
    throw failure('ENOENT')
  }
  onTestFinished(replaceBuiltin(fs, { readFileSync }))
  expect([
    ownBeginning(),
    isAlive({ pid: process.pid }),
    isAlive({ pid: process.pid, began: '1' }),
    isAlive({ pid: 2 ** 30 }),
  ]).toEqual([undefined, true, true, false])
})
