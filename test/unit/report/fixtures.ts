/** Runs as lists of events, folded to the states the report is made of: one for each way a run can stand. */

import { issue } from '../../../src/errors.ts'
import { type RecordedError, type RunEvent, type RunEventInput, type RunState, UNKNOWN } from '../../../src/journal/index.ts'
import { fold } from '../../../src/journal/state.ts'
import type { Outcomes, RowSample } from '../../../src/model/results.ts'
import type { StageName } from '../../../src/model/stages.ts'
import { buildReport, type Report } from '../../../src/report/index.ts'
import { RECEIVED } from '../../support/received.ts'

type Plan = RunState['plan']
type ColumnProfile = NonNullable<Plan['profile']>[number]

const digest = (seed: string): string => seed.repeat(64).slice(0, 64)
const COUNTS = { requests: 3, retries: 0, throttledMs: 0 }

const PLAN: Plan = {
  version: 1,
  name: 'nightly-suppliers',
  description: "Match last night's supplier extract.",
  tags: ['nightly'],
  file: 'pipelines/nightly.yml',
  service: { kind: 'embedded' },
  input: {
    path: 'data/suppliers-2025-11-20.csv',
    bytes: 48_213,
    mtimeMs: 1_763_600_000_000,
    sha256: digest('4f1c9a'),
    encoding: 'utf-8',
    bom: true,
    delimiter: ',',
    delimiterEvidence: '"," 8 in every one of 200 records; ";" none',
    quotes: 'strict',
    header: ['supplier_id', 'Company Name', 'T/A', 'Reg No', 'Street', 'Town', 'Postcode', 'Country', 'Contact'],
    columns: 9,
    rows: 500,
    blankLines: 0,
    lineEnd: 'crlf',
  },
  key: { header: 'supplier_id', index: 0 },
  limit: null,
  rows: 500,
  sent: 500,
  collapse: false,
  parts: [{ from: 0, rows: 500 }],
  concurrency: 4,
  preparation: ['pad'],
  mappings: [
    { mapping: 'name', header: 'Company Name', index: 1, pad: null },
    { mapping: 'orgNumber', header: 'Reg No', index: 3, pad: 8 },
    { mapping: 'city', header: 'Town', index: 5, pad: null },
    { mapping: 'postCode', header: 'Postcode', index: 6, pad: null },
    { mapping: 'country', header: 'Country', index: 7, pad: null },
  ],
  profile: [
    seen('name', 'Company Name', 1, 500, 488, ['Acme Ltd', 'Bolt & Sons', 'Müller Söhne GmbH']),
    seen('orgNumber', 'Reg No', 3, 251, 250, ['1234567', '02345678', 'SC123456']),
    seen('city', 'Town', 5, 500, 1, ['Leeds']),
    seen('postCode', 'Postcode', 6, 0, 0, []),
    { ...seen('country', 'Country', 7, 499, 300, ['***']), isEstimate: true },
    { ...seen(null, 'supplier_id', 0, 500, 500, ['S-1', 'S-2', 'S-3']), isKey: true },
  ],
  enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
  budget: { rows: 100_000, credits: 500 },
  poll: { everyMs: 2_000, maxMs: 30_000, timeoutMs: 7_200_000 },
  retry: { attempts: 4 },
  checks: [],
  output: {
    path: 'out/suppliers.csv',
    format: 'csv',
    columns: ['*', 'general.connectId', 'match.outcome', 'match.score', 'match.why'],
    unmatched: 'out/unmatched.csv',
    review: 'out/review.csv',
  },
  decisions: null,
  ...{ accept: null, candidates: null, portfolio: null, screen: null, reuse: null },
  report: { rows: 'all', mask: ['phone'] },
  issues: [],
  fingerprint: digest('a07e3b'),
} as Plan

function seen(
  mapping: string | null,
  header: string,
  index: number,
  filled: number,
  distinct: number,
  examples: readonly string[],
): ColumnProfile {
  return {
    mapping: mapping as ColumnProfile['mapping'],
    header,
    index,
    isKey: false,
    filled,
    distinct,
    isEstimate: false,
    examples,
  }
}

/** Events a second apart, from a little after two in the morning. */
class Journal {
  readonly events: RunEvent[] = []
  #seconds = 0

