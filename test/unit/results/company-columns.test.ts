/** How a service may call the column of the company, and what it may write into it when it found none. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { openResults } from '../../../src/results/index.ts'
import { factsOf, folder, names, planOf } from '../input/kit.ts'

const LIST = 'Ref,Company,Town\n1,Acme,Leeds\n2,Bolt,York\n3,Core,Hull\n'
const MAPPINGS: Plan['mappings'] = [{ mapping: 'name', header: 'Company', index: 1, pad: null }]

/** Publishes a file in which each row repeats its cells; gives outcomes and ids next to the rows, or the error. */
async function publish(added: string, cells: readonly string[], rest: Partial<Plan> = {}, list = LIST) {
  const [root, work] = [folder(), folder()]
  writeFileSync(join(root, 'in.csv'), list)
  const facts = { ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' }
  const columns = ['*', 'general.connectId', 'match.outcome']
  const output = { path: 'out.csv', format: 'csv' as const, columns, unmatched: null, review: null }
  const plan = planOf(facts, { output, mappings: MAPPINGS, enrich: { product: 'basic', tags: ['general.connectId'] }, ...rest })
  const results = openResults(plan, work, { root })
  const [head, ...rows] = list.trim().split('\n')
  const text = [`${head},${added}`, ...rows.map((row, at) => `${row},${cells[at]}`), ''].join('\n')
  const body = (async function* () {
    yield Buffer.from(text)
  })()
  try {
    await results.receive(0, { bytes: Buffer.byteLength(text), body }, 3)
    const seen: string[] = []
    const { outcomes, words } = await results.publish((_, header) => seen.push(header ?? ''))
    const written: string[][] = parse(readFileSync(join(root, 'out.csv')))
    return { header: seen[0], matched: outcomes.matched, words, ids: written.slice(1).map(row => row.slice(3)) }
  } catch (error) {
    if (!FettleError.is(error)) throw error
    expect(names(root)).toEqual(['in.csv'])
    return error
  }
}

describe('the column of the company', () => {
  test.each([
    ...['general.connectId', 'General.ConnectID', 'GENERAL.CONNECT_ID', 'general connect id', 'General-Connect-Id'],
    ...['Connect ID', 'connectId', 'connect_id', 'CONNECTID', 'general.en.connectId', ' connectId '],
  ])('%s is found', async header => {
    expect(await publish(`"${header}"`, ['CC-1', '', 'CC-3'])).toMatchObject({
      matched: 2,
      ids: [
        ['CC-1', 'matched'],
        ['', 'unmatched'],
        ['CC-3', 'matched'],
      ],
    })
  })

  it('is found by the name that the pipeline gives it', async () => {
    const headers = { 'general.connectId': 'Kennung der Firma' }
    expect(await publish('KENNUNG DER FIRMA', ['CC-1', '', ''], { headers })).toMatchObject({ matched: 1 })
    expect(await publish('Kennung', ['CC-1', '', ''], { headers })).toMatchObject({ code: 'FETTLE_FILE_COLUMNS' })
  })

  it('is not a column of the list, nor one of two that may be it', async () => {
    const mappings: Plan['mappings'] = [...MAPPINGS, { mapping: 'connectId' as 'name', header: 'Ref', index: 0, pad: null }]
    expect(await publish('Connect ID', ['CC-1', '', ''], { mappings })).toMatchObject({ code: 'FETTLE_FILE_COLUMNS' })
    expect(await publish('Connect ID,connect-id', ['CC-1,a', ',', ','])).toMatchObject({ code: 'FETTLE_FILE_COLUMNS' })
  })

  it('is missed with the header that came and the nearest name, never taken for rows without a company', async () => {
    expect(await publish('Connect Nr,Score', ['CC-1,1', 'CC-2,1', 'CC-3,1'])).toMatchObject({
      code: 'FETTLE_FILE_COLUMNS',
      exitCode: 76,
      message:
        'the enriched file has no column general.connectId or general.safeNumber, so nothing shows which rows have a company: its columns are "Ref", "Company", "Town", "Connect Nr", "Score"; the nearest is "Connect Nr"',
      hint: expect.stringContaining('enrich: { headers: { general.connectId: "Connect ID" } }'),
    })
  })

  it('is named next to counts that contradict it', async () => {
    const { header } = (await publish('Connect ID', ['', '', ''])) as { header: string }
    expect(header).toContain('"Town", "Connect ID"; the nearest is "Connect ID"')
  })
})

test.each([
  ...[
    'NULL',
    'null',
    'Null',
    'None',
    'nil',
    'N/A',
    'n/a',
    '#N/A',
    'NA',
    'NaN',
    'undefined',
    '-',
    '--',
    '—',
    '0',
    '00',
    '0.0',
    '.',
    '?',
    '   ',
  ],
  ...['No company found', 'NO MATCH FOUND', 'NO_MATCH_FOUND', 'nicht gefunden', 'keine', 'n.a.', '[]', '{}'],
  ...['Not Found', 'NOT FOUND', 'not_found', 'no match', 'unmatched', '(none)', '<null>', '""""""'],
])('%s is not a company, and is not written as one', async word => {
  for (const column of ['general.connectId', 'general.safeNumber'])
    expect(await publish(column, [word, 'GB-0-02060056', word])).toMatchObject({
      matched: 1,
      ids: [
        ['', 'unmatched'],
        [column === 'general.connectId' ? 'GB-0-02060056' : '', 'matched'],
        ['', 'unmatched'],
      ],
    })
})

test.each([
  ...['ERROR', 'Timeout', '#REF!', 'pending', 'multiple', 'x', 'unresolved', 'GB-0-', 'HTTP 503', '2 companies', '404 Not Found'],
])('%s is neither a company nor a known word for none, and the file is refused', async word => {
  for (const column of ['general.connectId', 'general.safeNumber'])
    expect(await publish(column, ['CC-1', word, ''])).toMatchObject({
      code: 'FETTLE_FILE_COLUMNS',
      exitCode: 76,
      message: expect.stringContaining(`row 2 of the enriched file has ${JSON.stringify(word)} in ${column}`),
    })
})

test('an outcome of the service needs no id with a digit', async () => {
  expect(await publish('match.outcome,general.connectId', ['matched,ACME', 'unmatched,', 'unmatched,'])).toMatchObject({
    matched: 1,
  })
})

test.each<[string, string, readonly string[], number, readonly (readonly [string, string])[]]>([
  [
    'counts only with its company',
    'general.connectId,general.duplicate,general.duplicateId',
    ['CC-1,N,', 'CC-1,Y,1', ',Y,1'],
    1,
    [
      ['CC-1', 'matched'],
      ['CC-1', 'duplicate'],
      ['', 'unmatched'],
    ],
  ],
  [
    'that only has a further id counts as unmatched',
    'general.connectId,general.safeNumber,general.duplicate',
    ['CC-1,UK1,N', ',UK1,Y', 'CC-3,UK3,N'],
    2,
    [
      ['CC-1', 'matched'],
      ['', 'unmatched'],
      ['CC-3', 'matched'],
    ],
  ],
])('a duplicate %s', async (_, columns, rows, matched, ids) => {
  expect(await publish(columns, rows)).toMatchObject({ matched, ids })
})

test.each(['general.connectId', 'General.Connect_ID'])(
  'the column %s of the list is not taken for the column of the service',
  async name => {
    const list = LIST.replace('Town', name)
    expect(await publish('general.safeNumber', ['SN-1', 'SN-2', 'SN-3'], {}, list)).toMatchObject({
      code: 'FETTLE_FILE_COLUMNS',
      message: expect.stringContaining('has the column "general.connectId" of the list, and none of this name that the service'),
    })
    expect(await publish('general.connectId', ['CC-1', '', ''], {}, list)).toMatchObject({ matched: 1 })
  },
)

describe('a word for no value in another column', () => {
  const columns = ['*', 'general.connectId', 'general.companyName', 'general.employees']
  const output = { path: 'out.csv', format: 'csv' as const, columns, unmatched: null, review: null }
  const header = 'general.connectId,general.companyName,general.employees'

  test.each(['NULL', 'N/A', '-', '0', 'Not Found', 'none'])('%s is removed from a row without a company', async word => {
    for (const id of ['', word])
      expect(await publish(header, ['CC-1,Acme,7', `${id},${word},${word}`, `${id},${word},`], { output })).toMatchObject({
        ids: [
          ['CC-1', 'Acme', '7'],
          ['', '', ''],
          ['', '', ''],
        ],
        words: [],
      })
  })

  it('stays beside a company, which may be called so, and is counted', async () => {
    expect(await publish(header, ['CC-1,NULL,n/a', 'CC-2,Null,NULL', 'CC-3,0,0'], { output })).toMatchObject({
      ids: [
        ['CC-1', 'NULL', 'n/a'],
        ['CC-2', 'Null', 'NULL'],
        ['CC-3', '0', '0'],
      ],
      words: [
        { word: 'NULL', cells: 2 },
        { word: 'n/a', cells: 1 },
        { word: 'Null', cells: 1 },
      ],
    })
  })
})

test('spaces around an id are not part of it', async () => {
  expect(await publish('general.connectId', [' CC-1 ', '', '\u00a0CC-3'])).toMatchObject({
    matched: 2,
    ids: [
      ['CC-1', 'matched'],
      ['', 'unmatched'],
      ['CC-3', 'matched'],
    ],
  })
})
