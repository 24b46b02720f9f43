/** The fold: the same state however the events are read, from facts that a crash may have left in any order. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HttpCounts, RecordedError, RunEvent, RunFact } from '../../src/journal/events.ts'
import { STAGES } from '../../src/journal/events.ts'
import { advance, fold, type RunState } from '../../src/journal/state.ts'
import { OUTCOMES, planOf } from '../run/world.ts'

const started: RunFact = {
  type: 'run.started',
  journal: 1,
  runId: 'r1',
  tool: { name: 'fettle', version: '0.1.0' },
  plan: planOf(),
  jobName: 'fettle suppliers r1',
  identity: 'embedded',
  args: {},
  traceId: 't',
  ci: null,
}

const http: HttpCounts = { requests: 3, retries: 1, throttledMs: 200 }
const error: RecordedError = { code: 'FETTLE_NETWORK', kind: 'again', message: 'no', hint: 'yes', correlationId: null }
const sigint: RecordedError = { ...error, code: 'FETTLE_SIGINT', kind: 'sigint' }
const summary = { totalRows: 10, matched: 6 }

const stage = fc.constantFrom(...STAGES)
const status = fc.constantFrom('matching', 'aggregating', 'jobMatchingComplete', 'enrichmentComplete', 'polishing')
/** Any event after the first, plausible or not: the fold must stand anything a journal can hold. */
const fact: fc.Arbitrary<RunFact> = fc.oneof(
  fc.constant<RunFact>(started),
  fc.record({ type: fc.constant('run.resumed' as const), pid: fc.nat(), host: fc.string() }),
  fc.record({ type: fc.constant('stage.started' as const), stage }),
  fc.record({ type: fc.constant('stage.finished' as const), stage, elapsedMs: fc.nat(), http: fc.constant(http) }),
  fc.record({ type: fc.constant('stage.skipped' as const), stage, why: fc.string() }),
  fc.record({
    type: fc.constant('stage.failed' as const),
    stage,
    elapsedMs: fc.nat(),
    error: fc.constantFrom(error, sigint),
    http: fc.constant(http),
  }),
  fc.record({ type: fc.constant('job.requested' as const), part: fc.nat(1), name: fc.string() }),
  fc.record({
    type: fc.constant('job.created' as const),
    part: fc.nat(1),
    id: fc.string(),
    name: fc.string(),
    adopted: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('match.requested' as const, 'enrich.requested' as const), part: fc.nat(1) }),
  fc.record({ type: fc.constant('enrich.accepted' as const), part: fc.nat(1), adopted: fc.boolean() }),
  fc.record({
    type: fc.constantFrom('match.finished' as const, 'enrich.finished' as const),
    part: fc.nat(1),
    status,
    summary: fc.constantFrom(null, summary),
  }),
  fc.record({
    type: fc.constant('status.observed' as const),
    part: fc.nat(1),
    stage: fc.constantFrom('match' as const, 'enrich' as const),
    status,
    summary: fc.constantFrom(null, summary),
  }),
  fc.record({
    type: fc.constant('correlation.noted' as const),
    part: fc.nat(1),
    operation: fc.string(),
    correlationId: fc.uuid(),
  }),
  fc.constant<RunFact>({ type: 'run.paused', status: 'error', exitCode: 75, error }),
  fc.constant<RunFact>({ type: 'run.finished', status: 'success', exitCode: 0, outcomes: OUTCOMES, checks: [], error: null }),
)

const at = (index: number): string => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()
const eventsOf = (facts: readonly RunFact[]): RunEvent[] => facts.map((one, index) => ({ ...one, at: at(index) }))
const stateOf = (...facts: RunFact[]): RunState => fold(eventsOf([started, ...facts]))!

describe('the fold', () => {
  test('of a prefix, carried on with the rest, is the fold of all', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 30 }), fc.nat(), (facts, cut) => {
        const events = eventsOf([started, ...facts])
        const at = cut % (events.length + 1)
        expect(events.slice(at).reduce(advance, fold(events.slice(0, at)))).toEqual(fold(events))
      }),
    )
  })

  test('changes no event and no earlier state', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 20 }), facts => {
        const events = eventsOf([started, ...facts])
        const text = JSON.stringify(events)
        let state: RunState | null = null
        for (const event of events) {
          const kept: string = JSON.stringify(state)
          const next: RunState | null = advance(state, event)
          expect(JSON.stringify(state)).toBe(kept)
          state = next
        }
        expect(JSON.stringify(events)).toBe(text)
      }),
    )
  })

  test('survives JSON, which is all the disk keeps', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 20 }), facts => {
        const events = eventsOf([started, ...facts])
        expect(fold(JSON.parse(JSON.stringify(events)))).toEqual(JSON.parse(JSON.stringify(fold(events))))
      }),
    )
  })

  test('of nothing, and of what comes before run.started, is null', () => {
    expect(fold([])).toBeNull()
    expect(fold(eventsOf([{ type: 'match.requested', part: 0 }]))).toBeNull()
  })
})

describe('what the state keeps', () => {
  test('a stage begun twice sums its time and counts its attempts', () => {
    const state = stateOf(
      { type: 'stage.started', stage: 'match' },
      { type: 'stage.failed', stage: 'match', elapsedMs: 5, error, http },
      { type: 'run.paused', status: 'error', exitCode: 75, error },
      { type: 'run.resumed', pid: 2, host: 'h' },
      { type: 'stage.started', stage: 'match' },
      { type: 'stage.finished', stage: 'match', elapsedMs: 7, http },
    )
    expect(state.stages[4]).toEqual({
      name: 'match',
      status: 'success',
      startedAt: at(1),
      elapsedMs: 12,
      attempts: 2,
      note: null,
    })
    expect(state.http).toEqual({ requests: 6, retries: 2, throttledMs: 400 })
    expect(state).toMatchObject({
      status: 'running',
      exitCode: null,
      error: null,
      finished: false,
      resumedAt: [at(4)],
      updatedAt: at(6),
    })
  })

  test('a stage that a signal stopped is cancelled, one that an error stopped is in error', () => {
    const state = stateOf(
      { type: 'stage.failed', stage: 'create', elapsedMs: 1, error: sigint, http },
      { type: 'stage.failed', stage: 'upload', elapsedMs: 1, error, http },
    )
    expect(state.stages.slice(0, 3).map(one => one.status)).toEqual(['cancelled', 'error', 'pending'])
  })

  test('the history holds each change of status once; the last counts told stay', () => {
    const look = (status: string, counts: typeof summary | null): RunFact => ({
      type: 'status.observed',
      part: 0,
      stage: 'match',
      status,
      summary: counts,
    })
    const [job] = stateOf(look('matching', null), look('matching', null), look('matched', summary), look('matching', null)).jobs
    expect(job).toMatchObject({ status: 'matching', polls: 4, summary })
    expect(job?.history).toEqual([
      { status: 'matching', at: at(1) },
      { status: 'matched', at: at(3) },
      { status: 'matching', at: at(4) },
    ])
  })

  test('a resume of a run at its end changes nothing', () => {
    const finished: RunFact = { type: 'run.finished', status: 'fail', exitCode: 1, outcomes: OUTCOMES, checks: [], error: null }
    expect(stateOf(finished, { type: 'run.resumed', pid: 2, host: 'h' })).toMatchObject({
      status: 'fail',
      exitCode: 1,
      finished: true,
      resumedAt: [],
    })
  })
})
