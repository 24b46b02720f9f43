/** Which cell a rule reads: never a column of the list in place of the present answer, and no dataset that was not searched for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DecisionTable } from '../../../src/decide/table.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { decideList } from '../../../src/prepare/decision-table.ts'
import { type Findings, rowDecider } from '../../../src/results/decide-rows.ts'
import { addedColumns, NO_COLUMNS } from '../../../src/results/enriched-columns.ts'

type Row = Parameters<NonNullable<ReturnType<typeof rowDecider>>>[0]

const HEADER = ['Name', 'general.status']
const planOf = (when: DecisionTable['rules'][number]['when']): Plan =>
  ({
    input: { header: HEADER },
    enrich: { product: 'basicPlus', tags: ['general.connectId', 'general.status'] },
    decide: {
      path: 't.yml',
      asOf: '2026-01-31',
      table: { rules: [{ name: 'a', when, decision: 'accept' }], otherwise: 'decline' },
    },
  }) as unknown as Plan

const answer = addedColumns(['general.connectId', 'general.status'])
const rowOf = (cells: readonly string[] | null, outcome = 'matched'): Row =>
  ({
    inputRow: ['Acme', 'active'],
    result: { outcome, row: cells ?? [], columns: cells === null ? NO_COLUMNS : answer },
  }) as unknown as Row

test('a list that was an earlier output does not decide in place of the answer', () => {
  const decide = rowDecider(planOf({ 'general.status': 'active' }), { hits: null, events: null })!
  expect(decide(rowOf(['X', 'dissolved']))).toMatchObject({ decision: 'decline' })
  expect(decide(rowOf(['X', 'active']))).toMatchObject({ decision: 'accept' })
  expect(decide(rowOf(null, 'failed'))).toMatchObject({ decision: 'refer', missing: 'general.status' })
})

test.each([
  ['SAN', { hits: 1, risks: { 'SAN-CURRENT': 1 } }, 'decline'],
  ['SAN', { hits: 2, risks: { 'SAN-CURRENT': 1, SAN: 2 } }, 'decline'],
  ['SAN-CURRENT', { hits: 1, risks: { SAN: 1 } }, 'decline'],
  ['PEP', { hits: 1, risks: { 'SAN-CURRENT': 1 } }, 'accept'],
  ['SAN', { hits: 0, risks: {} }, 'accept'],
  ['SAN', { hits: 1, risks: {} }, 'refer'],
  ['SAN', null, 'refer'],
])('screen.%s of %j: %s', (dataset, found, decision) => {
  const hits: Findings['hits'] = new Map(
    found === null ? [] : [['X', { id: 'X', cleared: 0, confirmed: 0, back: 0, state: 'open', why: '', ...found }]],
  )
  const decide = rowDecider(planOf({ [`screen.${dataset}`]: { '<': 1 } }), { hits, events: null })!
  expect(decide(rowOf(['X', 'active']))).toMatchObject({ decision })
})

test('a file with a column twice is refused where the decision reads it', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'fettle-decide-'))
  writeFileSync(
    join(cwd, 't.yml'),
    'rules:\n  - { name: a, when: { general.status: active }, decision: accept }\notherwise: decline\n',
  )
  const found = async (text: string) => {
    writeFileSync(join(cwd, 'a.csv'), text)
    const signal = new AbortController().signal
    return decideList('a.csv', { table: 't.yml', asOf: '2026-01-31', output: null, cwd, signal })
  }
  expect((await found('Name,general.status\nA,active\n')).decided?.counts).toMatchObject({ accept: 1 })
  const { decided, issues } = await found('Name,general.status,general.status\nA,active,dissolved\n')
  expect([decided, issues.map(({ code, message }) => `${code} ${message}`)]).toEqual([
    null,
    expect.arrayContaining([
      expect.stringContaining('FETTLE_INPUT_HEADER the header "general.status" occurs in columns 2 and 3'),
    ]),
  ])
  rmSync(cwd, { recursive: true })
})
