/**
 * What a fault server saw, and what the service behind it carried out: counted from the service's own answers, whatever became
 * of them on the way back. Tokens are kept as digests only.
 */
import { createHash } from 'node:crypto'
import type { FaultEffect } from './faults/fault-table.ts'
import type { Recognised } from './match-operation.ts'

/** A request as it was seen. */
export interface Seen {
  readonly operation: Recognised | null
  readonly method: string
  readonly path: string
  /** With its question mark; empty for none. */
  readonly query: string
  readonly jobId: string | null
  /** What the service answered; null when it never saw the request whole, or never answered. */
  readonly status: number | null
  /** What the client was given; null for nothing. */
  readonly given: number | null
  /** The fault that met it. */
  readonly effect: FaultEffect['kind'] | null
  /** Milliseconds of the server's clock. */
  readonly at: number
  readonly idempotencyKey: string | null
  /** A digest of the token it carried. */
  readonly token: string | null
}

/** How often the service itself carried something out. An answer repeated for the same Idempotency-Key is no second time. */
export interface EffectCounts {
  readonly creates: number
  readonly uploads: number
  readonly submits: number
  readonly enriches: number
  readonly logins: number
}

/** An answer of the service: one a delivery, so two for a request delivered twice. */
export interface Delivery {
  readonly operation: Recognised | null
  readonly jobId: string | null
  readonly status: number
  /** The Idempotency-Key that reached the service. */
  readonly key: string | null
  /** The answer as JSON, undefined when it is none. */
  readonly answer: unknown
}

/** Notes deliveries and counts effects. */
export interface Ledger {
  note(delivery: Delivery): void
  /** Of the jobs with exactly this name; of everything when none is given. */
  effects(jobName?: string): EffectCounts
}

const COUNTED = {
  createJob: 'creates',
  upload: 'uploads',
  submit: 'submits',
  enrich: 'enriches',
  authenticate: 'logins',
} as const satisfies Partial<Record<Recognised, keyof EffectCounts>>

/** A digest by which equal tokens are known, and nothing else. */
export const digest = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16)

const jobsIn = (answer: unknown): { id: string; name: string }[] =>
  (Array.isArray(answer) ? answer : [answer]).filter(
    one => typeof one === 'object' && one !== null && typeof one.id === 'string' && typeof one.name === 'string',
  )

/** A ledger in which nothing is noted yet. */
export function openLedger(): Ledger {
  const names = new Map<string, string>()
  const done: { what: keyof EffectCounts; jobId: string | null }[] = []
  const known = new Set<string>()

  return {
    note({ operation, jobId, status, key, answer }) {
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
    effects(jobName) {
      const counts = { creates: 0, uploads: 0, submits: 0, enriches: 0, logins: 0 }
      for (const { what, jobId } of done)
        if (jobName === undefined || (jobId !== null && names.get(jobId) === jobName)) counts[what] += 1
      return counts
    },
  }
}
