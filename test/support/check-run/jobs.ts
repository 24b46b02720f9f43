/** I1: one job for each part of the run, and no paid effect twice, by the record of the service. */
import type { JobRecord } from '../../../src/contract/index.ts'
import type { EffectCounts } from '../../../src/testing/record.ts'
import type { Account } from './evidence.ts'
import type { Violation } from './violation.ts'

/** What there is to judge. */
export interface JobEvidence {
  readonly account: Account
  /** Jobs with the marker; null when the service cannot be asked. */
  readonly jobs: readonly JobRecord[] | null
  /** What the service carried out for jobs of a name; null when nobody counted. */
  readonly effects: ((jobName: string) => EffectCounts) | null
  /** Second jobs that nobody could prevent: allowed if nothing was ever sent to them. */
  readonly orphans: number
}

/** Judges. */
export function checkJobs({ account, jobs, effects, orphans }: JobEvidence): Violation[] {
  const found: Violation[] = []
  const say = (what: string): void => void found.push({ invariant: 'I1', what })
  const { state, marker } = account
  const parts = state?.jobs ?? []
  const names = new Set([
    ...parts.map(part => part.name),
    ...(parts.length === 0 ? [marker] : []),
    ...(jobs ?? []).map(({ name }) => name),
  ])
  let surplus = 0
  for (const name of names) {
    const own = parts.find(part => part.name === name)
    const here = jobs?.filter(job => job.name === name) ?? null
    const counts = effects?.(name) ?? null
    surplus += Math.max(0, (here?.length ?? 0) - 1)
    if (here !== null && here.length === 0 && (own?.id != null || (counts?.creates ?? 0) > 0))
      say(`no job is called ${name}, though one was created`)
    if (here !== null && own?.id != null && here.length > 0 && !here.some(job => job.id === own.id))
      say(`the run goes by the job ${own.id}, which is not one of those called ${name}`)
    if (own === undefined && here !== null && here.length > 0 && state !== null)
      say(`the job ${name} belongs to no part of the run`)
    if (counts === null) continue
    if (counts.creates > 1 + orphans) say(`${name} was created ${counts.creates} times`)
    if (counts.submits > 1) say(`${name} was submitted ${counts.submits} times`)
    if (counts.enriches > 1) say(`${name} was enriched ${counts.enriches} times`)
  }
  if (surplus > orphans) say(`${surplus + 1} jobs carry the marker of one: ${[...names].join(', ')}`)
  for (const job of surplus > 0 && state !== null ? (jobs ?? []) : [])
    if (job.status !== 'created' && !parts.some(part => part.id === job.id))
      say(`the surplus job ${job.id} was not left alone: it is ${job.status}`)
  return found
}
