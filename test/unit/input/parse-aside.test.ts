/** A table parsed in the thread has the rows of one that is parsed in place. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRows, parserOptions } from '../../../src/input/table/records.ts'
import { parseAside } from '../../../src/input/thread/parse-aside.ts'
import { ROOT } from '../../system/cli/fettle.ts'

const SCRIPT = fileURLToPath(new URL('../../../build/input/thread/row-thread.js', import.meta.url))
const OPTIONS = { ...parserOptions(',', 'strict'), bom: true }

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  // One buffer for all pieces, as files are read.
  const buffer = new Uint8Array(size)
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size)
    buffer.set(piece)
    yield buffer.subarray(0, piece.length)
  }
}

async function read(rows: AsyncIterable<string[]>): Promise<{ rows: string[][]; error: unknown }> {
  const found: string[][] = []
  try {
    for await (const row of rows) found.push(row)
    return { rows: found, error: null }
  } catch (error) {
    const { code, lines, message } = error as Error & { code: string; lines: number }
    return { rows: [], error: { code, lines, message } }
  }
}

const aside = (bytes: Uint8Array, size: number) => parseAside(piecesOf(bytes, size), OPTIONS, SCRIPT)

test('tables with quotes, other scripts and pieces that end anywhere have the same rows, or the same error', async () => {
  const cell = fc.oneof(
    fc.constant(''),
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a"b', '"a,b"', '"\n"', 'ü'),
  )
  const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 64 }), async (rows, size) => {
      const bytes = Buffer.from(rows.map(row => row.join(',')).join('\n'))
      expect(await read(aside(bytes, size))).toEqual(await read(parseRows(piecesOf(bytes, bytes.length || 1), OPTIONS)))
    }),
    { numRuns: 30 },
  )
})

test('two tables at once share the thread, and one that is left early does not end the other', async () => {
  const bytes = Buffer.from('a,b\n'.repeat(5_000))
  const left = async (): Promise<number> => {
    let rows = 0
    for await (const _ of aside(bytes, 512)) if (++rows === 10) break
    return rows
  }
  const [early, whole] = await Promise.all([left(), read(aside(bytes, 512))])
  expect(early).toBe(10)
  expect(whole.rows).toHaveLength(5_000)
})

test('an error of the table, and of the thread, reaches the reader', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a,b\n')
    throw new Error('the disk is gone')
  }
  expect((await read(parseAside(broken(), OPTIONS, SCRIPT))).error).toMatchObject({ message: 'the disk is gone' })
  const missing = parseAside(piecesOf(Buffer.from('a\n'), 8), OPTIONS, `${SCRIPT}.missing`)
  expect((await read(missing)).error).toMatchObject({ code: 'MODULE_NOT_FOUND' })
})

test('a run of a long list parses its tables in one thread, and writes every row', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-aside-'))
  try {
    const filler = 'Ünique "cell", '.repeat(500).replaceAll('"', '""')
    const rows = Array.from({ length: 1_200 }, (_, at) => `${at},Zyxwv ${at} Ltd,"${filler}${at}"\n`)
    writeFileSync(join(folder, 'in.csv'), `id,name,note\n${rows.join('')}`)
    const program = `
      let threads = 0
      process.on('worker', () => threads++)
      const { run } = await import(${JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href)})
      await run({ name: 'long', service: 'embedded', register: 'sample', input: 'in.csv', mappings: { name: 'name' },
        output: { path: 'out.csv', columns: ['*'] } }, { env: { FETTLE_DATA: 'data' } })
      console.log(threads)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout).toBe(availableParallelism() > 1 ? '1\n' : '0\n')
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe(readFileSync(join(folder, 'in.csv'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
