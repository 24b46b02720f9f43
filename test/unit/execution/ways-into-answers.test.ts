/**
 * Every way by which an answer enters a row or the folder of answers, each against a service whose answers are not those to what was
 * asked: they do not enter.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { type PipelineInput, type Report, run } from '../../../src/index.ts'
import { readJournal } from '../../../src/journal/index.ts'
import { listRunIds, readRun } from '../../../src/runs/run-directory.ts'
import { type ChangeAnswer, openChangedWay, serveSample } from '../../support/changed-answers.ts'
import { type Place, place } from '../../support/place.ts'

const SOURCES = join(import.meta.dirname, '../../../src')

/** Where answers are written, and who calls it. A new way needs a line here, and its case below. */
const WAYS: readonly (readonly [call: RegExp, files: readonly string[]])[] = [
  // Files of answers: the rows of a run, its searches, and copies of files that are there already.
  [/new AnswersWriter\(/, ['answer-folder.ts', 'answer-sink.ts', 'searches.ts']],
  [/\bcopyAnswers\(/, ['answer-folder.ts', 'forget-answers.ts']],
  // Rows: by the join of the run, and by the run that receives what an unfinished one of its series has paid.
  [/new AnswerSink\(/, ['receive-paid.ts', 'run-execution.ts']],
  [/\baddProved\(/, ['answer-sink.ts', 'receive-paid.ts']],
  // AML searches and candidates, from the journal of the run.
  [/await keepSearches\(/, ['receive-paid.ts', 'searches.ts']],
  // The folder.
  [/\b(?:folder|kept)\.keep\(/, ['receive-paid.ts', 'run-execution.ts', 'searches.ts']],
  // The copies that a run uses.
  [/\bChoiceWriter\.open\(/, ['choose.ts', 'join-choices.ts']],
  // Tags of accepted companies, which enter rows only.
  [/\bstoreFetched\(/, ['accepted.ts', 'join.ts']],
]

test('answers are written in the places that the cases of this file are about, and in no other', () => {
  const sources = readdirSync(SOURCES, { recursive: true, withFileTypes: true }).filter(({ name }) => name.endsWith('.ts'))
  const texts = sources.map(({ parentPath, name }) => ({ name, text: readFileSync(join(parentPath, name), 'utf8') }))
  for (const [call, files] of WAYS) {
    const found = texts.flatMap(({ name, text }) => (call.test(text.replace(/storeFetched = \(/, 'storeFetched(')) ? [name] : []))
    expect(found.sort(), String(call)).toEqual(files)
  }
})

let here: Place
let service: Awaited<ReturnType<typeof serveSample>>
beforeEach(async () => {
  here = place()
  // What it answers about a row does not depend on the list.
  service = await serveSample(here, { play: 'vendor' })
})
afterEach(async () => {
  await service.close()
  here.leave()
})

type Change = (body: string) => string

/** A way to the service that changes the answers of an operation while it is told to. */
async function openWay() {
  const way: { url: string; lies: { operation: string; change: Change } | null; files: number } = {
    url: '',
    lies: null,
    files: 0,
  }
  const change: ChangeAnswer = (operation, body) => {
    if (operation === 'file') way.files++
    return way.lies?.operation === operation ? way.lies!.change(body.toString()) : body
  }
  way.url = await openChangedWay(service.url, change, here)
  return way
}

type Way = Awaited<ReturnType<typeof openWay>>

const NAMES = [
  'Varnix Steel Ltd',
  'VARNIX STEEL LTD',
  'Pradyne Services Limited',
  'Cyrden',
  'Nobody Knows Them',
  'Harrow Optics Ltd',
]
const NUMBERS = ['11076475', '', '0123', '', '123', '']
const TAGS = ['general.connectId', 'general.companyName', 'general.rowNumber']
const AGES = { matched: '20d', unmatched: '20d', review: '20d' }

const writeList = (rows: readonly number[]): void => {
  const lines = rows.map(row => `K${row},${NAMES[row] ?? `New Company ${row} Ltd`},${NUMBERS[row] ?? ''},GB`)
  here.write('in.csv', ['key,name,number,country', ...lines, ''].join('\n'))
}

const pipelineOf = (name: string, more: Partial<PipelineInput> = {}): PipelineInput =>
  here.pipeline({
    name,
    input: { path: 'in.csv', key: 'key' },
    mappings: { name: 'name', orgNumber: 'number', country: 'country' },
    enrich: { product: 'basic', tags: TAGS },
    output: { path: `${name}.csv`, columns: ['*', 'general.connectId', 'general.companyName'] },
    reuse: AGES,
    ...more,
  })

const optionsOf = ({ url }: Way): Parameters<typeof run>[1] => {
  const { username, password } = service
  return here.options({ FETTLE_URL: url, FETTLE_USERNAME: username, FETTLE_PASSWORD: password })
}

const storedFiles = (): string[] => {
  const names = readdirSync(here.folder, { recursive: true, encoding: 'utf8' })
  return names.filter(name => /^runs\/answers\/[^.].*\.answers$/.test(name))
}

const outputOf = (name: string): string => readFileSync(join(here.folder, `${name}.csv`), 'utf8')

/** What is not true of an enriched file any more. */
type Lie = (table: {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}) => readonly (readonly string[])[]

const tagPlaces = (header: readonly string[]): number[] => header.flatMap((name, at) => (name.includes('.') ? [at] : []))

const moveTags =
  (isMoved: (name: string) => boolean): Lie =>
  ({ header, rows }) => {
    const places = tagPlaces(header).filter(at => isMoved(header[at]!))
    return rows.map((row, number) => row.map((cell, at) => (places.includes(at) ? rows[(number + 1) % rows.length]![at]! : cell)))
  }

const changeCells =
  (change: (cell: string) => string): Lie =>
  ({ header, rows }) =>
    rows.map(row => row.map((cell, at) => (tagPlaces(header).includes(at) ? cell : change(cell))))

const lieOf =
  (lie: Lie): Change =>
  body => {
    const [header = [], ...rows] = parse(body, { bom: true }) as string[][]
    return csvText([header, ...lie({ header, rows })], { delimiter: ',', lineEnd: '\r\n', columns: header.length })
  }

/** `isRefused`: by the run itself as well, which has the list. Otherwise its row numbers prove the order to it. */
const LIES: readonly { readonly name: string; readonly lie: Lie; readonly isRefused: boolean }[] = [
  { name: 'the tags and row numbers of the next row', lie: moveTags(() => true), isRefused: true },
  { name: 'rows in reverse order', lie: ({ rows }) => rows.toReversed(), isRefused: true },
  { name: 'a row in place of the next one', lie: ({ rows }) => rows.with(1, rows[0]!), isRefused: true },
  { name: 'repeated cells in upper case', lie: changeCells(cell => cell.toUpperCase()), isRefused: false },
  { name: 'repeated cells without leading zeros', lie: changeCells(cell => cell.replace(/^0+(?=\d)/, '')), isRefused: false },
  { name: 'no cells repeated', lie: changeCells(() => ''), isRefused: true },
]

/** Runs the list until its file is here, or to the refusal of the run. */
async function firstNight(way: Way, { lie }: Pick<(typeof LIES)[number], 'lie'>, end: 'stopped' | 'ended') {
  writeList([0, 1, 2, 3, 4, 5])
  way.lies = { operation: 'file', change: lieOf(lie) }
  const controller = new AbortController()
  const onEvent = ({ type }: { readonly type: string }): void => {
    if (end === 'stopped' && type === 'file.received') controller.abort()
  }
  const options = { ...optionsOf(way), signal: controller.signal, reporters: [{ name: 'stop', onEvent }] }
  const ended = await run(pipelineOf('nightly'), options).catch((error: unknown) => error)
  way.lies = null
  return { ended, runId: listRunIds('runs', 'nightly')[0]! }
}

const askedBefore = ({ results }: Report): string[] =>
  results[0]!.issues.filter(({ code }) => code === 'FETTLE_ASKED_BEFORE').map(({ message }) => message)

/** The next lists are answered as if nothing was known of the unproved run, which is named once and fetched no more. */
async function proveNothingEntered(way: Way, unproved: string): Promise<void> {
  expect(storedFiles()).toEqual([])
  writeList([0, 1, 2, 3, 4, 5, 6])
  const files = () => way.files
  const before = files()
  const next = await run(pipelineOf('nightly'), optionsOf(way))
  expect(next).toMatchObject({ exitCode: 0, results: [{ reuse: { known: 0, sent: 7 } }] })
  const [job] = readRun('runs', unproved).jobs
  expect(askedBefore(next)).toEqual([
    expect.stringMatching(`^6 rows may be paid twice: the unfinished run ${unproved} .*: job ${job!.id}: `),
  ])
  // Its own file only.
  expect(files() - before).toBe(1)
  writeList([0, 1, 2, 3, 4, 5, 6, 7])
  const later = await run(pipelineOf('nightly'), optionsOf(way))
  expect(later).toMatchObject({ exitCode: 0, results: [{ reuse: { known: 7, sent: 1 } }] })
  expect(askedBefore(later)).toEqual([])
  const { reuse: _, ...full } = pipelineOf('full')
  await run(full, { ...optionsOf(way), runsDir: 'full-runs' })
  expect(outputOf('nightly')).toBe(outputOf('full'))
}

for (const { name, lie, isRefused } of LIES) {
  test(`paid answers of an unfinished run with ${name} enter neither rows nor the folder`, async () => {
    const way = await openWay()
    const { runId } = await firstNight(way, { lie }, 'stopped')
    await proveNothingEntered(way, runId)
    // What was refused is recorded with the run, and judged once.
    const refusals = readJournal(join('runs', runId, 'journal.jsonl')).events.filter(({ type }) => type === 'answers.refused')
    expect(refusals).toHaveLength(1)
  })

  if (isRefused)
    test(`rows of a run that refused ${name} enter neither rows nor the folder of a later one`, async () => {
      const way = await openWay()
      const { ended, runId } = await firstNight(way, { lie }, 'ended')
      expect(ended).toMatchObject({ exitCode: 76 })
      await proveNothingEntered(way, runId)
    })
}

test('paid answers of an unfinished run enter where every row repeats what was sent', async () => {
  const way = await openWay()
  const { runId } = await firstNight(way, { lie: ({ rows }) => rows }, 'stopped')
  writeList([0, 1, 2, 3, 4, 5, 6])
  const next = await run(pipelineOf('nightly'), optionsOf(way))
  expect(next).toMatchObject({ exitCode: 0, results: [{ reuse: { known: 6, sent: 1 } }] })
  expect(askedBefore(next)).toEqual([])
  expect(runId).toMatch(/nightly/)
})

test('an AML search whose answer names another company is not kept', async () => {
  const way = await openWay()
  const pipeline = pipelineOf('nightly', {
    reuse: { ...AGES, screen: { age: '10d', acceptStale: true } },
    screen: { datasets: ['SAN'] },
  })
  writeList([0])
  way.lies = { operation: 'createBusinessSearch', change: body => JSON.stringify({ ...JSON.parse(body), name: 'Somebody Else' }) }
  const refused = await run(pipeline, optionsOf(way)).catch((error: unknown) => error)
  expect(refused).toMatchObject({ exitCode: 76 })
  expect(storedFiles().filter(name => name.includes('screen'))).toEqual([])
})

test('candidates whose answer is lost are not kept', async () => {
  const way = await openWay()
  const candidates = { for: ['unmatched' as const], limit: 10 }
  const pipeline = pipelineOf('nightly', { reuse: { ...AGES, candidates: '10d' }, candidates })
  writeList([4])
  way.lies = { operation: 'matchCompanies', change: () => '{"matchedCompanies":[{"id":"GB-X-1"' }
  await run(pipeline, optionsOf(way)).catch(() => null)
  expect(storedFiles().filter(name => name.includes('candidates'))).toEqual([])
})

test('the report of another company is not taken for the one of an accepted company', async () => {
  const way = await openWay()
  const company = 'GB-X-11076475'
  const pipeline = pipelineOf('nightly', {
    accept: { banding: ['A'], review: ['B', 'C', 'D', 'E', 'F'] },
    candidates: { for: ['unmatched'], fetch: 'report' },
    review: { decisions: 'decisions.csv' },
    output: { path: 'nightly.csv', columns: ['*', 'general.connectId', 'contact.city'] },
    enrich: { product: 'basic', tags: [...TAGS, 'contact.city'] },
  })
  const head = 'fingerprint,decision,company,companyName,by,at\n'
  here.write('decisions.csv', head)
  writeList([3])
  const first = await run(pipeline, optionsOf(way))
  const { fingerprint } = first.results[0]!.review[0]!
  here.write('decisions.csv', `${head}${fingerprint},accept,${company},Varnix Steel Ltd,ann,2026-11-24\n`)
  const change: Change = body => body.replaceAll(company, 'GB-X-11923903')
  way.lies = { operation: 'readReport', change }
  const refused = await run(pipeline, { ...optionsOf(way), fresh: true }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ exitCode: 76 })
  expect(outputOf('nightly')).not.toContain('11923903')
})