  add(fact: RunEventInput, seconds = 1): this {
    this.#seconds += seconds
    const minutes = 17 + Math.floor(this.#seconds / 60)
    const at = `2025-11-20T02:${String(minutes).padStart(2, '0')}:${String(this.#seconds % 60).padStart(2, '0')}.125Z`
    this.events.push({ ...fact, at })
    return this
  }

  start(plan: Partial<Plan> = {}, rest: Partial<RunEventInput & { type: 'run.started' }> = {}): this {
    return this.add(
      {
        type: 'run.started',
        journal: 1,
        runId: 'nightly-suppliers-20251120-021701-k3f9',
        tool: { name: 'fettle', version: '0.1.0' },
        plan: { ...PLAN, ...plan },
        jobName: 'nightly-suppliers/20251120-021701-k3f9',
        identity: 'embedded',
        args: { pipelines: ['pipelines/nightly.yml'], json: false, strict: false, var: ['country=GB'] },
        traceId: digest('c0ffee').slice(0, 32),
        ci: 'github',
        ...rest,
      } as RunEventInput,
      4,
    )
  }

  stage(name: StageName, elapsedMs: number, ...facts: RunEventInput[]): this {
    this.add({ type: 'stage.started', stage: name })
    for (const fact of facts) this.add(fact)
    return this.add({ type: 'stage.finished', stage: name, elapsedMs, http: COUNTS })
  }

  skip(name: StageName, why: string): this {
    return this.add({ type: 'stage.skipped', stage: name, why }, 0)
  }

  toUpload(): this {
    return this.stage(
      'create',
      412,
      { type: 'job.requested', part: 0, name: 'nightly-suppliers/20251120-021701-k3f9' },
      {
        type: 'job.created',
        part: 0,
        id: '6f0b2c1e-9a44-4c8e-b7a1-2f6d0e1c9b77',
        name: 'nightly-suppliers/20251120-021701-k3f9',
        adopted: false,
      },
      { type: 'correlation.noted', part: 0, operation: 'createJob', correlationId: '1f8a-create' },
    )
  }

  toMatch(): this {
    return this.toUpload()
      .stage(
        'upload',
        1_840,
        { type: 'upload.requested', part: 0, bytes: 48_210 },
        { type: 'upload.accepted', part: 0, fileId: 'f-1', bytes: 48_210, sha256: digest('77ab01'), adopted: false },
        { type: 'correlation.noted', part: 0, operation: 'upload', correlationId: '1f8a-upload' },
      )
      .stage('map', 120, { type: 'mapping.accepted', part: 0, count: 5 })
      .stage(
        'submit',
        95,
        { type: 'match.requested', part: 0 },
        { type: 'match.accepted', part: 0, messageId: 'm-1', adopted: false },
        { type: 'correlation.noted', part: 0, operation: 'submit', correlationId: '1f8a-submit' },
      )
  }

  state(): RunState {
    const state = fold(this.events)
    if (state === null) throw new Error('the journal begins with run.started')
    return state
  }
}

const status = (word: string, stage: 'match' | 'enrich' = 'match'): RunEventInput => ({
  type: 'status.observed',
  part: 0,
  stage,
  status: word,
  summary: null,
})

const sample = (row: number, rest: Partial<RowSample>): RowSample => ({
  row,
  line: row + 3,
  key: `S-${1000 + row}`,
  outcome: 'review',
  score: 0.8,
  why: 'name 0.97 | number =',
  cells: {},
  candidate: { id: '', name: '' },
  reason: '',
  fingerprint: `r${row.toString(16).padStart(32, '0')}`,
  candidates: [],
  decision: null,
  ...rest,
})

/** A company beside a row, as the embedded service tells it. */
const beside = (
  id: string,
  name: string,
  score: number,
  why: string,
  parts: Record<string, number>,
  fields: Record<string, string>,
) => ({
  id,
  name,
  score,
  why,
  parts,
  fields: { name, ...fields },
})

const SAMPLES: readonly RowSample[] = [
  sample(17, {
    score: 0.86,
    why: 'name 0.93 | postcode = | town = | number ≠',
    reason: 'number-and-name-disagree',
    cells: { name: 'Harrow & Sons Joinery', orgNumber: '04417720', city: 'Leeds', postCode: 'LS9 8AG', country: 'GB' },
    candidate: { id: 'GB-X-04417702', name: 'Harrow and Sons Joinery Limited' },
    candidates: [
      beside(
        'GB-X-04417702',
        'Harrow and Sons Joinery Limited',
        0.86,
        'name 0.93 | postcode = | town = | number ≠',
        { 'starting odds': -6.2, name: 6.1, postcode: 2.5, town: 1, number: -3 },
        { orgNumber: '04417702', city: 'Leeds', postCode: 'LS9 8AG', country: 'GB', status: 'active' },
      ),
      beside(
        'GB-X-07781120',
        'Harrow Joinery (Leeds) Ltd',
        0.31,
        'name 0.71 | town = | postcode ≠',
        { 'starting odds': -6.2, name: 2.4, town: 1 },
        { orgNumber: '07781120', city: 'Leeds', postCode: 'LS12 1BE', country: 'GB', status: 'dissolved' },
      ),
    ],
  }),
  sample(58, {
    score: 0.74,
    why: 'name 0.88 | town = | postcode ≠',
    reason: 'ambiguous',
    cells: { name: 'Nordlicht Energie GmbH', orgNumber: '', city: 'Kiel', postCode: '24103', country: 'DE' },
    candidate: { id: 'DE-X-HRB11822', name: 'Nordlicht Energy Service GmbH' },
  }),
  sample(91, {
    score: 0.91,
    why: 'name 1 | postcode = | dissolved',
    reason: 'dissolved',
    cells: { name: 'Castleford Packaging Ltd', orgNumber: '02233118', city: 'Castleford', postCode: 'WF10 4PS', country: 'GB' },
    candidate: { id: 'GB-X-02233118', name: 'Castleford Packaging Ltd' },
  }),
  sample(204, {
    score: 0.69,
    why: 'name 0.81 | country = | town ≠',
    reason: 'between-thresholds',
    cells: {
      name: 'Boulangerie Saint-Éloi',
      orgNumber: '',
      city: 'Lille',
      postCode: '59000',
      country: 'FR',
      phone: '+33 3 20 00 00 00',
    },
    candidate: { id: 'FR-X-812449001', name: 'SARL Boulangerie St Eloi' },
  }),
  sample(33, {
    outcome: 'unmatched',
    score: null,
    why: '',
    reason: 'no-candidate',
    cells: { name: 'zzz test do not use', orgNumber: '', city: '', postCode: '', country: 'GB' },
  }),
  sample(140, {
    outcome: 'unmatched',
    score: 0.41,
    why: 'name 0.62 | country =',
    reason: 'below-threshold',
    cells: { name: 'Miller Consulting', orgNumber: '', city: 'Bath', postCode: 'BA1', country: 'GB' },
    candidate: { id: 'GB-X-09911231', name: 'Millar Consultants (Bristol) Ltd' },
  }),
  sample(141, {
    outcome: 'unmatched',
    score: 0.38,
    why: 'name 0.59 | town ≠',
    reason: 'below-threshold',
    cells: { name: 'Green Leaf', orgNumber: '', city: 'York', postCode: '', country: 'GB' },
    candidate: { id: 'GB-X-07755010', name: 'Greenleaf Logistics (UK) Ltd' },
  }),
  sample(310, {
    outcome: 'unmatched',
    score: null,
    why: '',
    reason: 'unknown-number',
    cells: { orgNumber: '99999999', country: 'GB' },
  }),
]

const SCORES = [0, 0, 0, 1, 2, 1, 4, 6, 9, 8, 11, 9, 12, 10, 14, 18, 22, 41, 97, 188]

const WARNING = issue('FETTLE_INPUT_SUSPECT', '41 of 487 values in Reg No look one digit short.', {
  severity: 'warn',
  hint: 'Padding is on (pad: 8); without it these rows would not be found by number.',
  at: { file: 'pipelines/nightly.yml', line: 14, column: 5 },
  column: 'Reg No',
  count: 41,
  rows: [3, 18, 22, 40, 57],
})

type Band = NonNullable<RunState['matches']>['bands'][number]
type Three = readonly [number, number, number]
const placed = ([matched, review, unmatched]: Three) => ({ matched, review, unmatched })
const ofBand = (value: string, rows: number, now: Three, moves: Three): Band => ({
  ...{ value, rows, ...placed(now), moves: placed(moves) },
  examples: [],
})
const EXAMPLE = { row: 7, key: 'S-1007', name: 'ACME LTD', company: { id: 'GB-X-01234567', name: 'Acme Limited' } }

const finished = (): RunState => {
  const outcomes: Outcomes = { matched: 412, manualMatched: 0, review: 31, unmatched: 43, duplicates: 12, failed: 0, skipped: 2 }
  const summary = { totalRows: 498, matched: 412, manualMatched: 0, unmatched: 74, duplicates: 12 }
  return new Journal()
    .start({ issues: [WARNING], accept: { banding: ['A', 'B'], review: ['C'], pattern: { name: 'AB' } } })
    .toMatch()
    .stage('match', 61_200, status('aggregating'), status('matching'), status('matched'), {
      type: 'match.finished',
      part: 0,
      status: 'jobMatchingComplete',
      summary,
    })
    .stage(
      'enrich',
      18_450,
      { type: 'enrichments.accepted', part: 0, product: 'basic', tags: 2 },
      { type: 'enrich.requested', part: 0 },
      { type: 'enrich.accepted', part: 0, adopted: false },
      { type: 'correlation.noted', part: 0, operation: 'enrich', correlationId: '1f8a-enrich' },
      status('enriching', 'enrich'),
      { type: 'enrich.finished', part: 0, status: 'enrichmentComplete', summary },
    )
    .stage(
      'download',
      2_130,
      { type: 'file.received', part: 0, bytes: 91_442, rows: 498, sha256: digest('0d3e55'), ...RECEIVED },
      {
        type: 'output.written',
        files: [
          { kind: 'output', path: 'out/suppliers.csv', rows: 424, bytes: 88_120, sha256: digest('be11') },
          { kind: 'unmatched', path: 'out/unmatched.csv', rows: 43, bytes: 4_812, sha256: digest('90ad') },
          { kind: 'review', path: 'out/review.csv', rows: 31, bytes: 7_240, sha256: digest('5c3f') },
        ],
        outcomes,
        samples: SAMPLES,
        reasons: { 'below-threshold': 30, 'no-candidate': 5, 'unknown-number': 8 },
        duplicates: [
          { row: 40, key: 'S-1040', name: 'ACME LIMITED', company: { id: 'GB-X-01234567', name: 'Acme Limited' }, first: 1 },
          { row: 212, key: 'S-1212', name: 'Bolt and Sons', company: { id: 'GB-X-02345678', name: '' }, first: null },
        ],
        scores: SCORES,
        lowestScores: { matched: 0.7612, review: 0.1508 },
        audit: { agreed: 395, doubtful: 2, notComparable: 5, examples: [{ ...EXAMPLE, differs: ['name', 'postcode'] }] },
        matches: {
          bands: [
            { ...ofBand('A', 380, [380, 0, 0], [0, 380, 380]), examples: [EXAMPLE] },
            ofBand('C', 31, [0, 31, 0], [29, 0, 31]),
            ofBand('', 13, [0, 0, 13], [13, 13, 0]),
          ],
          patterns: [{ value: 'name+postcode', rows: 424, matched: 380, review: 31, unmatched: 13, examples: [EXAMPLE] }],
          others: { bands: 0, patterns: 3 },
          byPattern: 2,
        },
      },
    )
    .add({
      type: 'run.finished',
      status: 'warn',
      exitCode: 0,
      outcomes,
      checks: [
        { assertion: 'matched', success: false, severity: 'warn', expected: 'not < 90%', actual: '424 of 498 (85.1%)' },
        { assertion: 'unmatched', success: true, severity: 'warn', expected: 'not > 500', actual: '43 of 500 (8.6%)' },
        {
          assertion: 'drift',
          success: true,
          severity: 'fail',
          expected: 'not > 15%',
          actual: '1.2 points below the last good run',
        },
        {
          assertion: 'moved',
          success: null,
          severity: 'fail',
          expected: 'not > 2%',
          actual: 'not measured yet: no earlier run to compare with',
        },
      ],
      error: null,
    })
    .state()
}

const REFUSED: RecordedError = {
  code: 'FETTLE_REJECTED',
  kind: 'rejected',
  message:
    'Uploading data/suppliers-2025-11-20.csv to job 6f0b2c1e was refused with status 413: the file is larger than this account may send.',
  hint: 'The text of the service says why.',
  correlationId: '1f8a-upload-413',
}

const failedAtUpload = (): RunState =>
  new Journal()
    .start({ service: { kind: 'remote', url: 'https://connect.example.com/v1', rate: null, fileHosts: [], insecure: false } })
    .toUpload()
    .add({ type: 'stage.started', stage: 'upload' })
    .add({ type: 'upload.requested', part: 0, bytes: 48_210 })
    .add({
      type: 'stage.failed',
      stage: 'upload',
      elapsedMs: 940,
      error: REFUSED,
      http: { requests: 1, retries: 0, throttledMs: 0 },
    })
    .add({ type: 'run.finished', status: 'error', exitCode: 76, outcomes: UNKNOWN, checks: [], error: REFUSED })
    .state()

const DEADLINE: RecordedError = {
  code: 'FETTLE_DEADLINE',
  kind: 'retryable',
  message: 'Job 6f0b2c1e was still matching when the time limit of 2 h 00 m passed.',
  hint: '`fettle resume` goes on waiting.',
  correlationId: null,
}

const pausedAtMatch = (): RunState =>
  new Journal()
    .start({ service: { kind: 'remote', url: 'http://10.0.0.8:8080/v1', rate: null, fileHosts: [], insecure: true } })
    .toMatch()
    .add({ type: 'stage.started', stage: 'match' })
    .add(status('matching'))
    .add({
      type: 'stage.failed',
      stage: 'match',
      elapsedMs: 7_200_400,
      error: DEADLINE,
      http: { requests: 251, retries: 4, throttledMs: 31_000 },
    })
    .add({ type: 'run.paused', status: 'error', exitCode: 75, error: DEADLINE })
    .state()

/** One that was imported, and the one that is a part of the package. */
export const REGISTERS = [
  { name: 'companies', snapshotDate: '2025-11-18', sha256: digest('7e61') },
  { name: 'sample', snapshotDate: null, sha256: null },
]

const running = (): RunState =>
  new Journal().start({ register: REGISTERS }).add({ type: 'stage.started', stage: 'create' }).state()

const skipped = (): RunState => {
  const zero: Outcomes = { matched: 0, manualMatched: 0, review: 0, unmatched: 0, duplicates: 0, failed: 0, skipped: 0 }
  const journal = new Journal().start({ rows: 0, input: { ...PLAN.input, rows: 0, bytes: 61 } })
  for (const stage of ['create', 'upload', 'map', 'submit', 'match', 'enrich', 'download'] as const) {
    journal.skip(stage, 'The input has no rows, and input.empty is skip.')
  }
  return journal.add({ type: 'run.finished', status: 'skipped', exitCode: 0, outcomes: zero, checks: [], error: null }).state()
}

/** Text that wants to be markup, a terminal sequence, a table, a log command, or the end of a section. */
export const HOSTILE = [
  '<script>window.owned=1</script>',
  '"><img src=x onerror="window.owned=1">',
  '</style></title></textarea><svg onload=window.owned=1>',
  ']]><!-- --><boom/>',
  'a | b || c \\| d',
  '`code` **bold** [link](http://evil.example) ![i](http://evil.example/p.png) www.evil.example me@evil.example #1',
  '\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007 \u009b2J bell\u0007',
  '::set-output name=x::y',
  '##vso[task.setvariable variable=x]y and ##[group]z',
  'line one\r\n::error::line two\u2028three\u0085four',
  'gpj.\u202Efdp.exe \u2066isolated\u2069',
  '\ud800 lone \ufffe\uffff \u0000 nul',
  '${7*7} {{7*7}} $(id) %0A',
] as const

const hostile = (): RunState => {
  const text = (i: number): string => HOSTILE[i % HOSTILE.length] ?? ''
  const samples = HOSTILE.flatMap((_, i): RowSample[] => [
    sample(i + 1, {
      key: text(i),
      why: `${text(i + 1)} | name 0.5`,
      cells: { name: text(i), city: text(i + 2) },
      candidate: { id: text(i + 3), name: text(i + 4) },
      candidates: [
        beside(text(i + 3), text(i + 4), 0.5, text(i + 5), { [text(i + 6)]: 1 }, { city: text(i + 7), status: text(i + 8) }),
      ],
    }),
    sample(i + 101, { outcome: 'unmatched', why: text(i), cells: { name: text(i + 1) } }),
  ])
  const outcomes: Outcomes = { matched: 400, manualMatched: 0, review: 60, unmatched: 40, duplicates: 0, failed: 3, skipped: 0 }
  const error: RecordedError = {
    code: 'FETTLE_LEDGER',
    kind: 'rejected',
    message: text(1),
    hint: text(0),
    correlationId: text(9),
  }
  const journal = new Journal().start(
    {
      description: text(0),
      accept: { banding: [text(3)], review: [], pattern: { [text(4)]: 'A' } },
      file: text(7),
      input: { ...PLAN.input, path: text(8), header: HOSTILE, columns: HOSTILE.length },
      mappings: [{ mapping: 'name', header: text(2), index: 1, pad: null }],
      profile: [seen('name', text(2), 1, 500, 9, HOSTILE), { ...seen(null, text(4), 0, 1, 1, [text(7)]), isKey: true }],
      issues: HOSTILE.map(line =>
        issue('FETTLE_INPUT_SUSPECT', line, {
          severity: 'warn',
          hint: line,
          column: line,
          at: { file: line, line: 1, column: null },
        }),
      ),
    },
    { runId: text(12), ci: text(6), args: { [text(0)]: text(1) } },
  )
  return journal
    .toMatch()
    .stage('match', 10, ...HOSTILE.map(line => status(line)))
    .add({
      type: 'output.written',
      files: [{ kind: 'output', path: text(0), rows: 400, bytes: 10, sha256: digest('ab') }],
      outcomes,
      samples,
      scores: [],
      audit: {
        ...{ agreed: 0, doubtful: 1, notComparable: 0 },
        examples: HOSTILE.map((line, row) => ({
          row,
          key: line,
          name: line,
          company: { id: line, name: line },
          differs: ['name'],
        })),
      },
      matches: {
        bands: HOSTILE.map(line => ofBand(line, 1, [1, 0, 0], [0, 1, 1])),
        patterns: HOSTILE.map((line, i) => {
          const example = { row: i, key: line, name: line, company: { id: line, name: i % 2 === 0 ? line : '' } }
          return { value: line, rows: 1, ...placed([1, 0, 0]), examples: [example] }
        }),
        others: { bands: 0, patterns: 0 },
        byPattern: 0,
      },
    })
    .add({
      type: 'run.finished',
      status: 'error',
      exitCode: 76,
      outcomes,
      checks: HOSTILE.map(line => ({ assertion: line, success: false, severity: 'fail', expected: line, actual: line })),
      error,
    })
    .state()
}

/** A state for each way a run can stand. */
export const STATES = { finished, failedAtUpload, pausedAtMatch, running, skipped, hostile } as const
export type FixtureName = keyof typeof STATES

const CONTEXT = { generatedAt: '2025-11-20T02:19:02.500Z', directory: 'fettle-runs/nightly-suppliers-20251120-021701-k3f9' }

/** The last good run that `finished` is compared with. */
const previous = (): Report => {
  const report = buildReport(finished(), { ...CONTEXT, elapsedMs: 80_000 })
  return {
    ...report,
    metadata: { ...report.metadata, runId: 'nightly-suppliers-20251119-021702-m2c4', startedAt: '2025-11-19T02:17:02.004Z' },
    totals: { ...report.totals, rows: 488, review: 24, unmatched: 48, duplicates: 12, matchRate: 0.8602 },
  }
}

/** The report of a fixture. */
export function reportOf(name: FixtureName): Report {
  const elapsedMs = {
    finished: 91_787,
    failedAtUpload: 1_512,
    pausedAtMatch: 7_203_000,
    running: 1_020,
    skipped: 31,
    hostile: 59_980,
  }[name]
  return buildReport(STATES[name](), { ...CONTEXT, elapsedMs, ...(name === 'finished' ? { previous: previous() } : {}) })
}
