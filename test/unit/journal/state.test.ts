/** The fold: the same state for whole and split lists of events, from any events that a crash may have left. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { issue } from '../../../src/errors.ts'
import type { RecordedError, RunEvent, RunEventInput } from '../../../src/journal/events.ts'
import { fetchedTags } from '../../../src/journal/index.ts'
import { advance, fold, type RunState } from '../../../src/journal/state.ts'
import type { HttpCounts } from '../../../src/model/requests.ts'
import { STAGE_NAMES } from '../../../src/model/stages.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { RECEIVED } from '../../support/received.ts'
import { OUTCOMES, planOf } from '../run/world.ts'

const started: RunEventInput = {
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
const error: RecordedError = { code: 'FETTLE_NETWORK', kind: 'retryable', message: 'no', hint: 'yes', correlationId: null }
const sigint: RecordedError = { ...error, code: 'FETTLE_SIGINT', kind: 'sigint' }
const summary = { totalRows: 10, matched: 6 }

const stage = fc.constantFrom(...STAGE_NAMES)
const status = fc.constantFrom('matching', 'aggregating', 'jobMatchingComplete', 'enrichmentComplete', 'polishing')
/** Any event after the first, plausible or not: the fold must stand anything a journal can hold. */
const fact: fc.Arbitrary<RunEventInput> = fc.oneof(
  fc.constant<RunEventInput>(started),
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
  fc.constant<RunEventInput>({ type: 'run.paused', status: 'error', exitCode: 75, error }),
  fc.constant<RunEventInput>({
    type: 'run.finished',
    status: 'success',
    exitCode: 0,
    outcomes: OUTCOMES,
    checks: [],
    error: null,
  }),
)

const at = (index: number): string => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()
const eventsOf = (facts: readonly RunEventInput[]): RunEvent[] => facts.map((one, index) => ({ ...one, at: at(index) }))
const stateOf = (...facts: RunEventInput[]): RunState => fold(eventsOf([started, ...facts]))!

/** Lists and records in the state of the stages about companies. */
const listsIn = (state: RunState | null): object[] =>
  [state?.candidates, state?.accepted, state?.screening].flatMap(stage =>
    Object.values(stage ?? {}).filter(value => typeof value === 'object' && value !== null),
  )

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

  test('copies no list of companies for each event that adds to it', () => {
    const tags = { 'general.companyName': 'Acme Ltd' }
    const [size, mostCopied] = [8000, 200]
    const facts = Array.from({ length: size }, (_, at): RunEventInput[] => {
      const company = { id: `c${at}`, name: 'Acme Ltd', searchId: `s${at}`, hits: at % 5, risks: { SAN: at % 5 } }
      return [
        { type: 'candidates.found', done: at, question: `q${at}`, companies: [] },
        { type: 'candidates.reused', done: at, question: `r${at}`, companies: [], askedAt: '2026-01-01T00:00:00Z' },
        { type: 'accepted.fetched', done: at, paid: 1, job: null, companies: [{ id: `c${at}`, tags }] },
        { type: 'screen.finished', done: at, company, createdAt: null, adopted: false },
      ]
    }).flat()
    const candidates = { for: ['unmatched' as const], limit: size, budget: null, fetch: 'report' as const }
    const screen = { datasets: ['SAN'], countries: [], threshold: 85, budget: null }
    const plan = { ...planOf(), candidates, screen } as Plan
    let state = fold(eventsOf([{ ...started, plan } as RunEventInput]))
    let copied = 0
    for (const event of eventsOf(facts)) {
      const next = advance(state, event)
      for (const [at, list] of listsIn(next).entries()) if (list !== listsIn(state)[at]) copied += Object.keys(list).length
      state = next
    }
    expect(state?.candidates?.answers.values()).toHaveLength(2 * size)
    expect(Object.keys(fetchedTags(state!.accepted!.found))).toHaveLength(size)
    expect(copied / facts.length).toBeLessThan(mostCopied)
  })

  test('of nothing, and of what comes before run.started, is null', () => {
    expect(fold([])).toBeNull()
    expect(fold(eventsOf([{ type: 'match.requested', part: 0 }]))).toBeNull()
  })
})

