/**
 * Judges what a campaign has written and paid, by the books of the referee: outputs are those of full nights, each answer is one to its
 * row and not too old, and no row is paid again before its answer is.
 */

import { FettleError } from '../../../src/errors.ts'
import type { Report } from '../../../src/index.ts'
import { type RunEvent, type RunState, readJournal } from '../../../src/journal/index.ts'
import { listRunIds, readRun, runDirectory } from '../../../src/runs/run-directory.ts'
import type { List } from '../kill/nights.ts'
import { columnsOf, HEADER, KINDS, type Name, ROWS } from './history.ts'
import { type CampaignReferee, type Payment, quoted } from './referee.ts'

const HOUR = 3_600_000
/** The keys that a run without a process has asked are compared for this time. */
const LEFT_MS = 7 * 24 * HOUR
/** An answer is as old as it is known to be there: the clock may step while the service enriches. */
const LATE_MS = 101 * HOUR

/** What the service answers to a row, whatever else is in the list: cells by column. */
export type Answers = Readonly<Record<Name, ReadonlyMap<string, Readonly<Record<string, string>>>>>

interface Recorded {
  readonly state: RunState
  readonly events: readonly RunEvent[]
  readonly runsDir: string
}

type Age = keyof (typeof KINDS)['plain']['ages']

export class Judge {
  readonly faults: string[] = []
  /** How many jobs were paid when the answers of a run were kept: times do not tell the order when the clock steps back. */
  readonly #keptAfter = new Map<string, number>()
  readonly #referee: CampaignReferee
  readonly #answers: Answers
  readonly #runsDirs: readonly string[]

  constructor(referee: CampaignReferee, answers: Answers, runsDirs: readonly string[]) {
    this.#referee = referee
    this.#answers = answers
    this.#runsDirs = runsDirs
  }

  judgeOutput(runId: string, list: List, text: string, { totals, ledger }: Report): void {
    const { state, events } = this.#recorded(runId)!
    const name = state.plan.name as Name
    const kind = KINDS[name]
    const columns = columnsOf(kind).slice(1)
    const lines = text.replace('\uFEFF', '').split('\n').slice(1, -1)
    const companies = new Set<string>()
    const stamps = lines.map(line => Number(/ #(\d+)"?$/.exec(line)?.[1] ?? -1))
    const expected = list.map(([key, row], at) => {
      const answer = this.#answers[name].get(ROWS[row]!)!
      const company = answer['general.connectId']!
      const isFirst = company === '' || companies.size < companies.add(company).size
      const cells = { ...answer, 'match.why': `${answer['match.why']} #${stamps[at]}` } as Readonly<Record<string, string>>
      const outcome = isFirst ? cells['match.outcome'] : 'duplicate'
      return [
        key,
        ROWS[row],
        ...columns.map(column => quoted((column === 'match.outcome' ? outcome : cells[column]) ?? '')),
      ].join()
    })
    const whole = [[HEADER, ...columns].join(), ...expected, ''].join('\n')
    if (text !== whole) this.faults.push(`${runId} wrote\n${text}in place of\n${whole}`)
    if (totals.rows !== list.length || !ledger.adds) this.faults.push(`${runId} does not account for its rows`)
    const chosenAt = timeOf(events.find(({ type }) => type === 'reuse.chosen'))
    for (const [at, [key, row]] of list.entries()) {
      const payment = this.#referee.payments[stamps[at]!]
      if (payment === undefined) this.faults.push(`${runId}: the answer to ${key} has no job`)
      else
        this.#judgeAnswer(`${runId}: the answer to ${key} by job ${payment.number} of ${payment.run}`, ROWS[row]!, name, {
          payment,
          runId,
          chosenAt,
        })
    }
  }

