/**
 * The service that answered, in words: its address, or that it is embedded, with the registers it matched against; how much of the list
 * they have.
 */
import type { JobState, RunState } from '../journal/index.ts'
import type { Result } from './schema.ts'

/** How much of the list is in the register, at least and at most; null where it is unknown. Jobs count by their rows. */
export function estimateInRegister(jobs: readonly Pick<JobState, 'summary'>[]): Result['inRegister'] {
  const known = jobs.flatMap(({ summary }) => {
    const { inRegister, totalRows } = summary ?? {}
    return inRegister == null || totalRows == null ? [] : [{ inRegister, totalRows }]
  })
  const rows = known.reduce((sum, job) => sum + job.totalRows, 0)
  if (rows === 0) return null
  const mean = (end: 'from' | 'to'): number =>
    Math.round((known.reduce((sum, job) => sum + job.inRegister[end] * job.totalRows, 0) / rows) * 1000) / 1000
  return { from: mean('from'), to: mean('to') }
}

/** Unreliable where they are in one job; null where that is unknown. */
export function judgeCompanyNumbers(jobs: readonly Pick<JobState, 'summary'>[]): Result['companyNumbers'] {
  const known = jobs.flatMap(({ summary }) => summary?.companyNumbers ?? [])
  return known.length === 0 ? null : known.includes('unreliable') ? 'unreliable' : 'reliable'
}

/** The registers that answered, by the plan or as the service named them for its jobs; null where they are unknown. */
export function registersOf({ plan, jobs }: Pick<RunState, 'plan' | 'jobs'>): readonly Snapshot[] | null {
  const all = plan.register ?? jobs.flatMap(({ summary }) => summary?.registers ?? [])
  const imports = new Map(
    all.map(({ name, snapshotDate, sha256 }) => [JSON.stringify([name, sha256]), { name, snapshotDate, sha256 }]),
  )
  return plan.register === undefined && imports.size === 0 ? null : [...imports.values()]
}

type Snapshot = NonNullable<Result['registers']>[number]

/** The date of a snapshot, with the start of its digest where two have the same date. */
export const snapshotText = ({ snapshotDate, sha256 }: Omit<Snapshot, 'name'>, other?: Pick<Snapshot, 'snapshotDate'>): string =>
  other?.snapshotDate === snapshotDate ? `${snapshotDate} (sha256 ${sha256?.slice(0, 12)})` : `${snapshotDate}`

/** The registers that answered, by the digests of their files. The sample has none: it is a part of this package. */
export const registerDigests = ({ registers }: Pick<Result, 'registers'>): { readonly name: string; readonly sha256: string }[] =>
  (registers ?? []).flatMap(({ name, snapshotDate, sha256 }) =>
    sha256 === null ? [] : [{ name: snapshotDate === null ? name : `${name} of ${snapshotDate}`, sha256 }],
  )

/** An estimate from fewer rows is not worth its words. */
const FEW = 20

/**
 * `between 15 and 90 % of this list is in the register`, or `about 48 %` where the two are close. An estimate is a single share only where all
 * or none of the rows are found beyond doubt.
 */
function shareWords({ from, to }: NonNullable<Result['inRegister']>): string {
  const [least, most] = [Math.round(from * 100), Math.round(to * 100)]
  if (to === 0) return 'nothing of this list is found beyond doubt'
  if (from === 1) return 'about 100 % of this list is in the register'
  if (from === to) return `too few rows to estimate how many are in the register, ${least} % assumed`
  return `${most - least > 4 ? `between ${least} and ${most} %` : `about ${Math.round((least + most) / 2)} %`} of this list is in the register`
}

export function serviceWords(result: Result): string {
  const { service, registers, inRegister, companyNumbers, plan, lowestScores, reuse } = result
  // With earlier answers the share is about the whole list.
  const rows = reuse?.asked ?? plan.sent
  const answered = registers === null || registers.length === 0 ? service : `${service}, ${registerWords(registers)}`
  // The estimate of a list without any company is a leaning towards the default, not a finding.
  const foundNothing = lowestScores?.matched === null && lowestScores.review === null
  const facts = [
    ...(inRegister === null || rows < FEW || foundNothing ? [] : [shareWords(inRegister)]),
    ...(companyNumbers === 'unreliable' ? ['its company numbers are not relied on'] : []),
  ]
  return facts.length === 0 ? answered : `${answered}; ${facts.join(', ')}`
}

/** `registers one, two and three of 2026-01-01`, or the date after each where they differ; two imports of one day with their digests. */
function registerWords(registers: readonly Snapshot[]): string {
  const others = registers.map((register, at) => registers.find((other, place) => place !== at && other.name === register.name))
  if (others.some(other => other !== undefined))
    return `register ${registers.map((register, at) => `${register.name} of ${snapshotText(register, others[at])}`).join(' and ')}`
  const dates = new Set(registers.map(({ snapshotDate }) => snapshotDate))
  const [date] = dates
  const dated = (name: string, of: string | null | undefined): string => (of == null ? name : `${name} of ${of}`)
  const names = registers.map(({ name, snapshotDate }) => (dates.size === 1 ? name : dated(name, snapshotDate)))
  const list = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(part => part !== '').join(' and ')
  return `${registers.length === 1 ? 'register' : 'registers'} ${dates.size === 1 ? dated(list, date) : list}`
}
