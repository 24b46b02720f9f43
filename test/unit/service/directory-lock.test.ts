import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownBeginning, pidNamespace } from '../../../src/process.ts'
import { lockDirectory } from '../../../src/service/storage/lock.ts'

test.each([
  ['a service of another container with the same process id', process.pid, ownBeginning()],
  ['a service of another container whose process id no process here has', 999_999_999, '5'],
])('%s keeps its data directory until it has not touched the lock for three minutes', (_, pid, began) => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-lock-'))
  const path = join(folder, 'lock')
  const clock = { now: Date.now, elapsed: () => 0, sleep: () => new Promise<void>(() => {}) }
  const age = (minutes: number): void => utimesSync(path, Date.now() / 1000 - minutes * 60, Date.now() / 1000 - minutes * 60)
  writeFileSync(path, `${pid} ${began} 00000000`)
  age(2)
  expect(() => lockDirectory(folder, clock)).toThrow(`another service uses it (process ${pid})`)
  age(4)
  const release = lockDirectory(folder, clock)
  expect(readFileSync(path, 'utf8')).toContain(`${process.pid} ${ownBeginning() ?? ''} ${pidNamespace()} `)
  release()
  expect(existsSync(path)).toBe(false)
})

test('a service that was taken for dead does not remove the lock of its successor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-lock-'))
  const path = join(folder, 'lock')
  const clock = { now: Date.now, elapsed: () => 0, sleep: () => new Promise<void>(() => {}) }
  const release = lockDirectory(folder, clock)
  const successor = `999999999 5 00000000 ${'0'.repeat(12)}`
  writeFileSync(path, successor)
  release()
  expect(readFileSync(path, 'utf8')).toBe(successor)
})
