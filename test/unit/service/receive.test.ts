/** A file that breaks off while it is still being opened, or is refused on its way, leaves nothing behind (faults H15, H17, H20). */
import fs from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Multipart } from '@fastify/multipart'
import { expect, onTestFinished, test, vi } from 'vitest'
import { receive } from '../../../src/service/data-cleaning/upload-route.ts'
import { LIMITS } from '../../../src/service/limits.ts'
import { Refusal } from '../../../src/service/refusal.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from './kit.ts'

const form = { file: ['jobFile'], fields: {} } as const

/** A form whose file breaks off after a few bytes, as a parser tells it. */
async function* brokenOff(): AsyncGenerator<Multipart> {
  const file = new Readable({ read() {} })
  file.on('error', () => {})
  file.push('name\n')
  file.destroy(new Error('Unexpected end of file'))
  yield { type: 'file', fieldname: 'jobFile', filename: 'a.csv', file } as unknown as Multipart
}

test('a file that breaks off before it is open leaves nothing: it is closed before it is removed', async () => {
  const folder = await temporaryFolder()
  const { open } = fs
  // A disk under load: the file appears only after a while.
  let isOpened = false
  const late = (...args: Parameters<typeof open>): void => {
    const done = args.pop() as (...told: unknown[]) => void
    const told = (...result: unknown[]): void => {
      done(...result)
      isOpened = true
    }
    setImmediate(() => setImmediate(() => Reflect.apply(open, fs, [...args, told])))
  }
  const spy = vi.spyOn(fs, 'open').mockImplementation(late as unknown as typeof open)
  onTestFinished(() => spy.mockRestore())
  const place = (id: string): string => join(folder, `${id}.csv`)
  const envelope = { signal: new AbortController().signal, fileStarts() {}, check() {} }
  await expect(receive(brokenOff(), { limits: LIMITS, form, place, envelope })).rejects.toThrow('not acceptable')
  await vi.waitUntil(() => isOpened)
  expect(spy).toHaveBeenCalledOnce()
  expect(await readdir(folder)).toEqual([])
})

/** A whole file, then parts that never end: the parser reads over any text behind the last boundary. */
async function* endless(text: string | null): AsyncGenerator<Multipart> {
  const file = new Readable({ read() {} })
  file.on('error', () => {})
  file.push('name\n')
  if (text === null) file.push(null)
  yield { type: 'file', fieldname: 'jobFile', filename: 'a.csv', file } as unknown as Multipart
  await new Promise(() => {})
}

test.each([
  ['in the middle of its file', 'name\n'],
  ['behind its file', null],
])('a request refused %s ends at once with the refusal and leaves nothing', async (_, text) => {
  const folder = await temporaryFolder()
  const stop = new AbortController()
  const envelope = { signal: stop.signal, fileStarts() {}, check() {} }
  const place = (id: string): string => join(folder, `${id}.csv`)
  const received = receive(endless(text), { limits: LIMITS, form, place, envelope })
  received.catch(() => {})
  await eventually(async () => expect(await readdir(folder)).toHaveLength(1))
  const refusal = new Refusal(413, 'Content Too Large')
  stop.abort(refusal)
  await expect(received).rejects.toBe(refusal)
  expect(await readdir(folder)).toEqual([])
})
