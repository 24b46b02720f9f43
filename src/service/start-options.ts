/** The options of a service besides its registers. */
import type { RateOptions } from './auth/throttle.ts'
import type { Login } from './auth/users.ts'
import type { Clock } from './clock.ts'
import type { Limits } from './limits.ts'
import type { PlayName } from './plays.ts'

/** Each has a default, except the folder of the state. */
export interface StartOptions {
  /** 0 or absent: any free port. */
  readonly port?: number
  /** Address to listen on, 127.0.0.1 if absent; any other than loopback needs users. */
  readonly host?: string
  /** Further names under which the service is reached, accepted in the Host header. */
  readonly hosts?: readonly string[]
  /** Address under which clients reach the service through a proxy, `https://name:port`: for links, and accepted as a host. */
  readonly publicUrl?: string
  /** Addresses or subnets of proxies whose `Forwarded` and `X-Forwarded-Proto`, `-Host` are read; none if absent. */
  readonly trustedProxies?: readonly string[]
  /** Folder of the whole state; created when missing. */
  readonly dataDir: string
  /**
   * Logins besides the users of the data directory (`addUser`), each as an admin. When there are no users at all: one user
   * `embedded` with a random password.
   */
  readonly users?: readonly Login[]
  readonly clock?: Clock
  /** Receives the request log, one JSON object per line. */
  readonly log?: Log
  /** Receives warnings about the data directory. */
  readonly onWarning?: (message: string) => void
  readonly limits?: Partial<Limits>
  /** Answers OpenRefine at `/reconcile`, without a login; refused off loopback. */
  readonly reconcile?: boolean
  /** Request limits, to imitate a service that has them; none if absent. */
  readonly rates?: RateOptions
  /** Folder of the imported screening lists. Without lists the invented sample list is searched. */
  readonly screeningDir?: string
  /** Opens the screening lists before listening instead of at the first search. */
  readonly screensAtOnce?: boolean
  /** Most credits each user may spend; no limit if absent. */
  readonly credits?: number
  /** The service to imitate: `vendor`, the published description; `seed`, the specification alone; `own` if absent. */
  readonly play?: PlayName
  /** Stops every job at `matched`, to imitate a service that stays there. */
  readonly stopAt?: 'matched'
  /** A pause per row in milliseconds, so that a test can observe a job that is running. */
  readonly rowPauseMs?: number
}

/** Receives one line of the log, without a line end. */
export type Log = (line: string) => void
