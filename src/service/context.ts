/** What the routes work with, made once by serve.ts. Types only. */
import type { Links } from './auth/links.ts'
import type { Rates } from './auth/rates.ts'
import type { Throttle } from './auth/throttle.ts'
import type { Tokens } from './auth/tokens.ts'
import type { UsageStore } from './auth/usage.ts'
import type { Users } from './auth/users.ts'
import type { Clock } from './clock.ts'
import type { JobStore } from './data-cleaning/jobs-store.ts'
import type { Places, Worker } from './data-cleaning/processing/worker.ts'
import type { Limits } from './limits.ts'
import type { Monitoring } from './monitoring/open.ts'
import type { Look } from './object-access.ts'
import type { HoldingStore } from './portfolios/holdings.ts'
import type { PortfolioStore } from './portfolios/store.ts'
import type { Engine } from './registers/engine.ts'
import type { Officers } from './registers/index.ts'
import type { Search } from './registers/search.ts'
import type { Screener } from './screening/screener.ts'
import type { SearchStore } from './screening/searches-store.ts'
import type { CreditStore } from './storage/credits.ts'
import type { AnswerStore } from './storage/idempotency.ts'

/** An opened register, as /health and `serve` tell of it. */
export interface OpenRegister {
  readonly name: string
  readonly companies: number
  /** Day the data was taken, `2026-01-31`. */
  readonly snapshotDate: string
}

/** Everything a route may use. From an id to an object leads only `look`: the stores here read none by an id. */
export interface Context {
  readonly look: Look
  readonly jobs: Omit<JobStore, 'find' | 'read'>
  readonly engine: Engine
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly answers: AnswerStore
  readonly searches: Omit<SearchStore, 'find' | 'hit'>
  readonly credits: CreditStore
  readonly screener: Screener
  readonly users: Users
  readonly usage: UsageStore
  readonly search: Search
  readonly officers: Officers
  readonly throttle: Throttle
  readonly tokens: Tokens
  readonly rates: Rates
  readonly links: Links
  readonly worker: Worker
  readonly monitoring: Omit<Monitoring, 'portfolios' | 'holdings'> & {
    readonly portfolios: Omit<PortfolioStore, 'find'>
    readonly holdings: Omit<HoldingStore, 'find' | 'isVisible' | 'known' | 'watched'>
  }
  readonly places: Places
  readonly clock: Clock
  readonly limits: Limits
  readonly registers: readonly OpenRegister[]
  /** `http://127.0.0.1:PORT`, known once the service listens. */
  readonly origin: () => string
}
