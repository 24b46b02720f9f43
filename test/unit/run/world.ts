/** The fixture of the run core's tests: plan, journal in memory, fake service, virtual clock. */

import { expect } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { RunEvent, RunEventInput } from '../../../src/journal/events.ts'
import { advance, fold, type RunState } from '../../../src/journal/state.ts'
import type { Download, ProposedCompany } from '../../../src/model/requests.ts'
import type {
  AcceptedCompany,
  CompanyEvents,
  FetchedCompany,
  FoundCompany,
  Outcomes,
  Question,
  ScreenedHits,
  Subject,
  TreeAnswer,
  TreeQuestion,
} from '../../../src/model/results.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import type { LastGoodRun } from '../../../src/run/checks.ts'
import type { Ports, ProgressEvent, Results } from '../../../src/run/ports.ts'
import { runStages } from '../../../src/run/runner.ts'
import { RECEIVED } from '../../support/received.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeService } from './fake-service.ts'
import { VirtualClock } from './virtual-clock.ts'

export const OUTCOMES: Outcomes = { matched: 6, manualMatched: 1, review: 1, unmatched: 1, duplicates: 1, failed: 0, skipped: 0 }

export const planOf = (change: Partial<Plan> = {}): Plan => ({
  version: 1,
  name: 'suppliers',
  description: null,
  tags: [],
  file: 'suppliers.yml',
  service: { kind: 'embedded' },
  input: {
    path: 'suppliers.csv',
    bytes: 12,
    mtimeMs: 0,
    sha256: 'aa',
    encoding: 'utf-8',
    bom: false,
    delimiter: ',',
    delimiterEvidence: '',
    quotes: 'strict',
    header: ['Company', 'Reg No'],
    columns: 2,
    rows: 10,
    blankLines: 0,
    lineEnd: 'lf',
  },
  key: null,
  limit: null,
  rows: 10,
  sent: 10,
  collapse: false,
  parts: [{ from: 0, rows: 10 }],
  concurrency: 4,
  preparation: [],
  mappings: [
    { mapping: 'name', header: 'Company', index: 0, pad: null },
    { mapping: 'orgNumber', header: 'Reg No', index: 1, pad: null },
  ],
  enrich: { product: 'basic', tags: ['general.connectId'] },
  budget: { rows: null, credits: null },
  poll: { everyMs: 2_000, maxMs: 30_000, timeoutMs: 7_200_000 },
  retry: { attempts: 4 },
  checks: [],
  output: { path: 'out.csv', format: 'csv', columns: ['*'], unmatched: null, review: null },
  decisions: null,
  ...{ accept: null, candidates: null, portfolio: null, screen: null, reuse: null },
  report: { rows: 'review', mask: [] },
  issues: [],
  fingerprint: 'f1',
  ...change,
})

/** The end of a process: nothing happens after it. */
export class Crash extends Error {}

/** A journal in memory that keeps what JSON keeps, and can crash at an append. */
export class MemoryJournal {
  readonly events: RunEvent[] = []
  #appends = 0
  /** Crash at append number `at` (from 0), before or after it is written; every later append finds the process dead. */
  crash: { readonly at: number; readonly when: 'before' | 'after' } | null = null
  crashed = false

  #folded: { readonly events: readonly RunEvent[]; readonly state: RunState | null } = { events: [], state: null }

  /** Folds what came since the last look; all of it when a test has changed what was there. */
  get state(): RunState | null {
    const { events, state } = this.#folded
    const isKept = events.length <= this.events.length && events.every((event, at) => event === this.events[at])
    const next = isKept ? this.events.slice(events.length).reduce(advance, state) : fold(this.events)
    this.#folded = { events: [...this.events], state: next }
    return next
  }

  append(fact: RunEventInput): RunState {
    if (this.crashed) throw new Crash()
    this.crashed = this.crash !== null && this.#appends++ === this.crash.at
    const at = new Date(Date.UTC(2025, 0, 1) + this.events.length).toISOString()
    if (!this.crashed || this.crash?.when === 'after') this.events.push(JSON.parse(JSON.stringify({ ...fact, at })))
    if (this.crashed) throw new Crash()
    return this.state!
  }

  of<T extends RunEvent['type']>(type: T): (RunEvent & { type: T })[] {
    return this.events.filter((event): event is RunEvent & { type: T } => event.type === type)
  }
}

