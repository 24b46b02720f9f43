/** Files of answers that cannot be read are errors that name them: "no answer" would be paid again. */
import { execFileSync } from 'node:child_process'
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sentQuestions } from '../../../src/app/answers/claims.ts'
import { digestOf } from '../../../src/files/file-chunks.ts'
import { AnswerFile, AnswerFileWriter } from '../../../src/results/reuse/answer-file.ts'
import { openAnswers } from '../../../src/results/reuse/answer-store.ts'
import { forgetAnswers } from '../../../src/results/reuse/forget-answers.ts'
import { replaceBuiltin } from '../../support/builtin.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-answers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SOURCE = { job: '1', at: '2026-01-01T00:00:00.000Z', columns: ['general.connectId'] }
const FACTS = { scope: 's', pipeline: 'p', tags: [], expires: 9e12, sources: [SOURCE] }
const WANTED = {
  scope: 's',
  pipeline: 'p',
  tags: [],
  hasKeys: false,
  facts: null,
  appliedShare: (share: number) => share,
  now: 0,
}

async function writeAnswers(
  name: string,
  questions: readonly string[],
  facts: object = FACTS,
  cells: unknown = ['GB-1'],
): Promise<string> {
  const writer = new AnswerFileWriter(join(folder, `${name}.answers`))
  for (const question of questions)
    await writer.add({
      question: digestOf(question),
      key: null,
      row: null,
      source: 0,
      outcome: 'matched',
      cells: cells as string[],
    })
  await writer.publish(facts as typeof FACTS)
  return writer.path
}

/** Everything that reads the folder: all must name what they cannot read. */
const readers: Readonly<Record<string, () => Promise<unknown>>> = {
  'the choice of rows': async () => {
    const known = await openAnswers(folder, WANTED)
    try {
      return known.find(digestOf('a'))?.line()
    } finally {
      known.close()
    }
  },
  forget: () =>
    forgetAnswers(folder, { key: 'k', rows: new Set() }, { companies: ['c'], names: [] }, { pipeline: null, dryRun: true }),
}

const errno = (code: string) => () => {
  throw Object.assign(new Error(`${code}: simulated`), { code })
}

describe.each(Object.entries(readers))('%s', (_, read) => {
  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
  ])('names %s in place of a file of answers', async (_, make) => {
    await writeAnswers('good', ['a'])
    const path = join(folder, 'strange.answers')
    make(path)
    await expect(read()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
  })

  test.each(['EMFILE', 'EACCES', 'EIO'])('names the file where it cannot be opened: %s', async code => {
    const path = await writeAnswers('good', ['a'])
    const undo = replaceBuiltin(fs, { openSync: errno(code) })
    try {
      await expect(read()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
    } finally {
      undo()
    }
  })

  test.each(['EMFILE', 'EACCES', 'EIO'])('names the folder where it cannot be listed: %s', async code => {
    await writeAnswers('good', ['a'])
    const undo = replaceBuiltin(fs, { readdirSync: errno(code) })
    try {
      await expect(read()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(folder) })
    } finally {
      undo()
    }
  })

  test('names the file whose content cannot be read', async () => {
    const path = await writeAnswers('good', ['a'])
    const undo = replaceBuiltin(fs, { readSync: errno('EIO') })
    try {
      await expect(read()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
    } finally {
      undo()
    }
  })

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['was cut', bytes => bytes.subarray(0, -5)],
    ['is empty', () => Buffer.alloc(0)],
    ['lost its end', bytes => Buffer.concat([bytes.subarray(0, -32), Buffer.alloc(32)])],
    ['has a changed bit in its index', bytes => bytes.with(bytes.length - 200, bytes.at(-200)! ^ 1) as Buffer],
    ['has more bytes in the middle', bytes => Buffer.concat([Buffer.alloc(8), bytes])],
  ])('names a file that %s, and what its removal costs', async (_, damage) => {
    const path = await writeAnswers('damaged', ['a', 'b', 'c'])
    writeFileSync(path, damage(readFileSync(path)))
    await expect(read()).rejects.toMatchObject({
      exitCode: 73,
      message: expect.stringContaining(`${path}: it is damaged`),
      hint: expect.stringContaining('paid again'),
    })
  })

  test.each([
    ['facts without sources', { ...FACTS, sources: null }],
    ['a time that is none', { ...FACTS, sources: [{ ...SOURCE, at: 'yesterday' }] }],
    ['columns that are no texts', { ...FACTS, sources: [{ ...SOURCE, columns: [1] }] }],
    ['tags that are no list', { ...FACTS, tags: 'all' }],
    ['an age that is not a number', { ...FACTS, expires: 'never' }],
  ])('names a file with right checksums and %s', async (_, facts) => {
    const path = await writeAnswers('forged', ['a'], facts)
    await expect(read()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
  })
})

test.each([{ cells: 'text' }, null, [1], { 0: 'a' }])('names a file with right checksums and the cells %j', async cells => {
  const path = await writeAnswers('forged', ['a'], FACTS, cells)
  await expect(readers['the choice of rows']!()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
})

test('names a file with right checksums whose answer is of a source that it does not have', async () => {
  const path = await writeAnswers('forged', ['a'])
  const bytes = readFileSync(path)
  const trailer = bytes.subarray(bytes.length - 32)
  const start = trailer.readUIntLE(0, 6)
  bytes.writeUInt16LE(7, start + 34)
  trailer.writeUInt32LE(crc32(bytes.subarray(start, bytes.length - 32)), 16)
  writeFileSync(path, bytes)
  await expect(readers['the choice of rows']!()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
})

test('a file that is gone has no answers', async () => {
  expect(AnswerFile.open(join(folder, 'none.answers'))).toBeNull()
  expect(await readers['the choice of rows']!()).toBeUndefined()
})

test('a file in which a cell has changed is named', async () => {
  const path = await writeAnswers('changed', ['a'])
  const bytes = readFileSync(path)
  bytes.write('X', bytes.indexOf('GB-1'))
  writeFileSync(path, bytes)
  await expect(readers['the choice of rows']!()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
})

test('questions that a run sends are named where they cannot be read, and are none where they are gone', () => {
  expect(sentQuestions(folder, 'run', 's', 'c')).toBeNull()
  mkdirSync(join(folder, '.asking/run.questions'), { recursive: true })
  expect(() => sentQuestions(folder, 'run', 's', 'c')).toThrow(join(folder, '.asking/run.questions'))
})

describe('many files', () => {
  const names = Array.from({ length: 100 }, (_, at) => `q${at}`)
  const openNow = (): number => readdirSync('/proc/self/fd').length

  test.runIf(process.platform === 'linux')('are read without all of them being open at once', async () => {
    for (const name of names) await writeAnswers(name, [name])
    const before = openNow()
    const known = await openAnswers(folder, WANTED)
    expect(openNow() - before).toBeLessThanOrEqual(20)
    // Each is found again, in any order.
    for (const name of [...names, ...names.toReversed()])
      expect(known.find(digestOf(name))?.line()?.toString()).toBe('["GB-1"]\n')
    expect(openNow() - before).toBeLessThanOrEqual(20)
    known.close()
    expect(openNow()).toBeLessThanOrEqual(before)
  })

  test('one that was replaced after it was closed is not read in place of the one that was opened', async () => {
    for (const name of names) await writeAnswers(name, [name])
    const known = await openAnswers(folder, WANTED)
    await writeAnswers('q0', ['q0'], FACTS, ['GB-2'])
    expect(() => known.find(digestOf('q0'))?.line()).toThrow('another process replaced it')
    known.close()
  })
})
