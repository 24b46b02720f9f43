/** Finds the operation of a request by method and path, using the table of operations. */
import { findOperation, type OperationName } from '../contract/index.ts'

/** An operation, or `file`: any other GET, such as the link to the enriched file. */
export type Recognised = OperationName | 'file'

/** The operation of a request and the id of its job; each null if it does not exist. */
export function matchOperation(
  method: string,
  path: string,
  base: string,
): { readonly operation: Recognised | null; readonly jobId: string | null } {
  const found = path.startsWith(`${base}/`) ? findOperation(method, path.slice(base.length)) : null
  if (found === null || found.name === null) return { operation: method === 'GET' ? 'file' : null, jobId: null }
  return { operation: found.name, jobId: found.path.startsWith('/dataCleaning/jobs/') ? (found.params.id ?? null) : null }
}