  #judgeAnswer(
    what: string,
    row: string,
    name: Name,
    { payment, runId, chosenAt }: { readonly payment: Payment; readonly runId: string; readonly chosenAt: number },
  ): void {
    const earlier = this.#recorded(payment.run)
    if (earlier === null) return
    const from = earlier.state.plan.name as Name
    if (!payment.rows.includes(row) || KINDS[from].third !== KINDS[name].third) this.faults.push(`${what} is that to another row`)
    if (baseOf(payment.run) === runId) return
    if (!isWide(from, name)) this.faults.push(`${what} lacks tags`)
    const age = chosenAt - payment.at
    const most = Math.min(KINDS[from].ages[this.#ageOf(row, name)], KINDS[name].ages[this.#ageOf(row, name)])
    if (age >= most + LATE_MS) this.faults.push(`${what} was ${age / HOUR} hours old of ${most / HOUR}`)
    // After a kill, a step back may lie between the payment and the resume that finds it.
    const requestedAt = requestedBy(earlier, payment)
    if (requestedAt > chosenAt) this.faults.push(`${what} is from the future: ${new Date(requestedAt).toISOString()}`)
  }

  /** To be called when processes end. */
  noteKept(): void {
    for (const runsDir of this.#runsDirs)
      for (const id of listRunIds(runsDir)) {
        const run = this.#keptAfter.has(id) ? null : this.#recorded(id)
        if (run !== null && isOwn(run)) this.#keptAfter.set(id, this.#referee.payments.length)
      }
  }

  /** No row is paid again before its answer is too old, but where a run without a process has asked it, which is named. */
  judgePayments(): void {
    const { payments, faults } = this.#referee
    this.faults.push(...faults)
    for (const later of payments)
      for (const earlier of payments.slice(0, later.number)) {
        const [by, before] = [this.#recorded(later.run), this.#recorded(earlier.run)]
        if (by === null || before === null) continue
        const [name, from] = [by.state.plan.name as Name, before.state.plan.name as Name]
        if (KINDS[name].third !== KINDS[from].third || !isWide(from, name)) continue
        const twice = later.rows.filter(
          row =>
            earlier.rows.includes(row) &&
            this.#isFresh(row, [earlier, from, before], [later, name], by) &&
            !this.#isReplaced(row, [earlier, from], [later, name], by),
        )
        if (
          twice.length === 0 ||
          isNamed(by, before) ||
          isNamed(before, by) ||
          this.#isLeft(by, before, later) ||
          this.#isLeft(before, by, earlier)
        )
          continue
        this.faults.push(`${later.run} paid again what ${earlier.run} had paid: ${twice.join(' | ')}`)
      }
  }

  /** A request that outlives its process may be carried out after the clock stepped: its answer is as old as the request. */
  #isFresh(
    row: string,
    [earlier, from, before]: [Payment, Name, Recorded],
    [later, name]: [Payment, Name],
    by: Recorded,
  ): boolean {
    const age = checkedAt(by, later) - Math.min(earlier.at, requestedBy(before, earlier) || earlier.at)
    const own = this.#ageOf(row, name)
    return (age >= 0 || earlier.era === later.era) && age < Math.min(KINDS[from].ages[own], KINDS[name].ages[own])
  }

  /** A newer answer with all its tags has taken its place, and is too old: another pipeline may keep it for a shorter time. */
  #isReplaced(row: string, [earlier, from]: [Payment, Name], [later, name]: [Payment, Name], by: Recorded): boolean {
    return this.#referee.payments.slice(earlier.number + 1, later.number).some(newer => {
      const between = this.#recorded(newer.run)
      if (between === null || !isOwn(between) || !newer.rows.includes(row)) return false
      const other = between.state.plan.name as Name
      return (
        KINDS[other].third === KINDS[from].third &&
        isWide(other, from) &&
        !this.#isFresh(row, [newer, other, between], [later, name], by)
      )
    })
  }

  /** Its keys were no longer compared, and its answers not kept yet. */
  #isLeft(by: Recorded, before: Recorded, later: Payment): boolean {
    const isKept = (this.#keptAfter.get(before.state.runId) ?? Number.POSITIVE_INFINITY) <= later.number
    const chosenAt = timeOf(before.events.find(({ type }) => type === 'reuse.chosen'))
    return !isKept && checkedAt(by, later) - chosenAt > LEFT_MS
  }

  #ageOf(row: string, name: Name): Age {
    const outcome = this.#answers[name].get(row)!['match.outcome']
    return outcome === 'unmatched' || outcome === 'review' ? outcome : 'matched'
  }

  #recorded(runId: string): Recorded | null {
    for (const runsDir of this.#runsDirs)
      if (listRunIds(runsDir).includes(baseOf(runId)))
        try {
          const state = readRun(runsDir, baseOf(runId))
          return { state, events: readJournal(runDirectory(runsDir, baseOf(runId)).journal).events, runsDir }
        } catch (error) {
          if (!FettleError.is(error)) throw error
        }
    return null
  }
}

/** Jobs of one run have numbers. */
const baseOf = (run: string): string => /^(.*-[0-9a-f]{6})(?:-\d+)?$/.exec(run)?.[1] ?? run

const isWide = (from: Name, name: Name): boolean =>
  (KINDS[name].tags as readonly string[]).every(tag => (KINDS[from].tags as readonly string[]).includes(tag))

const timeOf = (event: RunEvent | undefined): number => Date.parse(event?.at ?? '')

/** By the clock of the run that paid; NaN before its journal has it. */
const requestedBy = ({ state }: Recorded, { jobId }: Payment): number =>
  Date.parse(state.jobs.find(({ id }) => id === jobId)?.enrichRequested ?? '')

/** When the run looked last whether other runs have answered or asked what it pays. */
function checkedAt({ state, events }: Recorded, { jobId }: Payment): number {
  const part = state.jobs.find(({ id }) => id === jobId)?.part
  const paid = events.findIndex(event => event.type === 'enrich.requested' && event.part === part)
  const before = paid === -1 ? events : events.slice(0, paid)
  return timeOf(before.findLast(({ type }) => type === 'reuse.chosen' || type === 'run.resumed'))
}

const lineOf = ({ state: { plan }, runsDir }: Recorded): string => `${runsDir} ${plan.name} ${plan.limit}`

/** Whichever chose last has named the other. What runs of its own series have paid, a run receives, unless that cannot be used. */
function isNamed(by: Recorded, before: Recorded): boolean {
  const named = by.state.issues.find(
    ({ code, message }) => code === 'FETTLE_ASKED_BEFORE' && message.includes(before.state.runId),
  )
  return named !== undefined && (lineOf(by) !== lineOf(before) || named.message.includes('cannot be used'))
}

/** Its answers are kept. */
const isOwn = ({ state }: Recorded): boolean => state.reuse?.isKept === true