export interface World {
  readonly service: FakeService
  readonly account: FakeAccount
  readonly clock: VirtualClock
  readonly journal: MemoryJournal
  readonly results: FakeResults
  readonly stop: AbortController
  readonly grace: AbortController
  readonly ticks: ProgressEvent[]
  readonly ports: Ports
  before: LastGoodRun | null
  /** Carries the run on, as a process that begins now. */
  run(): Promise<RunState>
  /** The same, and stops once every job is submitted. */
  detach(): Promise<RunState>
}

/** Receives files and counts lines. */
const NO_RULES = { path: 't', asOf: '2026-01-01', accept: 0, refer: 0, decline: 0, rules: [], unreached: [] }

export class FakeResults implements Results {
  outcomes: Outcomes = OUTCOMES
  receives = 0
  publishes = 0

  async receive(_part: number, download: Download, rows: number) {
    this.receives++
    const chunks: Uint8Array[] = []
    for await (const chunk of download.body) chunks.push(chunk)
    const { length: bytes } = Buffer.concat(chunks)
    if (download.bytes !== null && bytes !== download.bytes)
      throw new FettleError('FETTLE_DOWNLOAD_CUT', `${bytes} of ${download.bytes} bytes came`)
    return { bytes, rows, sha256: 'bb', ...RECEIVED }
  }

  failed: ReadonlySet<number> = new Set()
  #isPublishing = false

