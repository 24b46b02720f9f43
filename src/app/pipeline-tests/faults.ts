/** What the faults of a test file do to the requests of a run. */
import type { TestFault } from '../../pipeline/index.ts'
import type { FaultInput, Policy } from '../../testing/index.ts'

const lost = (operation: FaultInput['operation']): FaultInput[] => [
  { operation, effect: { kind: 'reset', at: 'reply', carriedOut: true } },
]

/** The first request for each operation is answered so. */
const first =
  (status: number, headers: Readonly<Record<string, string>>): Policy =>
  ({ nth, operation }) =>
    nth === 1 && operation !== null ? { kind: 'status', status, headers } : null

export const FAULTS: Readonly<Record<TestFault, readonly FaultInput[] | Policy>> = {
  'create-lost': lost('createJob'),
  'upload-cut': [{ operation: 'upload', effect: { kind: 'reset', at: 'requestBody' } }],
  'upload-lost': lost('upload'),
  'submit-lost': lost('submit'),
  'enrich-lost': lost('enrich'),
  'download-cut': [{ operation: 'file', effect: { kind: 'truncate', framing: 'length', keep: 0.5 } }],
  'token-expired': [{ operation: 'readJob', effect: { kind: 'expireToken' } }],
  throttled: first(429, { 'retry-after': '5' }),
  unavailable: first(503, {}),
}
