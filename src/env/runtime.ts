/** The runtime of a run: its clock, its connections, and the client state that it shares with other runs. Tests replace it. */
import { realClock } from '../client/clock.ts'
import type { ConnectOptions, createRetryBudget, Shared } from '../client/index.ts'
import type { Clock } from '../model/requests.ts'

export type RetryBudget = ReturnType<typeof createRetryBudget>

/** Client state that several runs share, so that they do not multiply an outage: one retry budget, and one token and pace per account. */
export interface ClientState {
  budget: RetryBudget | null
  readonly accounts: Map<string, Shared>
}

export const createClientState = (): ClientState => ({ budget: null, accounts: new Map() })

export interface Runtime {
  readonly clock: Clock
  /** Shared with other runs; separate for each service connection if absent. */
  readonly clients?: ClientState
  /** Connections and limits instead of the client's defaults. */
  readonly connection?: Pick<ConnectOptions, 'dispatcher' | 'limits'>
  /** Wraps the pace of an account that other processes share; `rate` is the limit of the pipeline. */
  readonly pace?: (own: Shared['pace'], rate: ConnectOptions['rate']) => Shared['pace']
}

/** The clock and network of this machine; all runs of the process share its client state. */
export const DEFAULT_RUNTIME: Runtime = { clock: realClock, clients: createClientState() }
