/** What differs on Windows, on any system: paths with backslashes and drives, folders that cannot be synced, files that are held open for a moment. */
import fs, { existsSync, mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolders, renameDurably, syncFolderSync } from '../../../src/files/durable.ts'
import { isInside, stepsFrom } from '../../../src/files/paths.ts'
import { takeLock } from '../../../src/files/process-lock.ts'
import { whyNotWritable } from '../../../src/pipeline/schema/paths.ts'
import { isAlive, ownBeginning } from '../../../src/process.ts'
import { lockPath } from '../../../src/runs/run-directory.ts'
import { lockDirectory } from '../../../src/service/storage/lock.ts'
import { shellCommand } from '../../../src/shell-command.ts'
import { replaceBuiltin } from '../../support/builtin.ts'

function onPlatform(platform: NodeJS.Platform): void {
  const before = Object.getOwnPropertyDescriptor(process, 'platform')!
  Object.defineProperty(process, 'platform', { ...before, value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', before))
}

const NOW = Date.UTC(2026, 0, 2)

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

test.each([
  [win32, 'C:\\lists\\**\\*.csv', 'C:\\', ['lists', '**', '*.csv']],
  [win32, 'C:/lists/a*.csv', 'C:/', ['lists', 'a*.csv']],
  [win32, '\\\\server\\share\\*.csv', '\\\\server\\share\\', ['*.csv']],
  [win32, '.\\lists\\*.csv', '', ['lists', '*.csv']],
  [posix, '/lists/*.csv', '/', ['lists', '*.csv']],
  [posix, './lists/*.csv', '', ['lists', '*.csv']],
])('a path with wildcards is walked from its drive or share, by the rules of the platform', (rules, path, start, steps) => {
  expect(stepsFrom(path, rules)).toEqual({ start, steps })
})

const PROJECT = { roots: ['C:\\work', 'D:\\shared'], base: 'C:\\work' }
test.each([
  ['out/a.csv', PROJECT, null],
  ['C:/work/out/a.csv', PROJECT, null],
  ['D:/shared/a.csv', PROJECT, null],
  ['D:/shared/aux.csv', PROJECT, 'is not a portable name: aux.csv is a device on Windows'],
  ['D:/sharedby/a.csv', PROJECT, 'names a drive, outside the project'],
  ['E:/a.csv', PROJECT, 'names a drive, outside the project'],
  ['E:/a.csv', { ...PROJECT, named: 'E:/a.csv' }, null],
  ['E:/a:b.csv', { ...PROJECT, named: 'E:/a:b.csv' }, 'is not a portable name: it contains one of < > : " | ? * \\'],
  ['//server/share/a.csv', PROJECT, 'is a network path, outside the project'],
  ['E:/a.csv', { roots: ['/work'], named: 'E:/a.csv' }, 'names a drive, outside the project'],
])(
  'an output on a drive lies inside a folder that is allowed, or where the command line names it: %s',
  (path, places, reason) => {
    expect(whyNotWritable(path, places)).toBe(reason)
  },
)

test('a pipeline named as a device of Windows has a lock', () => {
  expect(['aux', 'com1', 'auxiliary'].map(name => lockPath('runs', name))).toEqual([
    join('runs', 'locks', '_aux'),
    join('runs', 'locks', '_com1'),
    join('runs', 'locks', 'auxiliary'),
  ])
})

test('commands are quoted for the shells of the platform', () => {
  const resume = { command: 'resume', args: ["o'hara", '--to', 'a b.csv'] }
  expect(shellCommand(resume, 'C:\\my runs')).toBe("fettle resume 'o'\\''hara' --to 'a b.csv' --runs-dir 'C:\\my runs'")
  onPlatform('win32')
  expect(shellCommand(resume, 'C:\\my runs')).toBe('fettle resume "o\'hara" --to "a b.csv" --runs-dir "C:\\my runs"')
  expect(shellCommand({ command: 'status', args: [] }, 'C:\\runs')).toBe('fettle status --runs-dir C:\\runs')
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

test('a new folder whose files a scanner reads is renamed once it may be', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-windows-'))
  let left = 0
  const { renameSync } = fs
  const held = (...paths: Parameters<typeof renameSync>): void => {
    if (left-- > 0) throw failure('EPERM')
    renameSync(...paths)
  }
  onTestFinished(replaceBuiltin(fs, { renameSync: held }))
  left = 2
  expect(() => createFolders(join(folder, 'runs'), { ignored: 'itself' })).toThrow('EPERM')
  onPlatform('win32')
  left = 2
  createFolders(join(folder, 'runs'), { ignored: 'itself' })
  expect([readFileSync(join(folder, 'runs/.gitignore'), 'utf8'), existsSync(join(folder, '.runs.new'))]).toEqual(['*\n', false])
})

test('without /proc a lock whose number another program has by now is taken over once it has no beat', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'fettle-windows-')), 'lock')
  const owner = { pid: process.ppid, host: hostname(), since: '2026-01-01T00:00:00.000Z', token: 'then' }
  const lockOf = (content: object, minutes: number): void => {
    writeFileSync(path, JSON.stringify(content))
    utimesSync(path, NOW / 1000 - minutes * 60, NOW / 1000 - minutes * 60)
  }
  lockOf(owner, 9)
  expect(() => takeLock(path, () => NOW)).toThrow('holds the lock')
  lockOf(owner, 11)
  const lock = takeLock(path, () => NOW)
  expect([lock.takenFrom, lock.held()]).toEqual([owner, true])
  lock.release()
})

test('without /proc a data directory whose service is gone is taken over once its lock is not touched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-windows-'))
  const path = join(folder, 'lock')
  const age = (minutes: number): void => utimesSync(path, NOW / 1000 - minutes * 60, NOW / 1000 - minutes * 60)
  let wake = (): void => {}
  const clock = {
    now: () => NOW,
    elapsed: () => 0,
    sleep: () =>
      new Promise<void>(resolve => {
        wake = resolve
      }),
  }
  const owner = { pid: process.ppid, host: hostname(), since: '2026-01-01T00:00:00.000Z', token: 'then' }
  writeFileSync(path, JSON.stringify(owner))
  age(2)
  expect(() => lockDirectory(folder, clock)).toThrow(`another service uses it (process ${process.ppid} on ${hostname()})`)
  age(4)
  const release = lockDirectory(folder, clock)
  age(4)
  wake()
  await Promise.resolve()
  expect(statSync(path).mtimeMs).toBe(NOW)
  release()
  expect(existsSync(path)).toBe(false)
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