  async publish(accept: (outcomes: Outcomes, header?: string) => void = () => {}, failed: ReadonlySet<number> = new Set()) {
    if (this.#isPublishing) throw new Error('two write the outputs at once')
    this.#isPublishing = true
    accept(this.outcomes)
    this.failed = failed
    for (let turns = 0; turns < 50; turns++) await null
    this.#isPublishing = false
    this.publishes++
    const file = { kind: 'output', path: 'out.csv', rows: 10, bytes: 1, sha256: 'cc' } as const
    return {
      files: [file],
      outcomes: this.outcomes,
      changes: null,
      reused: null,
      samples: [],
      reasons: {},
      duplicates: [],
      scores: [],
      lowestScores: { matched: null, review: null },
      matches: null,
      audit: null,
      decide: this.ruled === null ? null : { ...NO_RULES, refer: this.ruled.length },
      unfit: [],
      words: [],
      missing: [],
      decisions: null,
      undone: { rows: [], unclear: 0 },
      otherDecisions: null,
      questions: this.asked.length === 0 || this.proposed !== null ? null : { listed: this.asked.length, left: 0, incomplete: 0 },
      accepted: this.acceptedCompanies.filter(({ id }) => this.fetched[id] === undefined).length,
      companies: this.listed,
      treeQuestions: this.treeAsked.length === 0 || this.ruled !== null ? null : this.treeAsked.length,
    }
  }

  hits: readonly ScreenedHits[] = []

  async keepHits(hits: readonly ScreenedHits[]) {
    this.hits = hits
    return { open: hits.reduce((sum, company) => sum + company.hits, 0), back: 0, cleared: 0, confirmed: 0, listed: [] }
  }

  companyEvents: readonly CompanyEvents[] = []

  async keepEvents(companies: readonly CompanyEvents[]) {
    this.companyEvents = companies
  }

  /** Questions to a decision tree, and the answers that the outputs have. */
  treeAsked: readonly TreeQuestion[] = []
  ruled: readonly (readonly [string, TreeAnswer])[] | null = null

  async *treeQuestions(_: number, from: number) {
    yield* this.treeAsked.slice(from)
  }

  async keepRuled(answers: readonly (readonly [string, TreeAnswer])[]) {
    this.ruled = answers
  }

  /** Questions about rows, and the answers that the outputs propose. */
  asked: readonly Question[] = []
  proposed: Readonly<Record<string, readonly ProposedCompany[]>> | null = null

  async *questions(_: number, from: number) {
    yield* this.asked.slice(from)
  }

  async propose(answers: Readonly<Record<string, readonly ProposedCompany[]>>) {
    this.proposed = answers
  }

  /** Accepted companies without tags, and the tags that the outputs have. */
  acceptedCompanies: readonly AcceptedCompany[] = []
  fetched: Readonly<Record<string, FetchedCompany['tags']>> = {}

  async *accepted(from: number) {
    yield* this.acceptedCompanies.slice(from)
  }

  async keepFetched(found: Readonly<Record<string, FetchedCompany['tags']>>) {
    this.fetched = found
  }

  /** Companies found. */
  found: readonly FoundCompany[] = []
  nameless = 0

  /** Directors of the companies found; null where they are not searched for. */
  directors: readonly Subject[] | null = null

  get listed() {
    if (this.found.length + this.nameless === 0) return null
    return { listed: this.found.length, nameless: this.nameless, directors: this.directors?.length }
  }

  async *subjects(_: object, from: number) {
    yield* [...this.found, ...(this.directors ?? [])].slice(from)
  }

  async *companies(_: number, from: number) {
    yield* this.found.slice(from)
  }
}

/** A world with a run just started. `service` and `journal` of an earlier world go on in it. */
export function worldOf(plan: Plan = planOf(), earlier?: Pick<World, 'service' | 'account' | 'journal' | 'results'>): World {
  const service = earlier?.service ?? new FakeService()
  const account = earlier?.account ?? new FakeAccount()
  const journal = new MemoryJournal()
  if (earlier === undefined) {
    const tool = { name: 'fettle', version: '0.1.0' }
    const rest = { tool, identity: 'embedded', args: {}, traceId: 't', ci: null } as const
    journal.append({ type: 'run.started', journal: 1, runId: 'r1', jobName: 'fettle suppliers r1', plan, ...rest })
  } else journal.events.push(...earlier.journal.events)
  const clock = new VirtualClock()
  const results = new FakeResults()
  results.found = earlier?.results.found ?? []
  results.directors = earlier?.results.directors ?? null
  results.treeAsked = earlier?.results.treeAsked ?? []
  results.ruled = earlier?.results.ruled ?? null
  results.asked = earlier?.results.asked ?? []
  results.acceptedCompanies = earlier?.results.acceptedCompanies ?? []
  results.fetched = earlier?.results.fetched ?? {}
  results.proposed = earlier?.results.proposed ?? null
  const stop = new AbortController()
  const grace = new AbortController()
  const ticks: ProgressEvent[] = []
  const source = {
    upload: async () => ({
      filename: 'suppliers.csv',
      bytes: 12,
      hasHeader: true,
      open: async function* () {
        yield Buffer.from('Company\nAcme\n')
      },
      sha256: () => 'aa',
    }),
  }
  const tick = (one: ProgressEvent): void => void ticks.push(one)
  const signals = { signal: stop.signal, grace: grace.signal }
  const ports: Ports = {
    service,
    portfolios: account,
    screening: account,
    candidates: account,
    reports: account,
    trees: account,
    fetchByJob: account.fetchByJob,
    source,
    results,
    clock,
    tick,
    ...signals,
  }
  const world: World = {
    service,
    account,
    clock,
    journal,
    results,
    stop,
    grace,
    ticks,
    ports,
    before: null,
    run: () => runStages({ recorder: journal, ports, before: world.before }),
    detach: () => runStages({ recorder: journal, ports, before: null, detach: true }),
  }
  return world
}

/** A world that finds what another left behind: a new process after a crash or a stop. */
export const resumed = (world: World): World => {
  world.service.before = () => {}
  world.service.after = () => {}
  world.account.before = () => {}
  const next = worldOf(planOf(), world)
  next.journal.append({ type: 'run.resumed', pid: 1, host: 'h' })
  return next
}

/**
 * Ends a process before and after each append of the stages that follow the outputs, and calls `check` with what the next process made
 * of it. Returns how many processes were ended.
 */
export async function crashAfterOutputs(
  make: () => World,
  check: (state: RunState, next: World, where: string) => void,
): Promise<number> {
  const untouched = make()
  const made = untouched.journal.events.length
  await untouched.run()
  const { events } = untouched.journal
  const first = events.findIndex(({ type }) => type === 'output.written') - made
  let points = 0
  for (let at = first; at < events.length - made; at++)
    for (const when of ['before', 'after'] as const) {
      const world = make()
      const where = `append ${at} ${when}`
      world.journal.crash = { at, when }
      // A dead process sends nothing either.
      world.account.before = () => {
        if (world.journal.crashed) throw new Crash()
      }
      await expect(world.run(), where).rejects.toBeInstanceOf(Crash)
      points++
      const next = resumed(world)
      check(await next.run(), next, where)
    }
  return points
}
