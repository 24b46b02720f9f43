/** OpenLineage: events of every way a run can stand, against the specification's shapes; which word tells which end; nothing of a row. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LineageNames, lineageEvent } from '../../../src/report/index.ts'
import { type FixtureName, STATES } from './fixtures.ts'
import { faultsOf } from './openlineage-schema.ts'

const PARENT = {
  run: { runId: '0199c8a1-7d7e-7b52-9f33-2a1c5c0f6a11' },
  job: { namespace: 'airflow', name: 'suppliers.match' },
}
const NAMES: LineageNames = {
  runId: '5f0c4a52-1f0e-5d0a-8a5b-0d0f1f3c9d11',
  job: { namespace: 'default', name: 'nightly-suppliers' },
  parent: { ...PARENT, root: { ...PARENT, job: { namespace: 'airflow', name: 'suppliers' } } },
  shards: [{ run: PARENT.run, job: { namespace: 'default', name: 'nightly-suppliers.1-of-2' } }],
  nominalTime: '2025-11-20T02:00:00.000Z',
  dataset: path => ({ namespace: 'file', name: `/project/${path}` }),
  column: index => `COLUMN ${index}`,
}
const ALL = Object.keys(STATES) as FixtureName[]
const TYPES = ['START', 'RUNNING', 'END'] as const

describe('the shapes of the specification', () => {
  test.each(ALL.flatMap(name => TYPES.map(type => [name, type] as const)))('%s, %s', (name, type) => {
    const made = STATES[name]()
    // That fixture has no rows, and the profile of 500.
    const state = name === 'skipped' ? { ...made, plan: { ...made.plan, profile: [] } } : made
    expect(faultsOf(lineageEvent(state, type, NAMES))).toEqual([])
    expect(faultsOf(lineageEvent(state, type, { ...NAMES, parent: null, shards: [], nominalTime: null }))).toEqual([])
  })

  test('reject invalid events', () => {
    const event = lineageEvent(STATES.finished(), 'END', NAMES)
    expect(faultsOf({ ...event, eventType: 'DONE' })).toHaveLength(1)
    expect(faultsOf({ ...event, eventTime: 'yesterday' })).toHaveLength(1)
    expect(faultsOf({ ...event, run: { ...event.run, runId: '1' } })).toHaveLength(1)
    expect(faultsOf({ ...event, inputs: [{ name: 'x' }] })).toHaveLength(1)
  })

  test('any header', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 12 }), header => {
        const state = STATES.finished()
        const input = { ...state.plan.input, header, columns: header.length }
        const event = lineageEvent({ ...state, plan: { ...state.plan, input } }, 'END', NAMES)
        expect(faultsOf(event)).toEqual([])
        const fields = event.inputs[0]?.facets.schema?.fields as { name: string }[]
        expect(fields.map(({ name }) => name)).toEqual([...new Set(header)])
      }),
    )
  })
})

test.each([
  ['finished', 'COMPLETE'],
  ['failedAtUpload', 'FAIL'],
  ['pausedAtMatch', 'FAIL'],
  ['skipped', 'COMPLETE'],
] as const)('%s is %s', (name, type) => {
  const state = STATES[name]()
  const event = lineageEvent(state, 'END', NAMES)
  expect(event.eventType).toBe(type)
  expect(event.run.facets.errorMessage?.message ?? null).toBe(
    state.error === null ? null : `${state.error.code}: ${state.error.message}`,
  )
  expect(lineageEvent(state, 'START', NAMES).run.facets.errorMessage).toBeUndefined()
})

test('a stopped run is aborted; a run with a failed check is complete and reports the check', () => {
  const state = STATES.finished()
  expect(lineageEvent({ ...state, status: 'cancelled' }, 'END', NAMES).eventType).toBe('ABORT')
  const missed = lineageEvent({ ...state, status: 'fail', exitCode: 1 }, 'END', NAMES)
  expect(missed.eventType).toBe('COMPLETE')
  expect(missed.inputs[0]?.inputFacets?.dataQualityAssertions?.assertions).toEqual([
    { assertion: 'matched not < 90%', success: false, severity: 'warn' },
    { assertion: 'unmatched not > 500', success: true, severity: 'warn' },
    { assertion: 'drift not > 15%', success: true, severity: 'error' },
  ])
})

test('columns: columns of the list unchanged, the others found by what is mapped', () => {
  const { inputs, outputs } = lineageEvent(STATES.finished(), 'END', NAMES)
  const fields = outputs[0]?.facets.columnLineage?.fields as Record<string, { inputFields: { field: string }[] }>
  expect(fields.supplier_id).toEqual({
    inputFields: [
      {
        namespace: 'file',
        name: '/project/data/suppliers-2025-11-20.csv',
        field: 'supplier_id',
        transformations: [{ type: 'DIRECT', subtype: 'IDENTITY', description: 'as it was', masking: false }],
      },
    ],
  })
  expect(fields['general.connectId']?.inputFields.map(({ field }) => field)).toEqual([
    'Company Name',
    'Reg No',
    'Town',
    'Postcode',
    'Country',
  ])
  const metrics = inputs[0]?.inputFacets?.dataQualityMetrics as unknown as { columnMetrics: Record<string, object> }
  expect(metrics.columnMetrics['Reg No']).toEqual({ nullCount: 249, count: 251, distinctCount: 250 })
  // An estimate is no count.
  expect(metrics.columnMetrics.Country).toEqual({ nullCount: 1, count: 499 })
  expect(outputs.map(({ name, outputFacets }) => [name, outputFacets?.outputStatistics?.rowCount])).toEqual([
    ['/project/out/suppliers.csv', 424],
    ['/project/out/unmatched.csv', 43],
    ['/project/out/review.csv', 31],
  ])
})

test('no cell of a row, no example of a column', () => {
  const state = STATES.finished()
  const told = JSON.stringify(TYPES.map(type => lineageEvent(state, type, NAMES)))
  for (const { cells, candidate, key } of state.samples)
    for (const text of [...Object.values(cells), candidate.name, key ?? ''].filter(one => one.length > 3))
      expect(told).not.toContain(JSON.stringify(text).slice(1, -1))
  for (const { examples } of state.plan.profile ?? []) for (const text of examples) expect(told).not.toContain(`"${text}"`)
})
