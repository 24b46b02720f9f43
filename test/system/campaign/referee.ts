/** Stands between the runs and the service that charges: it disturbs requests as planned, and writes down what each job was paid for. */
import { parse } from 'csv-parse/sync'
import type { Passing, Referee } from '../../support/charging-service.ts'
import { living } from '../../support/crash/guard.ts'
import type { Host } from '../../support/crash/host.ts'
import type { Trouble } from './history.ts'

/** A job that was enriched; its number is in all its answers. */
export interface Payment {
  readonly number: number
  readonly run: string
  readonly jobId: string
  readonly at: number
  /** Steps of the clock back before it. */
  readonly era: number
  /** Cells as they were sent: company, number, country. */
  readonly rows: readonly string[]
}

/** What is planned for the requests of a process. */
export interface Plans {
  readonly troubles: readonly Trouble[]
  readonly seen: Map<string, number>
  readonly host: Host
  stop(): void
}

export interface Time {
  now(): number
  jump(hours: number): void
  sleep(ms: number): Promise<void>
  readonly era: number
}

const STALL_MS = 4 * 60_000

export class CampaignReferee implements Referee {
  readonly payments: Payment[] = []
  readonly faults: string[] = []
  readonly plans = new Map<number, Plans>()
  requests = 0
  time: Time | null = null
  /** Requests in progress, without those that stall. */
  readonly #pending = new Set<Passing>()
  readonly #jobs = new Map<string, { readonly run: string; rows: string[] }>()
  readonly #due = new Map<Passing, Trouble['effect']>()

  get pending(): number {
    return this.#pending.size
  }

  async arrived(passing: Passing): Promise<number | null> {
    this.requests++
    this.#begin(passing)
    const plans = this.#plansOf(passing)
    const effect = plans === null ? null : dueIn(plans, passing)
    if (plans === null || effect === null) return null
    if (effect === 'stop') plans.stop()
    else if (typeof effect !== 'string') this.time!.jump(effect.hours)
    else if (effect === '502') return 502
    else if (effect === 'killed at arrival') plans.host.kill('SIGKILL')
    else if (effect !== 'cut' && effect !== 'stall') this.#due.set(passing, effect)
    if (effect === 'stall') {
      this.#pending.delete(passing)
      await this.time!.sleep(STALL_MS)
      this.#begin(passing)
    }
    if (effect === 'cut' || effect === 'stall' || effect === 'killed at arrival') throw new Error(effect)
    return null
  }

  async carriedOut(passing: Passing, { status, body }: { readonly status: number; readonly body: Buffer }): Promise<Buffer> {
    if (status < 300) this.#note(passing, body)
    const effect = this.#due.get(passing)
    const host = this.#plansOf(passing)?.host
    if (effect === 'killed unanswered') host?.kill('SIGKILL')
    if (effect === 'killed when answered') passing.response.once('finish', () => host?.kill('SIGKILL'))
    if (effect === 'lost' || effect === 'killed unanswered') throw new Error(effect)
    return status < 300 && passing.operation === 'file' ? this.#stamped(passing, body) : body
  }

  /** In progress until its connection is closed, which may be before this: then time does not wait for it. */
  #begin(passing: Passing): void {
    if (passing.response.closed || passing.request.socket.destroyed) return
    this.#pending.add(passing)
    passing.response.once('close', () => this.#pending.delete(passing))
  }

  /** Of the process that sent it, which has the other end of its connection. */
  #plansOf({ request }: Passing): Plans | null {
    const { remotePort } = request.socket
    for (const [pid, own] of living)
      for (const { localPort } of own.sockets) if (localPort === remotePort) return this.plans.get(pid) ?? null
    return null
  }

  #note({ operation, jobId, sent }: Passing, body: Buffer): void {
    if (operation === 'createJob') {
      const { id, name } = JSON.parse(body.toString()) as { id: string; name: string }
      this.#jobs.set(id, { run: name.replace(/^fettle-/, ''), rows: [] })
    }
    const job = this.#jobs.get(jobId ?? '')
    if (job === undefined) return
    if (operation === 'upload') job.rows = rowsIn(sent)
    if (operation !== 'enrich') return
    if (this.payments.some(payment => payment.jobId === jobId)) this.faults.push(`job ${jobId} of ${job.run} was enriched twice`)
    const { rows, run } = job
    const { era } = this.time!
    this.payments.push({ number: this.payments.length, run, jobId: jobId!, at: this.time!.now(), era, rows })
  }

  /** The answers with the number of their job, so that each can be traced. */
  #stamped({ request }: Passing, body: Buffer): Buffer {
    const jobId = /\/files\/([0-9a-f-]+)/.exec(request.url ?? '')?.[1]
    const payment = this.payments.find(other => other.jobId === jobId)
    const [header = [], ...rows] = parse(body, { bom: true }) as string[][]
    const why = header.indexOf('match.why')
    if (payment === undefined || why === -1) throw new Error(`no payment for ${request.url}`)
    const stamped = rows.map(row => row.with(why, `${row[why]} #${payment.number}`))
    return Buffer.from([header, ...stamped].map(row => `${row.map(quoted).join()}\n`).join(''))
  }
}

export const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

function dueIn({ troubles, seen }: Plans, { operation }: Passing): Trouble['effect'] | null {
  const nth = (seen.get(String(operation)) ?? 0) + 1
  seen.set(String(operation), nth)
  return troubles.find(trouble => trouble.operation === operation && trouble.nth === nth)?.effect ?? null
}

function rowsIn(multipart: Buffer): string[] {
  const text = /filename=[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(multipart.toString())?.[1] ?? ''
  const [, ...rows] = parse(text, { bom: true, skip_empty_lines: true }) as string[][]
  return rows.map(([, ...cells]) => cells.join())
}
