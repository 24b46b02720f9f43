/** Which operation each job status allows, and in which statuses the worker continues a job (contract §5.6, §14.1). */
import type { KnownStatus } from '../../contract/index.ts'
import { JOB_STATUSES } from '../../contract/index.ts'
import { badRequest } from '../refusal.ts'

export type Call = 'upload' | 'setMappings' | 'submit' | 'setEnrichments' | 'enrich'

const UPLOADED = ['uploaded', 'ready'] as const
const MATCHING = ['matching', 'matched', 'aggregating', 'aggregatingComplete'] as const

const NEEDED: Readonly<Record<Call, readonly KnownStatus[]>> = {
  upload: ['created', ...UPLOADED, 'uploadError'],
  setMappings: UPLOADED,
  submit: ['ready'],
  setEnrichments: [...UPLOADED, ...MATCHING, 'jobMatchingComplete'],
  enrich: ['jobMatchingComplete'],
}

/** Statuses in which the enriched file can be fetched. */
export const ENRICHED: readonly KnownStatus[] = [
  'enrichmentComplete',
  'addingToPortfolio',
  'addedToPortfolio',
  'addedToPortfolioError',
]

/** Throws a 400 with the current and the required status when the status does not allow the operation. */
export function requireStatus(call: Call, present: KnownStatus): void {
  const needed = NEEDED[call]
  if (needed.includes(present)) return
  throw badRequest('The job is not in a status that allows this', `status is ${present}; needed is ${needed.join(' or ')}`)
}

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  pending: ['created', 'uploading', 'uploaded', 'ready'],
  completed: ['jobMatchingComplete', 'enrichmentComplete', 'addedToPortfolio'],
  failed: JOB_STATUSES.filter(status => status.endsWith('Error')),
}

/** The job statuses of a `status` filter, which is a group or a single status; null for any other word. */
export function statusesOf(word: string): readonly string[] | null {
  if (JOB_STATUSES.some(status => status === word)) return [word]
  if (word === 'processing') {
    const others = new Set(Object.values(GROUPS).flat())
    return JOB_STATUSES.filter(status => !others.has(status))
  }
  return Object.hasOwn(GROUPS, word) ? (GROUPS[word] ?? null) : null
}
