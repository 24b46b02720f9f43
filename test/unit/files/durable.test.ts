/** Durable renames and folders: what is synced, and which errors of a folder sync are ignored. */
import fs, { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFolders, renameDurably, replaceFile, syncFolder, syncFolderSync } from '../../../src/files/durable.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { folder, names } from '../input/kit.ts'

/** Makes every sync of an open file fail with `code`. */
async function failSync(code: string): Promise<void> {
  const fsyncSync = (): never => {
    throw Object.assign(new Error(code), { code })
  }
  onTestFinished(replaceBuiltin(fs, { fsyncSync }))
  const handle = await open('/dev/null')
  vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockRejectedValue(Object.assign(new Error(code), { code }))
  await handle.close()
}

afterEach(() => void vi.restoreAllMocks())

describe('syncing a folder', () => {
  test.each(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'])('ignores %s: the file system cannot sync folders', async code => {
    const root = folder()
    await failSync(code)
    await syncFolder(root)
    syncFolderSync(root)
  })

  test('reports any other error', async () => {
    const root = folder()
    await failSync('EIO')
    await expect(syncFolder(root)).rejects.toThrow('EIO')
    expect(() => syncFolderSync(root)).toThrow('EIO')
    writeFileSync(join(root, 'a'), '')
    await expect(renameDurably(join(root, 'a'), join(root, 'b'))).rejects.toThrow('EIO')
  })
})

describe('replacing a file', () => {
  test('keeps the old file until the new one is synced', async () => {
    const path = join(folder(), 'info.json')
    writeFileSync(path, 'old')
    const result = await replaceFile(path, `${path}.part`, async file => {
      await file.writeFile('new')
      expect(readFileSync(path, 'utf8')).toBe('old')
      return 7
    })
    expect([result, readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([7, 'new', 0o600])
  })

  test('removes the temporary file when writing or syncing fails', async () => {
    const root = folder()
    const path = join(root, 'info.json')
    const failing = () => Promise.reject(new Error('no more'))
    await expect(replaceFile(path, `${path}.part`, failing)).rejects.toThrow('no more')
    await failSync('EIO')
    await expect(replaceFile(path, `${path}.part`, file => file.writeFile('x'))).rejects.toThrow('EIO')
    expect(names(root)).toEqual([])
  })
})

test('creating folders returns the topmost one created', () => {
  const root = folder()
  expect(createFolders(join(root, 'a/b/c'))).toBe(join(root, 'a'))
  expect(createFolders(join(root, 'a/b/d'))).toBe(join(root, 'a/b/d'))
  expect(createFolders(join(root, 'a'))).toBeUndefined()
  mkdirSync(join(root, 'e'))
  writeFileSync(join(root, 'e/file'), '')
  expect(() => createFolders(join(root, 'e/file/g'))).toThrow(/EEXIST|ENOTDIR/)
  expect(() => createFolders('/proc/no/such')).toThrow('ENOENT')
})
