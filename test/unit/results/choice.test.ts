/** The choice of a run: what was written is read back, or the file is named. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { digestOf } from '../../../src/files/file-chunks.ts'
import { Choice, ChoiceWriter, choicePath, type RowFate } from '../../../src/reuse/files/choice.ts'
import { runs } from '../../support/runs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-choice-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SOURCES = ['a', 'b'].map(job => ({ run: 'r', job, at: '2026-01-01T00:00:00.000Z', columns: ['general.connectId'] }))

async function write(fates: readonly RowFate[]): Promise<string> {
  const writer = await ChoiceWriter.open(folder, SOURCES)
  for (const [row, fate] of fates.entries())
    if (fate === 'known') await writer.addKnown(row % 2, 'matched', JSON.stringify([`GB-${row}`]))
    else if (fate === 'sent') writer.addSent(digestOf(`${row}`))
    else writer.addFate(fate)
  return writer.publish()
}

/** Everything that a run reads of it. */
function readAll(digest: string, rows: number) {
  const choice = Choice.open(folder, digest)
  try {
    const fates = choice.fates()
    const keys = choice.keys().map(key => key.toString('hex'))
    const known: string[] = []
    for (let next = choice.peek(); next !== null; next = choice.peek()) {
      const { cells, source, from, length } = choice.next()
      expect(choice.again(from, length).cells).toEqual(cells)
      known.push(`${source.job} ${cells[0]}`)
    }
    choice.finish()
    return { fates: Array.from({ length: rows }, (_, row) => fates(row)), keys, known }
  } finally {
    choice.close()
  }
}

const fate = fc.constantFrom<RowFate>('sent', 'known', 'repeated')

test('the fates, the keys in sent order and the answers are those that were written, also to a worker as far as it needs them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 3000 }), async fates => {
      const digest = await write(fates)
      const rows = [...fates.entries()]
      expect(readAll(digest, fates.length)).toEqual({
        fates,
        keys: rows.flatMap(([row, what]) => (what === 'sent' ? [digestOf(`${row}`).toString('hex')] : [])),
        known: rows.flatMap(([row, what]) => (what === 'known' ? [`${'ab'[row % 2]} GB-${row}`] : [])),
      })
      const choice = Choice.open(folder, digest)
      const bytes = choice.forWorker()
      choice.close()
      writeFileSync(choicePath(folder), bytes)
      const part = Choice.open(folder, digest)
      const read = part.fates()
      expect(fates.map((_, row) => read(row))).toEqual(fates)
      part.close()
    }),
    { numRuns: runs(20, 300) },
  )
})

test('a file that was changed at any byte, cut, or written for a different run is named', async () => {
  const fates: RowFate[] = ['sent', 'known', 'repeated', 'known', 'sent']
  const digest = await write(fates)
  const path = choicePath(folder)
  const whole = readFileSync(path)
  const damages = [
    ...Array.from({ length: whole.length }, (_, at) => {
      const bytes = Buffer.from(whole)
      bytes[at]! ^= 1
      return bytes
    }),
    whole.subarray(0, -1),
    whole.subarray(1),
    Buffer.alloc(0),
  ]
  for (const [at, bytes] of damages.entries()) {
    writeFileSync(path, bytes)
    expect(() => readAll(digest, 5), `at ${at} of ${whole.length}`).toThrow(
      expect.objectContaining({ code: 'FETTLE_OUTPUT_WRITE', message: expect.stringContaining(path) }),
    )
  }
  writeFileSync(path, whole)
  expect(() => readAll('0'.repeat(64), 5)).toThrow('it was changed')
})
