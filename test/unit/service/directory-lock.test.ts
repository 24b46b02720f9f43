import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownBeginning } from '../../../src/process.ts'
import { lockDirectory } from '../../../src/service/storage/lock.ts'

test.each([
  ['a service of another container with the same process id', process.pid, ownBeginning()],
  ['a service of another container whose process id no process here has', 999_999_999, '5'],
])('%s keeps its data directory until it has not touched the lock for three minutes', (_, pid, began) => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-lock-'))
  const path = join(folder, 'lock')
  const clock = { now: Date.now, elapsed: () => 0, sleep: () => new Promise<void>(() => {}) }
  const age = (minutes: number): void => utimesSync(path, Date.now() / 1000 - minutes * 60, Date.now() / 1000 - minutes * 60)
  const owner = { pid, began, space: '00000000', host: hostname(), since: '2026-01-01T00:00:00.000Z', token: 'theirs' }
  writeFileSync(path, JSON.stringify(owner))
  age(2)
  expect(() => lockDirectory(folder, clock)).toThrow(`another service uses it (process ${pid} on ${hostname()})`)
  age(4)
  const release = lockDirectory(folder, clock)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, began: ownBeginning() })
  release()
  expect(existsSync(path)).toBe(false)
})

test('a service that was taken for dead does not remove the lock of its successor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-lock-'))
  const path = join(folder, 'lock')
  const clock = { now: Date.now, elapsed: () => 0, sleep: () => new Promise<void>(() => {}) }
  const release = lockDirectory(folder, clock)
  const successor = JSON.stringify({ pid: 999_999_999, host: 'elsewhere', since: '2026-01-01T00:00:00.000Z', token: 'theirs' })
  writeFileSync(path, successor)
  release()
  expect(readFileSync(path, 'utf8')).toBe(successor)
})
