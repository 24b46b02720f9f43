/**
 * The world a run happens in: its clock, and how its connections are made. The real one unless a test hands in another; nothing
 * else in the wiring reaches for time or chance.
 */

import { realClock } from '../../client/clock.ts'
import type { ConnectOptions, Shared } from '../../client/index.ts'
import type { Clock } from '../../model/requests.ts'

/** What a run cannot choose for itself. */
export interface Runtime {
  readonly clock: Clock
  /** Connections and their limits in place of the client's own. */
  readonly connection?: Pick<ConnectOptions, 'dispatcher' | 'limits'>
  /** The pace of an account that other processes keep too, made of our own; `rate` is what the pipeline allows it. */
  readonly pace?: (own: Shared['pace'], rate: ConnectOptions['rate']) => Shared['pace']
}

/** The clock of this machine and its network. */
export const DEFAULT_RUNTIME: Runtime = { clock: realClock }