describe('what the state keeps', () => {
  test('sums the time and counts the attempts of a stage that started twice', () => {
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

  test('records each change of status once, and keeps the last counts', () => {
    const look = (status: string, counts: typeof summary | null): RunEventInput => ({
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
    const finished: RunEventInput = {
      type: 'run.finished',
      status: 'fail',
      exitCode: 1,
      outcomes: OUTCOMES,
      checks: [],
      error: null,
    }
    expect(stateOf(finished, { type: 'run.resumed', pid: 2, host: 'h' })).toMatchObject({
      status: 'fail',
      exitCode: 1,
      finished: true,
      resumedAt: [],
      runKeys: [],
    })
  })
})

describe('changes only the fields of the event', () => {
  const fresh = stateOf()
  const http2: HttpCounts = { requests: 6, retries: 2, throttledMs: 400 }

  test('at the beginning nothing has been done', () => {
    expect(fresh).toEqual({
      tree: null,
      accepted: null,
      events: null,
      forgotten: [],
      shardRuns: [],
      runId: 'r1',
      tool: { name: 'fettle', version: '0.1.0' },
      plan: planOf(),
      jobName: 'fettle suppliers r1',
      identity: 'embedded',
      args: {},
      traceId: 't',
      ci: null,
      startedAt: at(0),
      updatedAt: at(0),
      resumedAt: [],
      runKeys: [],
      stages: ['create', 'upload', 'map', 'submit', 'match', 'enrich', 'download'].map(name => ({
        name,
        status: 'pending',
        startedAt: null,
        elapsedMs: 0,
        attempts: 0,
        note: null,
      })),
      jobs: [
        {
          part: 0,
          name: 'fettle suppliers r1',
          requested: false,
          id: null,
          adopted: false,
          uploadRequested: false,
          uploaded: null,
          mapped: false,
          matchRequested: false,
          matchAccepted: false,
          matchFinished: false,
          enrichmentsAccepted: false,
          enrichRequested: null,
          enrichAccepted: false,
          enrichFinished: false,
          received: null,
          failure: null,
          status: null,
          history: [],
          polls: 0,
          summary: null,
          correlations: [],
        },
      ],
      issues: planOf().issues,
      outputs: [],
      outcomes: null,
      samples: [],
      scores: [],
      lowestScores: null,
      changes: null,
      reuse: null,
      matches: null,
      checks: [],
      http: { requests: 0, retries: 0, throttledMs: 0 },
      status: 'running',
      exitCode: null,
      error: null,
      companies: null,
      duplicates: [],
      reasons: {},
      portfolio: null,
      candidates: null,
      screening: null,
      monitoring: null,
      decisions: null,
      audit: null,
      decide: null,
      endedAt: null,
      finished: false,
      detached: false,
    })
  })

  const part = 0
  const seen = (one: string) => ({ status: one, summary, history: [{ status: one, at: at(1) }] })
  test.each<[RunEventInput, Partial<RunState['jobs'][number]>]>([
    [
      { type: 'job.requested', part, name: 'n' },
      { requested: true, name: 'n' },
    ],
    [
      { type: 'job.created', part, id: 'j', name: 'n', adopted: true },
      { id: 'j', name: 'n', adopted: true },
    ],
    [{ type: 'upload.requested', part, bytes: 3 }, { uploadRequested: true }],
    [
      { type: 'upload.accepted', part, fileId: 'f', bytes: 3, sha256: 'h', adopted: false },
      { uploaded: { bytes: 3, sha256: 'h' } },
    ],
    [{ type: 'mapping.accepted', part, count: 2 }, { mapped: true }],
    [{ type: 'match.requested', part }, { matchRequested: true }],
    [{ type: 'match.accepted', part, messageId: null, adopted: false }, { matchAccepted: true }],
    [
      { type: 'status.observed', part, stage: 'match', status: 'matching', summary },
      { ...seen('matching'), polls: 1 },
    ],
    [
      { type: 'match.finished', part, status: 'matched', summary },
      { ...seen('matched'), matchFinished: true },
    ],
    [{ type: 'enrichments.accepted', part, product: 'basic', tags: 2 }, { enrichmentsAccepted: true }],
    [{ type: 'enrich.requested', part }, { enrichRequested: at(1) }],
    [{ type: 'enrich.accepted', part, adopted: true }, { enrichAccepted: true }],
    [
      { type: 'enrich.finished', part, status: 'enriched', summary },
      { ...seen('enriched'), enrichFinished: true },
    ],
    [
      { type: 'file.received', part, bytes: 9, rows: 2, sha256: 'h', ...RECEIVED },
      { received: { bytes: 9, rows: 2, sha256: 'h', ...RECEIVED } },
    ],
    [
      { type: 'correlation.noted', part, operation: 'submit', correlationId: 'c' },
      { correlations: [{ operation: 'submit', correlationId: 'c' }] },
    ],
  ])('of the job: $type', (one, change) => {
    const job = { ...fresh.jobs[0]!, ...change }
    expect(stateOf(one)).toEqual({ ...fresh, jobs: [job], updatedAt: at(1) })
    // Of a part that this run has not, nothing is known.
    expect(stateOf({ ...one, part: 1 } as RunEventInput)).toEqual({ ...fresh, updatedAt: at(1) })
  })

  test.each<[RunEventInput, Partial<RunState['stages'][number]>, HttpCounts]>([
    [{ type: 'stage.started', stage: 'map' }, { status: 'running', startedAt: at(1), attempts: 1 }, fresh.http],
    [{ type: 'stage.finished', stage: 'map', elapsedMs: 4, http }, { status: 'success', elapsedMs: 4 }, http],
    [{ type: 'stage.skipped', stage: 'map', why: 'none' }, { status: 'skipped', note: 'none' }, fresh.http],
    [
      { type: 'stage.failed', stage: 'map', elapsedMs: 4, error, http },
      { status: 'error', elapsedMs: 4, note: error.message },
      http,
    ],
    [
      { type: 'stage.failed', stage: 'map', elapsedMs: 4, error: { ...error, kind: 'sigterm' }, http },
      { status: 'cancelled', elapsedMs: 4, note: error.message },
      http,
    ],
  ])('of the stage: $type', (one, change, counts) => {
    const stages = fresh.stages.map(stage => (stage.name === 'map' ? { ...stage, ...change } : stage))
    expect(stateOf(one)).toEqual({ ...fresh, stages, http: counts, updatedAt: at(1) })
  })

  const files = [{ kind: 'output' as const, path: 'o', rows: 1, bytes: 2, sha256: 'h' }]
  const checks = [{ assertion: 'a', success: true, severity: 'fail' as const, expected: 'e', actual: 'a' }]
  const raised = issue('FETTLE_JOB_STATUS', 'one more')
  test.each<[RunEventInput, Partial<RunState>]>([
    [
      { type: 'output.written', files, outcomes: OUTCOMES, samples: [], scores: [1] },
      { outputs: files, outcomes: OUTCOMES, samples: [], scores: [1] },
    ],
    [{ type: 'issue.raised', issue: raised }, { issues: [raised] }],
    [
      { type: 'run.finished', status: 'warn', exitCode: 0, outcomes: OUTCOMES, checks, error },
      { status: 'warn', exitCode: 0, outcomes: OUTCOMES, checks, error, endedAt: at(1), finished: true },
    ],
    [
      { type: 'run.paused', status: 'cancelled', exitCode: 130, error: sigint },
      { status: 'cancelled', exitCode: 130, error: sigint },
    ],
    [{ type: 'run.resumed', pid: 2, host: 'h' }, { resumedAt: [at(1)] }],
    [started, {}],
    [{ type: 'row.glanced', row: 1 } as unknown as RunEventInput, {}],
  ])('of the run: $type', (one, change) => {
    expect(stateOf(one)).toEqual({ ...fresh, ...change, updatedAt: at(1) })
  })

  test('a resume brings the present settings into the plan, and nothing else of them', () => {
    const { poll, retry, checks: planned, report } = planOf()
    const settings = { poll: { ...poll, everyMs: 9_000 }, retry, checks: planned, report }
    const paused: RunEventInput = { type: 'run.paused', status: 'error', exitCode: 75, error }
    const state = stateOf(paused, { type: 'run.resumed', pid: 2, host: 'h', settings })
    expect(state).toEqual({ ...fresh, plan: { ...planOf(), ...settings }, resumedAt: [at(2)], updatedAt: at(2) })
  })

  test('keeps the first start of a restarted stage, and clears its error', () => {
    const state = stateOf(
      { type: 'stage.started', stage: 'map' },
      { type: 'stage.failed', stage: 'map', elapsedMs: 4, error, http },
      { type: 'stage.started', stage: 'map' },
      { type: 'stage.failed', stage: 'map', elapsedMs: 5, error, http },
    )
    expect(state.stages[2]).toMatchObject({ startedAt: at(1), attempts: 2, note: error.message, elapsedMs: 9 })
    expect(state.http).toEqual(http2)
  })

  test('starts a replaced job from the beginning, but keeps polls and correlation ids', () => {
    const before: RunEventInput[] = [
      { type: 'job.created', part, id: 'theirs', name: 'n', adopted: false },
      { type: 'upload.accepted', part, fileId: null, bytes: 1, sha256: null, adopted: false },
      { type: 'mapping.accepted', part, count: 1 },
      { type: 'status.observed', part, stage: 'match', status: 'matching', summary },
      { type: 'correlation.noted', part, operation: 'submit', correlationId: 'c' },
    ]
    const [same] = stateOf(...before, { type: 'job.created', part, id: 'theirs', name: 'n', adopted: true }).jobs
    expect(same).toMatchObject({ mapped: true, status: 'matching', adopted: true, uploaded: { bytes: 1, sha256: null } })
    const [other] = stateOf(...before, { type: 'job.created', part, id: 'ours', name: 'n', adopted: true }).jobs
    expect(other).toEqual({
      ...fresh.jobs[0],
      id: 'ours',
      name: 'n',
      adopted: true,
      requested: true,
      uploadRequested: true,
      matchRequested: true,
      polls: 1,
      correlations: [{ operation: 'submit', correlationId: 'c' }],
    })
  })
})
