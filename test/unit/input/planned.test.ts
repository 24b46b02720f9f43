/** The planned input is the one that is sent and joined: checked by its version if that was hashed, else by its bytes. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import type { FileContext } from '../../../src/files/open-input.ts'
import { inspect, openSource } from '../../../src/input/index.ts'
import { locateRows } from '../../../src/input/table/record-offsets.ts'
import { verifyPlanned } from '../../../src/input/table/verify-unchanged.ts'
import type { InputFacts, InputOptions, Plan } from '../../../src/pipeline/model/types.ts'
import { openResults } from '../../../src/results/index.ts'
import { file, folder, options, planOf, sha256 } from './kit.ts'
import { sheetXml, textCell, workbookOf } from './workbooks.ts'

/** Long after every file was written: each of them is settled. */
const now = (): number => Date.now() + 10_000
const CHANGED = { code: 'FETTLE_INPUT_CHANGED', exitCode: 65 }

async function factsOf(path: string, how: Partial<InputOptions> = {}, at = now): Promise<InputFacts> {
  const { facts, issues } = await inspect(options(path, how), { now: at })
  if (facts === null) throw new Error(issues.map(one => one.message).join('; '))
  return facts
}

/** Puts other bytes in the place of a file, with its size and its time of writing to the nanosecond. */
function replace(path: string, change: (bytes: Buffer) => Buffer): void {
  const other = `${path}.other`
  writeFileSync(other, change(readFileSync(path)))
  execFileSync('touch', ['-r', path, other])
  renameSync(other, path)
}

/** The same bytes but for one, which stands near the end. */
const oneOther = (bytes: Buffer): Buffer => {
  const other = Buffer.from(bytes)
  other[other.length - 9]! ^= 1
  return other
}
const same = (bytes: Buffer): Buffer => bytes

/** Does something at the first chance that a look at the signal gives, while the input is read. */
const during = (act: () => void): AbortSignal => {
  let isDone = false
  const throwIfAborted = (): void => {
    if (!isDone) act()
    isDone = true
  }
  return { throwIfAborted } as AbortSignal
}

/** A signal by which a reader that looks at it is found out. */
const NO_READING = {
  throwIfAborted: () => {
    throw new Error('the file was hashed')
  },
} as unknown as AbortSignal

async function sentOf(plan: Plan, work: string, extra: FileContext = { now }): Promise<Buffer[]> {
  const source = openSource(plan, work, extra)
  const all: Buffer[] = []
  for (const part of plan.parts.keys()) {
    const pieces: Uint8Array[] = []
    for await (const piece of (await source.upload(part)).open()) pieces.push(Uint8Array.from(piece))
    all.push(Buffer.concat(pieces))
  }
  return all
}

const TEXT = `Name,No\n${Array.from({ length: 60 }, (_, n) => `Harrow ${n} Ltd,${n}`).join('\n')}\n`
const WORKBOOK = workbookOf({
  list: sheetXml(
    ...TEXT.trim()
      .split('\n')
      .map(line => line.split(',').map(textCell)),
  ),
})
const mapping = { mapping: 'orgNumber', header: null, index: 1, pad: 8 } as const
const halves = [
  { from: 0, rows: 30 },
  { from: 30, rows: 30 },
]

/** Every way in which an input is sent. */
const KINDS: readonly [string, () => Promise<Plan>][] = [
  ['a whole file', async () => planOf(await factsOf(file(TEXT)))],
  ['parts of a file', async () => planOf(await factsOf(file(TEXT)), { parts: halves })],
  ['the first rows', async () => planOf(await factsOf(file(TEXT)), { limit: 7 })],
  ['a shard', async () => shardOf(await factsOf(file(TEXT)))],
  ['a padded copy', async () => planOf(await factsOf(file(TEXT)), { mappings: [mapping] })],
  ['a collapsed copy in parts', async () => planOf(await factsOf(file(TEXT)), { collapse: true, parts: halves })],
  ['another encoding', async () => planOf(await factsOf(file(Buffer.from(TEXT, 'latin1')), { encoding: 'windows-1252' }))],
  ['gzip', async () => planOf(await factsOf(file(gzipSync(TEXT), 'list.csv.gz')))],
  ['a workbook', async () => planOf(await factsOf(file(WORKBOOK, 'list.xlsx')))],
]

async function shardOf(facts: InputFacts): Promise<Plan> {
  const span = await locateRows(facts, [{ records: 0, offset: 0 }], { from: 30, to: 60 })
  return planOf(facts, { rows: 30, sent: 30, shard: { number: 2, of: 2, from: 30, asked: 30, span } })
}

describe.each(KINDS)('%s', (_, planned) => {
  it('is rejected when replaced by a file of equal size and time, and accepted when the bytes are equal', async () => {
    const plan = await planned()
    const { path } = plan.input
    const first = await sentOf(plan, folder())
    replace(path, same)
    expect(await sentOf(plan, folder())).toEqual(first)
    replace(path, oneOther)
    await expect(sentOf(plan, folder())).rejects.toMatchObject(CHANGED)
  })

  it('is refused when it is replaced between its upload being prepared and being sent', async () => {
    const plan = await planned()
    const source = openSource(plan, folder(), { now })
    const { open } = await source.upload(0)
    replace(plan.input.path, oneOther)
    const sending = (async () => {
      for await (const _ of open());
      return (await source.upload(0)).open()
    })()
    // What was prepared from the planned bytes may be sent; nothing may be prepared from others.
    await expect(sending).rejects.toMatchObject(CHANGED)
  })

  it('is not hashed again while its version is the one that was planned', async () => {
    const plan = await planned()
    await expect(verifyPlanned(plan.input, { now, signal: NO_READING })).resolves.toBeTypeOf('function')
    replace(plan.input.path, same)
    await expect(verifyPlanned(plan.input, { now, signal: NO_READING })).rejects.toThrow('the file was hashed')
  })
})

