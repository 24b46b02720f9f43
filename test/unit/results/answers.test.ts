/** Files of answers that cannot be read are errors that name them: "no answer" would be paid again. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { digestOf } from '../../../src/files/file-chunks.ts'
import { AnswerFolder, type AskedKeys, type Busy } from '../../../src/reuse/answer-folder.ts'
import { AnswersFile, AnswersWriter } from '../../../src/reuse/files/answers.ts'
import { forgetAnswers } from '../../../src/reuse/forget-answers.ts'
import { KnownAnswers } from '../../../src/reuse/known-answers.ts'
import { replaceBuiltin } from '../../support/builtin.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-answers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SOURCE = { run: 'r', job: '1', at: '2026-01-01T00:00:00.000Z', columns: ['general.connectId'] }
const FACTS = { scope: 's', tags: [] as string[], age: 9e12, sources: [SOURCE] }

async function writeAnswers(
  name: string,
  keys: readonly string[],
  facts: object = FACTS,
  cells: unknown = ['GB-1'],
): Promise<string> {
  const writer = new AnswersWriter(join(folder, `${name}.answers`))
  for (const key of keys)
    await writer.add({ key: digestOf(key), owner: null, row: null, source: 0, outcome: 'matched', cells: cells as string[] })
  await writer.publish(facts as typeof FACTS)
  return writer.path
}

/** Everything that reads the folder: all must name what they cannot read. */
const readers: Readonly<Record<string, () => Promise<unknown>>> = {
  'the choice of rows': async () => {
    const known = KnownAnswers.open(folder, [], 0)
    try {
      return known.find(digestOf('a'))?.text()
    } finally {
      known.close()
    }
  },
  forget: () =>
    forgetAnswers([folder], { key: 'k', rows: new Set() }, { companies: ['c'], names: [] }, { isOfRun: null, dryRun: true }),
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

  test.each([
    ['facts without sources', { ...FACTS, sources: null }],
    ['a time that is none', { ...FACTS, sources: [{ ...SOURCE, at: 'yesterday' }] }],
    ['columns that are no texts', { ...FACTS, sources: [{ ...SOURCE, columns: [1] }] }],
    ['tags that are no list', { ...FACTS, tags: 'all' }],
    ['an age that is no number', { ...FACTS, age: 'never' }],
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
  const trailer = bytes.subarray(-16)
  const head = bytes.subarray(-16 - trailer.readUInt32LE(), -16)
  const { index } = JSON.parse(head.toString())
  const records = bytes.subarray(bytes.length - 16 - head.length - index.bytes, bytes.length - 16 - head.length)
  records.writeUInt16LE(7, 34)
  head.write(head.toString().replace(index.sha256, createHash('sha256').update(records).digest('hex')))
  trailer.writeUInt32LE(crc32(head), 4)
  writeFileSync(path, bytes)
  await expect(readers['the choice of rows']!()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
})

test.each(Object.entries(readers))('%s names a file that is cut, and one whose index or line was changed', async (_, read) => {
  const path = await writeAnswers('whole', ['a', 'b', 'c'])
  const whole = readFileSync(path)
  for (const damage of [(bytes: Buffer) => bytes.subarray(0, -5), (bytes: Buffer) => bytes.fill(7, 60, 62)]) {
    writeFileSync(path, damage(Buffer.from(whole)))
    await expect(read()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
  }
})

test('names a file whose answer line was changed', async () => {
  const path = await writeAnswers('whole', ['a'])
  writeFileSync(path, readFileSync(path).fill('x', 2, 3))
  await expect(readers['the choice of rows']!()).rejects.toMatchObject({ exitCode: 73, message: expect.stringContaining(path) })
})

test('a file that is gone has no answers', () => expect(AnswersFile.open(join(folder, 'none.answers'))).toBeNull())

describe('many files', () => {
  const names = Array.from({ length: 100 }, (_, at) => `q${at}`)
  const openNow = (): number => readdirSync('/proc/self/fd').length

  test.runIf(process.platform === 'linux')('are closed again, and each answer is found', async () => {
    for (const name of names) await writeAnswers(name, [name])
    const before = openNow()
    const known = KnownAnswers.open(folder, [], 0)
    for (const name of [...names, ...names.toReversed()]) expect(known.find(digestOf(name))?.text()).toBe('["GB-1"]')
    expect(known.find(digestOf('none'))).toBeNull()
    known.close()
    expect(openNow()).toBeLessThanOrEqual(before)
  })

  test('one that is replaced while it is read is read to its end as it was', async () => {
    await writeAnswers('q', ['q'])
    const known = KnownAnswers.open(folder, [], 0)
    await writeAnswers('q', ['q'], FACTS, ['GB-2'])
    expect(known.find(digestOf('q'))?.text()).toBe('["GB-1"]')
    known.close()
  })
})

test('every answer of a file of any size is found by its key, with its cells', async () => {
  for (const count of [1, 2, 15, 16, 17, 1000, 5000]) {
    const writer = new AnswersWriter(join(folder, `${count}.answers`))
    for (let at = 0; at < count; at++)
      await writer.add({ key: digestOf(`${at}`), owner: null, row: null, source: 0, outcome: 'review', cells: [`${at}`] })
    await writer.publish(FACTS)
    const file = AnswersFile.open(writer.path)!
    for (let at = 0; at < count; at++) expect(file.cells(file.find(digestOf(`${at}`)))).toEqual([`${at}`])
    expect(file.find(digestOf('none'))).toBe(-1)
    const keys = Array.from({ length: count }, (_, at) => file.key(at).toString('hex'))
    expect(keys).toEqual(keys.toSorted())
    file.close()
  }
})

describe('a folder', () => {
  const DAY = 86_400_000
  let now = Date.parse('2026-01-01T00:00:00Z')
  const sleep = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
  const waiting = { clock: { now: () => now, sleep }, signal: new AbortController().signal, onWait: () => {} }
  const opened = (): AnswerFolder => new AnswerFolder(folder, 'ab'.repeat(32), () => now)

  /** Keeps answers of a run, given now. */
  async function keep(run: string, answers: Readonly<Record<string, string>>, days: number, tags: string[] = []): Promise<void> {
    const at = opened()
    const writer = new AnswersWriter(join(folder, `${run}.bin`))
    for (const [key, cell] of Object.entries(answers))
      await writer.add({ key: digestOf(key), owner: null, row: null, source: 0, outcome: 'matched', cells: [cell] })
    const sources = [{ run, job: run, at: new Date(now).toISOString(), columns: ['general.connectId'] }]
    await writer.publish(at.facts({ age: days * DAY, tags, sources }))
    await at.keep(run, [writer.path], waiting)
  }

  function read(key: string, tags: string[] = []): string | null {
    const known = opened().open(tags, now)
    try {
      const found = known.find(digestOf(key))
      return found === null || found.isExpired || !found.isWide ? null : (JSON.parse(found.text()) as string[])[0]!
    } finally {
      known.close()
    }
  }

  const filesOf = (): string[] => readdirSync(opened().path).filter(name => name.endsWith('.answers'))

  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00Z')
  })

  test('gives the newest answer to a key, also once that is too old', async () => {
    await keep('r1', { a: 'old', b: 'only', c: '1', d: '1', e: '1' }, 30)
    now += DAY
    await keep('r2', { a: 'new' }, 7)
    expect([read('a'), read('b')]).toEqual(['new', 'only'])
    now += 8 * DAY
    // Any run that keeps answers removes the files that are too old.
    await keep('r3', { z: '1' }, 30)
    expect([read('a'), read('b')]).toEqual([null, 'only'])
  })

  test('merges small files, and finds every answer in them, however many runs add some', async () => {
    for (let run = 0; run < 30; run++) {
      await keep(`r${run}`, { [`k${run}`]: `${run}`, shared: `${run}` }, 30)
      now += 3_600_000
    }
    expect(filesOf().length).toBeLessThanOrEqual(4)
    expect(Array.from({ length: 30 }, (_, run) => read(`k${run}`))).toEqual(Array.from({ length: 30 }, (_, run) => `${run}`))
    expect(read('shared')).toBe('29')
    // A run that keeps its answers again takes none of the others away.
    for (let run = 29; run >= 0; run--) {
      await keep(`r${run}`, { [`k${run}`]: `${run}` }, 30)
      expect(Array.from({ length: 30 }, (_, at) => read(`k${at}`))).toEqual(Array.from({ length: 30 }, (_, at) => `${at}`))
    }
  })

  test('keeps an answer with more tags beside a newer one with fewer', async () => {
    await keep('r1', { a: 'wide' }, 30, ['x', 'y'])
    now += DAY
    await keep('r2', { a: 'narrow' }, 30, ['x'])
    expect([read('a', ['y']), read('a', ['x'])]).toEqual(['wide', 'narrow'])
  })

  test('of two runs that ask the same, the second waits until the first has kept its answers', async () => {
    const keys = [digestOf('a')]
    const notes: string[] = []
    const first = (await opened().ask('r1', waiting, async () => ({ keys })))!
    let polls = 0
    const patient = {
      ...waiting,
      onWait: (text: string) => void notes.push(text),
      clock: {
        now: () => now,
        sleep: async () => {
          if (++polls < 3) return
          await keep('r1', { a: '1' }, 30)
          await opened().settle(['r1'])
          first.held.release()
        },
      },
    }
    interface Found {
      readonly keys: Buffer[]
      readonly found: string | null
    }
    const choose = async (others: readonly AskedKeys[]): Promise<Found | Busy> => {
      const other = others.find(({ isAtWork, keys: asked }) => isAtWork && asked.find(keys[0]!) !== -1)
      return other === undefined ? { keys: [], found: read('a') } : { waitFor: other.runId }
    }
    expect(await opened().ask<Found>('r2', patient, choose)).toBeNull()
    const second = (await opened().ask<Found>('r2', patient, choose))!
    expect(notes).toEqual(['waiting for the run r1, which asks the same: answers that both can use are not paid twice'])
    expect([second.chosen.found, polls]).toEqual(['1', 3])
    second.held.release()
  })

  test('runs choose, go on and keep one after the other, in any order', async () => {
    let inside = 0
    const alone = async (): Promise<void> => {
      expect(++inside).toBe(1)
      for (let step = 0; step < 5; step++) await sleep()
      inside--
    }
    const ask = async (run: string, others: string[]): Promise<void> => {
      const asked = await opened().ask(run, waiting, async found => {
        others.push(...found.map(({ runId }) => runId))
        await alone()
        return { keys: [digestOf(run)] }
      })
      asked!.held.release()
    }
    const seen: string[][] = [[], [], [], []]
    const held = opened().resume('r9', waiting, alone)
    await Promise.all([...seen.map((others, at) => ask(`r${at}`, others)), keep('r8', { a: '1' }, 30)])
    ;(await held).release()
    // Each sees what the ones before it have asked.
    expect(seen.map(others => others.length).sort()).toEqual([0, 1, 2, 3])
    expect(read('a')).toBe('1')
  })

  test('a run without a process is not waited for, and its keys are compared for a week', async () => {
    const first = (await opened().ask('r1', waiting, async () => ({ keys: [digestOf('a')] })))!
    first.held.release()
    const seen = async (run: string): Promise<(readonly [string, boolean, boolean])[]> => {
      const asked = await opened().ask(run, waiting, async others => ({
        keys: [],
        others: others.map(({ runId, isAtWork, keys }) => [runId, isAtWork, keys.find(digestOf('a')) !== -1] as const),
      }))
      asked!.held.release()
      await opened().settle([run])
      return asked!.chosen.others
    }
    now = Date.now()
    expect(await seen('r2')).toEqual([['r1', false, true]])
    now += 8 * DAY
    expect(await seen('r3')).toEqual([])
  })
})
