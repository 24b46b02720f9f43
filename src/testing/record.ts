/**
 * Records the requests that a fault server received and the effects that the service executed, counted from the service's answers
 * before any fault. Tokens are stored as digests only.
 */
import { createHash } from 'node:crypto'
import { findOperation, type OperationName } from '../contract/index.ts'
import type { FaultEffect } from './faults/fault-table.ts'

/** A recorded request. */
export interface Seen {
  readonly operation: Recognised | null
  readonly method: string
  readonly path: string
  /** With its question mark; empty for none. */
  readonly query: string
  readonly jobId: string | null
  /** The service's status; null if it did not receive the complete request or did not answer. */
  readonly status: number | null
  /** The status that the client received; null for none. */
  readonly given: number | null
  /** The fault that was applied. */
  readonly effect: FaultEffect['kind'] | null
  /** Milliseconds of the server's clock. */
  readonly at: number
  readonly idempotencyKey: string | null
  /** A digest of its token. */
  readonly token: string | null
}

/** How often the service executed each effect. A repeated answer for the same Idempotency-Key counts once. */
export interface EffectCounts {
  readonly creates: number
  readonly uploads: number
  readonly submits: number
  readonly enriches: number
  readonly logins: number
}

/** One answer of the service; a request that was delivered twice has two. */
export interface Delivery {
  readonly operation: Recognised | null
  readonly jobId: string | null
  readonly status: number
  readonly key: string | null
  /** The parsed answer, undefined if it is not JSON. */
  readonly answer: unknown
}

const COUNTED = {
  createJob: 'creates',
  upload: 'uploads',
  submit: 'submits',
  enrich: 'enriches',
  authenticate: 'logins',
} as const satisfies Partial<Record<Recognised, keyof EffectCounts>>

export const digest = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16)

const jobsIn = (answer: unknown): { id: string; name: string }[] =>
  (Array.isArray(answer) ? answer : [answer]).filter(
    job => typeof job === 'object' && typeof job?.id === 'string' && typeof job.name === 'string',
  )

export function openLedger() {
  const names = new Map<string, string>()
  const done: { what: keyof EffectCounts; jobId: string | null }[] = []
  const known = new Set<string>()

  return {
    note({ operation, jobId, status, key, answer }: Delivery): void {
      if (status < 200 || status > 299) return
      const jobs = operation === 'createJob' || operation === 'readJob' || operation === 'listJobs' ? jobsIn(answer) : []
      for (const { id, name } of jobs) names.set(id, name)
      const what = COUNTED[operation as keyof typeof COUNTED]
      if (what === undefined) return
      const job = operation === 'createJob' ? (jobs[0]?.id ?? null) : jobId
      const identity = operation === 'createJob' ? job : key
      const mark = JSON.stringify([what, jobId, identity])
      if (identity !== null && known.has(mark)) return
      known.add(mark)
      done.push({ what, jobId: job })
    },
    /** For the jobs with exactly this name; in total without a name. */
    effects(jobName?: string): EffectCounts {
      const counts = { creates: 0, uploads: 0, submits: 0, enriches: 0, logins: 0 }
      for (const { what, jobId } of done)
        if (jobName === undefined || (jobId !== null && names.get(jobId) === jobName)) counts[what] += 1
      return counts
    },
  }
}

/** An operation, or `file`: any other GET, such as the link to the enriched file. */
export type Recognised = OperationName | 'file'

/** The operation of a request and the id of its job; each null if it does not exist. */
export function matchOperation(method: string, path: string, base: string): Pick<Seen, 'operation' | 'jobId'> {
  const found = path.startsWith(`${base}/`) ? findOperation(method, path.slice(base.length)) : null
  if (found === null || found.name === null) return { operation: method === 'GET' ? 'file' : null, jobId: null }
  return { operation: found.name, jobId: found.path.startsWith('/dataCleaning/jobs/') ? (found.params.id ?? null) : null }
}