test('a file that is replaced while its copy is prepared fails it, and the copy is made again of the planned bytes', async () => {
  const plan = planOf(await factsOf(file(TEXT), { encoding: 'windows-1252' }))
  const { path } = plan.input
  const kept = readFileSync(path)
  const source = openSource(plan, folder(), { now, signal: during(() => replace(path, oneOther)) })
  await expect(source.upload(0)).rejects.toMatchObject({ ...CHANGED, message: expect.stringContaining('while it was read') })
  replace(path, () => kept)
  const { bytes } = await source.upload(0)
  expect(bytes).toBe((await sentOf(plan, folder()))[0]?.length)
})

test('a transfer fails when the file is replaced while it streams, and its time set back', async () => {
  const path = file(`a,b\n${'x,1\n'.repeat(3_000_000)}`)
  const plan = planOf(await factsOf(path))
  const { open, sha256: sent } = await openSource(plan, folder(), { now }).upload(0)
  const sending = (async () => {
    let isReplaced = false
    for await (const _ of open()) {
      if (!isReplaced) replace(path, oneOther)
      isReplaced = true
    }
  })()
  await expect(sending).rejects.toMatchObject({ ...CHANGED, message: expect.stringContaining('while it was sent') })
  expect(sent()).toBeNull()
})

test('rows of a file that is replaced while answers are joined to them get no name', async () => {
  const path = file(TEXT)
  const output = { path: 'out.csv', format: 'csv', columns: ['*'], unmatched: null, review: null } as const
  const plan = planOf(await factsOf(path), { output, enrich: { product: 'basic', tags: [] } })
  const [work, root] = [folder(), folder()]
  writeFileSync(
    join(work, 'enriched-0.csv.gz'),
    gzipSync(TEXT.replace('Name,No', 'Name,No,general.connectId').replaceAll(/(\d)\n/g, '$1,C-1\n')),
  )
  const decisions = async (): Promise<null> => {
    replace(path, oneOther)
    return null
  }
  const kept = readFileSync(path)
  await expect(openResults(plan, work, { root, now, decisions }).publish()).rejects.toMatchObject(CHANGED)
  expect([existsSync(join(root, 'out.csv')), existsSync(join(work, 'review.jsonl.gz'))]).toEqual([false, false])
  replace(path, () => kept)
  await openResults(plan, work, { root, now }).publish()
  expect(existsSync(join(root, 'out.csv'))).toBe(true)
})

describe('a file that was written a moment ago', () => {
  it('is hashed on every check: two writes within the resolution of file times have one version', async () => {
    const path = file(TEXT)
    const soon = (): number => statSync(path).ctimeMs + 1_000
    const facts = await factsOf(path, {}, soon)
    await expect(verifyPlanned(facts, { now: soon, signal: NO_READING })).rejects.toThrow('the file was hashed')
    await verifyPlanned(facts, { now: soon })
    await expect(verifyPlanned(facts, { now: soon, signal: NO_READING })).rejects.toThrow('the file was hashed')
    // Once it has rested, one hash is enough.
    await verifyPlanned(facts, { now })
    await verifyPlanned(facts, { now, signal: NO_READING })
  })

  it('is hashed after it was read as well', async () => {
    const facts = await factsOf(file(TEXT), {}, () => 0)
    let looks = 0
    const signal = { throwIfAborted: () => void looks++ } as AbortSignal
    const stillPlanned = await verifyPlanned(facts, { now: () => 0, signal })
    await stillPlanned('read')
    expect(looks).toBe(2)
  })
})

test('facts of a different machine are proved by their bytes', async () => {
  const path = file(TEXT)
  const facts = { ...(await factsOf(path)), mtimeMs: 1 }
  const elsewhere = file(TEXT)
  await expect(verifyPlanned({ ...facts, path: elsewhere }, { now })).resolves.toBeTypeOf('function')
  replace(elsewhere, oneOther)
  await expect(verifyPlanned({ ...facts, path: elsewhere }, { now })).rejects.toMatchObject(CHANGED)
  expect(facts.sha256).toBe(sha256(TEXT))
})

test('a file that is missing after it was read is reported as unreadable', async () => {
  const path = file(TEXT)
  const stillPlanned = await verifyPlanned(await factsOf(path), { now })
  rmSync(path)
  await expect(stillPlanned('read')).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
})

test('an inspection rejects a file that is replaced meanwhile by one of equal size and time', async () => {
  const path = file(TEXT)
  const { facts, issues } = await inspect(options(path), { now, onProgress: () => replace(path, oneOther) })
  expect(facts).toBeNull()
  expect(issues).toMatchObject([{ code: 'FETTLE_INPUT_CHANGED' }])
})
