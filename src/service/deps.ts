/** What the routes need together. Stores come without their reads by id: objects are found through `objects`, which checks the owner. */
import type { IncomingMessage } from 'node:http'
import type { Throttle } from './auth/throttle.ts'
import type { Links, Tokens } from './auth/tokens.ts'
import type { CreditStore, UsageStore } from './auth/usage.ts'
import type { Users } from './auth/users.ts'
import type { Clock } from './clock.ts'
import type { JobStore } from './data-cleaning/jobs-store.ts'
import type { JobFiles, JobWorker } from './data-cleaning/processing/worker.ts'
import type { DecisionStore } from './decisions/store.ts'
import type { Metrics } from './health/metrics.ts'
import type { IdempotencyDeps } from './http/idempotency.ts'
import type { PublicAddress } from './http/public-address.ts'
import type { RouteDeps } from './http/route.ts'
import type { EventStore } from './monitoring/events-store.ts'
import type { ObjectAccess } from './object-access.ts'
import type { Play } from './plays.ts'
import type { HoldingStore } from './portfolios/holdings.ts'
import type { Importer, ImportStore } from './portfolios/importer.ts'
import type { PortfolioStore } from './portfolios/store.ts'
import type { OpenRegister } from './registers/current.ts'
import type { Engine } from './registers/engine.ts'
import type { Officers } from './registers/index.ts'
import type { Search } from './registers/search.ts'
import type { ScheduleStore } from './screening/schedules-store.ts'
import type { Screener } from './screening/screener.ts'
import type { SearchStore } from './screening/searches-store.ts'
import type { Log } from './start-options.ts'
import type { Database } from './storage/database.ts'

export interface AppDeps extends RouteDeps, IdempotencyDeps {
  readonly play: Play
  readonly users: Users
  readonly tokens: Tokens
  readonly throttle: Throttle
  readonly links: Links
  readonly usage: UsageStore
  readonly credits: CreditStore
  readonly clock: Clock
  /** The address for links in the answer to a request, `https://name:port`. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly registers: () => readonly OpenRegister[]
  readonly engine: Engine
  readonly search: Search
  readonly officers: Officers
  readonly objects: ObjectAccess
  readonly jobs: Omit<JobStore, 'find' | 'read'>
  readonly files: JobFiles
  readonly worker: JobWorker
  readonly screener: Screener
  readonly searches: Omit<SearchStore, 'find' | 'hit'>
  readonly schedules: Omit<ScheduleStore, 'find'>
  readonly portfolios: Omit<PortfolioStore, 'find'>
  readonly holdings: Omit<HoldingStore, 'find' | 'isVisible' | 'known' | 'watched'>
  readonly decisions: Omit<DecisionStore, 'find' | 'findTree'>
  readonly events: EventStore
  readonly imports: ImportStore
  readonly importer: Importer
  readonly importDir: string
  readonly transaction: Database['transaction']
}

export interface AppOptions {
  /** Names under which the service is reached, lower case; loopback names are always accepted. */
  readonly hosts: readonly string[]
  /** What a trusted proxy reports about a request. */
  readonly forwarded: PublicAddress['forwarded']
  readonly version: string
  readonly log: Log
  readonly metrics: Metrics
  readonly reconcile: boolean
  /** Whether the service is stopping: new requests get a 503 (faults H33). */
  readonly isClosing: () => boolean
}
