/** Packed files: what is read of them, at any offset, whole or damaged. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentChunks, openContentOf, packed } from '../../../src/files/file-chunks.ts'
import { JsonLinesWriter, readJsonLines } from '../../../src/files/json-lines.ts'
import { runs } from '../../support/runs.ts'
import { file, folder, names } from '../input/kit.ts'

const TEXT = Buffer.from(Array.from({ length: 3000 }, (_, row) => `${row},Acme ${row * 7919} Ltd,Leeds\n`).join(''))

async function* cutInto(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const found: Buffer[] = []
  for await (const piece of pieces) found.push(Buffer.from(piece))
  return Buffer.concat(found)
}

const contentOf = (path: string): Promise<Buffer> => all(contentChunks(path, cause => cause))

test('packed in pieces of any size, the content equals gzip -dc, and the bytes are the same', async () => {
  const whole = await all(packed(cutInto(TEXT, TEXT.length)))
  for (const size of [1 << 20, 65_536, 1000, 97]) {
    const bytes = await all(packed(cutInto(TEXT, size)))
    expect(bytes.equals(whole), `pieces of ${size}`).toBe(true)
    expect(await contentOf(file(bytes, 'list.csv.gz'))).toEqual(TEXT)
  }
  expect(execFileSync('gzip', ['-dc'], { input: whole }).equals(TEXT)).toBe(true)
  expect(whole.length).toBeLessThan(TEXT.length / 3)
})

test('an error of the content is the error of packing it', async () => {
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield TEXT
    throw new Error('reset')
  }
  await expect(all(packed(broken()))).rejects.toThrow('reset')
})

test('read at any offset, a packed file gives the bytes of a plain one, and leaves no other file', async () => {
  const [plain, path] = [file(TEXT, 'list.csv'), file(gzipSync(TEXT), 'list.csv.gz')]
  const handles = [await open(plain), await openContentOf(path), await openContentOf(plain)]
  const span = fc.record({ from: fc.nat(TEXT.length + 10), length: fc.nat(2000) })
  try {
    await fc.assert(
      fc.asyncProperty(span, async ({ from, length }) => {
        const read = handles.map(async handle => {
          const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, from)
          return buffer.subarray(0, bytesRead)
        })
        const [wanted, ...found] = await Promise.all(read)
        expect(found).toEqual([wanted, wanted])
      }),
      { numRuns: runs(50, 500) },
    )
    expect(names(dirname(path))).toEqual(['list.csv.gz'])
  } finally {
    for (const handle of handles) await handle.close()
  }
})

test('with any bit flipped, a file of two members is an error or reads as it was; cut anywhere in a member it is an error', async () => {
  const [first, second] = [gzipSync('{"row":1}\n'.repeat(9)), gzipSync('{"row":2}\n'.repeat(5))]
  const bytes = Buffer.concat([first, second])
  const path = file(bytes, 'rows.jsonl.gz')
  const content = await contentOf(path)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    writeFileSync(path, flipped)
    const read = await contentOf(path).catch((error: Error) => error.message)
    if (Buffer.isBuffer(read)) expect(read.equals(content), `bit ${bit}`).toBe(true)
    else expect(read).toContain('its gzip data are damaged')
  }
  for (let length = 1; length < bytes.length; length++) {
    if (length === first.length) continue
    writeFileSync(path, bytes.subarray(0, length))
    await expect(contentOf(path), `${length} bytes`).rejects.toThrow('its gzip data are damaged')
  }
})

test('JSON lines are read as they were written, packed or not', async () => {
  const rows = Array.from({ length: 4000 }, (_, row) => ({ row, name: `Société ${'é'.repeat(row % 200)}\u2028\n` }))
  for (const name of ['rows.jsonl', 'rows.jsonl.gz']) {
    const path = join(folder(), name)
    const writer = new JsonLinesWriter(path)
    for (const row of rows) await writer.add(row)
    await writer.publish()
    const found = []
    for await (const row of readJsonLines(path)) found.push(row)
    expect(found).toEqual(rows)
  }
  const none = []
  for await (const row of readJsonLines(join(folder(), 'none.jsonl.gz'))) none.push(row)
  expect(none).toEqual([])
})
