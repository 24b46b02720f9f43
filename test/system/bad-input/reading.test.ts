/** Inputs that fail while they are read: a disk that fails late, a file that changes. */
import { appendFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { folderOf } from '../cli/fettle.ts'
import { inProcess } from './kit.ts'
import { BASE } from './row.ts'

const CONTENT = `Name,Country\n${'Acme,GB\n'.repeat(1_000_000)}`

afterEach(() => vi.restoreAllMocks())

/** Calls `then` at the first read beyond so many bytes of a file; what it throws is what the disk says. */
async function atByte(offset: number, then: () => void): Promise<void> {
  const handle = await open(import.meta.filename)
  const prototype = Object.getPrototypeOf(handle) as { read: FileHandle['read'] }
  await handle.close()
  const { read } = prototype
  let isDone = false
  vi.spyOn(prototype, 'read').mockImplementation(async function (this: FileHandle, ...args: unknown[]) {
    if (!isDone && (args[3] as number) > offset) {
      isDone = true
      then()
    }
    return (read as (...all: unknown[]) => never).apply(this, args)
  } as never)
}

async function checked(then: (path: string) => void, offset: number) {
  const cwd = folderOf({ 'p.yml': BASE, 'rows.csv': CONTENT })
  await atByte(offset, () => then(join(cwd, 'rows.csv')))
  return inProcess(['check', 'p.yml'], cwd, {})
}

test('C1: a disk that fails at row 900,000 is named with byte and record', async () => {
  const fail = (): never => {
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  }
  const { code, stdout, stderr } = await checked(fail, 900_000 * 8)
  expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
  const [, byte, record] = /error FETTLE_INPUT_READ rows\.csv\n {2}.*EIO.*after byte (\d+), record (\d+)/.exec(stderr) ?? []
  expect(Number(byte)).toBeGreaterThan(7_000_000)
  expect(Math.abs(Number(record) - Number(byte) / 8)).toBeLessThan(5)
})

const CHANGES: Record<string, (path: string) => void> = {
  grows: path => appendFileSync(path, 'Bolt,GB\n'),
  shrinks: path => truncateSync(path, CONTENT.length - 8),
  'is replaced': path => {
    writeFileSync(`${path}.new`, CONTENT)
    renameSync(`${path}.new`, path)
  },
  'is written to in place': path => {
    writeFileSync(path, CONTENT.replace('Acme', 'Bolt'))
    utimesSync(path, 1, 1)
  },
}

test.each(Object.entries(CHANGES))('C27: a file that %s while it is read is rejected', async (_, change) => {
  const { code, stdout, stderr } = await checked(change, 3_000_000)
  expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
  expect(stderr).toMatch(/^error FETTLE_INPUT_CHANGED rows\.csv\n {2}rows\.csv changed while being read\n {2}hint: /m)
})
