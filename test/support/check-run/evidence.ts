/**
 * Reads the evidence about a run: the service's list of jobs, the journal, and the checked parts of report.json. An unreadable
 * file is a violation.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { type JobRecord, job, OPERATIONS, tokenReply } from '../../../src/contract/index.ts'
import { fold, type RunState, readJournal } from '../../../src/journal/index.ts'
import type { Violation } from './violation.ts'

/** A service and a login that sees the run's jobs. */
export interface ServiceAccess {
  /** Base address of the service itself: past the fault server, the judge meets no faults. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** Spares a login where many runs are judged. */
  readonly token?: string
}

const count = z.number().nullable()

/** The parts of report.json that are judged. */
const judged = z.looseObject({
  schema: z.literal('fettle/report/v1'),
  status: z.string(),
  totals: z.looseObject({
    rows: z.number(),
    matched: count,
    manualMatched: count,
    review: count,
    unmatched: count,
    duplicates: count,
    failed: count,
    skipped: count,
  }),
  ledger: z.looseObject({ adds: z.boolean().nullable() }),
  results: z.array(
    z.looseObject({
      // Absent in reports of a fettle that sent every row.
      plan: z.looseObject({ sent: z.number().optional() }).optional(),
      outputs: z.array(z.looseObject({ kind: z.string(), path: z.string(), rows: z.number(), sha256: z.string() })),
    }),
  ),
})
/** report.json as a judge reads it. */
export type JudgedReport = z.infer<typeof judged>

/** The run's own account; null where there is none (yet). */
export interface Account {
  readonly state: RunState | null
  readonly report: JudgedReport | null
  /** The name its jobs carry: from the journal, else `fettle-` and the run id. */
  readonly marker: string
}

/** Reads journal and report of a run. Damage is I3. */
export function readAccount(runDirectory: string, say: (violation: Violation) => void): Account {
  let state: RunState | null = null
  try {
    state = fold(readJournal(join(runDirectory, 'journal.jsonl')).events)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'FETTLE_RUN_UNKNOWN') say({ invariant: 'I3', what: (error as Error).message })
  }
  const marker = state?.jobName ?? `fettle-${basename(runDirectory)}`
  const text = textOf(join(runDirectory, 'report.json'))
  let report: JudgedReport | null = null
  try {
    if (text !== null) report = judged.parse(JSON.parse(text))
  } catch (error) {
    say({ invariant: 'I3', what: `report.json is no whole report: ${(error as Error).message}` })
  }
  return { state, report, marker }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const PAGE = 1000

/** Every job whose name is the marker, or the marker with a number of a part, from the service itself. Throws what `fetch` throws. */
export async function listJobs(service: ServiceAccess, marker: string): Promise<readonly JobRecord[]> {
  const { authenticate, listJobs: list } = OPERATIONS
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const reply = await fetch(service.url + path, init)
    if (!reply.ok) throw new Error(`the judge was answered ${reply.status} by ${path.split('?')[0]}`)
    return reply.json()
  }
  const logIn = async (): Promise<string> => {
    const body = JSON.stringify({ username: service.username, password: service.password })
    const headers = { 'content-type': 'application/json' }
    return tokenReply.parse(await ask(authenticate.path, { method: authenticate.method, headers, body })).token
  }
  const token = service.token ?? (await logIn())
  const found: JobRecord[] = []
  for (let page = 1; ; page++) {
    const query = new URLSearchParams({ jobName: marker, page: String(page), pageSize: String(PAGE) })
    const jobs = z
      .array(job)
      .parse(await ask(`${list.path}?${query}`, { method: list.method, headers: { authorization: `Bearer ${token}` } }))
    found.push(
      ...jobs.filter(({ name }) => name === marker || (name.startsWith(marker) && /^\D\d+$/.test(name.slice(marker.length)))),
    )
    if (jobs.length < PAGE) return found
  }
}
