/** What the account of a remote service has left, by `GET /access`. */
import { realClock } from '../client/clock.ts'
import type { Client, Proxies } from '../client/index.ts'
import type { Allowance } from '../contract/index.ts'
import { type Credentials, type Env, findProxies } from '../env/environment.ts'
import { FettleError } from '../errors.ts'
import type { PlannedService } from '../pipeline/index.ts'
import { count } from '../report/words.ts'

/** Reports of companies over all countries of the account: the one volume that the interface states. */
export interface AccountLeft {
  readonly left: number
  readonly paid: number
  readonly used: number
  /** The first day on which some of it ends, such as 2027-01-31; null if none is stated. */
  readonly until: string | null
}

/** More than any account has: embedded services and flat rates write it for "no limit". */
const NO_LIMIT = 2 ** 31 - 1

/** Countries whose access has ended are left out; null when the account states no volume. `today` is a UTC day. */
function sumAllowances(rows: readonly Allowance[], today: string): AccountLeft | null {
  const open = rows.filter(
    ({ paid, expireDate }) => paid !== undefined && (expireDate == null || expireDate.slice(0, 10) >= today),
  )
  if (open.length === 0) return null
  const sum = (of: (row: Allowance) => number): number => open.reduce((all, row) => Math.min(NO_LIMIT, all + of(row)), 0)
  const ends = open.flatMap(({ expireDate }) => (expireDate == null ? [] : [expireDate.slice(0, 10)])).sort()
  return {
    left: sum(({ paid = 0, used = 0 }) => Math.max(0, paid - used)),
    paid: sum(({ paid = 0 }) => paid),
    used: sum(({ used = 0 }) => used),
    until: ends[0] === undefined || ends[0].startsWith('9999') ? null : ends[0],
  }
}

/** `498,320 of 500,000 company reports left, until 2027-01-31` */
export function accountWords(found: AccountLeft | null): string {
  if (found === null) return 'the service states no volume of company reports'
  const { left, paid, until } = found
  if (paid >= NO_LIMIT) return 'no limit of company reports'
  return `${count(left)} of ${count(paid)} company reports left${until === null ? '' : `, the first until ${until}`}`
}

interface AccountAccess {
  readonly service: Extract<PlannedService, { kind: 'remote' }>
  readonly credentials: Credentials
  readonly proxies: Proxies
  readonly signal: AbortSignal
  /** Of each request; as the client has them if absent. */
  readonly attempts?: number
}

/** A client for requests outside of runs; the caller closes it. */
export async function openClient({ service, credentials, signal, ...options }: AccountAccess): Promise<Client> {
  const { connect } = await import('../client/index.ts')
  const { url, rate, fileHosts, insecure } = service
  return connect({ ...credentials, url, rate, fileHosts, insecure, clock: realClock, stop: signal, ...options })
}

/** Logs in and reads `/access`, once: both are free of charge. Throws as any request does. */
export async function readAccount(access: AccountAccess): Promise<AccountLeft | null> {
  const { signal } = access
  const client = await openClient({ ...access, attempts: 1 })
  try {
    const { countryAccess } = await client.api.readAccess({}, { signal })
    const today = new Date(realClock.now()).toISOString().slice(0, 10)
    return sumAllowances(countryAccess.creditsafeConnectOnlineReports ?? [], today)
  } finally {
    await client.close()
  }
}

/** What a plan's account has left, or why that is unknown; null for the embedded service and without credentials. */
export type PlanAccount = { readonly found: AccountLeft | null } | { readonly why: string }

export async function accountOfPlan(
  { service }: { readonly service: PlannedService },
  { env, credentials, signal }: { readonly env: Env; readonly credentials: () => Credentials; readonly signal: AbortSignal },
): Promise<PlanAccount | null> {
  if (service.kind === 'embedded') return null
  try {
    return { found: await readAccount({ service, credentials: credentials(), proxies: findProxies(env), signal }) }
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return error.code === 'FETTLE_CREDENTIALS' ? null : { why: error.message }
  }
}
