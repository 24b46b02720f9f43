/** What the routes work with, made once by serve.ts. Types only. */
import type { Links } from '../auth/links.ts'
import type { Rates } from '../auth/rates.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { PasswordCheck } from '../auth/users.ts'
import type { Clock } from '../clock.ts'
import type { Engine } from '../jobs/engine.ts'
import type { Places, Worker } from '../jobs/worker.ts'
import type { Limits } from '../limits.ts'
import type { Monitoring } from '../monitoring/open.ts'
import type { Officers } from '../register/index.ts'
import type { Search } from '../register/search.ts'
import type { Screener } from '../screening/screener.ts'
import type { AnswerStore } from '../store/answers.ts'
import type { CreditStore } from '../store/credits.ts'
import type { JobStore } from '../store/jobs.ts'
import type { SearchStore } from '../store/searches.ts'
import type { UsageStore } from '../store/usage.ts'
import type { User } from '../store/users.ts'

/** An opened register, as /health and `serve` tell of it. */
export interface OpenRegister {
  readonly name: string
  readonly companies: number
  /** Day the data was taken, `2026-01-31`. */
  readonly snapshotDate: string
}

/** Everything a route may use. */
export interface Context {
  readonly jobs: JobStore
  readonly answers: AnswerStore
  readonly searches: SearchStore
  readonly credits: CreditStore
  readonly screener: Screener
  readonly users: ReadonlyMap<string, User>
  readonly usage: UsageStore
  readonly engine: Engine
  readonly search: Search
  readonly officers: Officers
  readonly isRight: PasswordCheck
  readonly throttle: Throttle
  readonly tokens: Tokens
  readonly rates: Rates
  readonly links: Links
  readonly worker: Worker
  readonly monitoring: Monitoring
  readonly places: Places
  readonly clock: Clock
  readonly limits: Limits
  readonly registers: readonly OpenRegister[]
  /** `http://127.0.0.1:PORT`, known once the service listens. */
  readonly origin: () => string
}
