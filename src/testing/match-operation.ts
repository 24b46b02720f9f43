/** Finds the operation of a request by method and path, using the table of operations. */
import { OPERATIONS, type OperationName } from '../contract/index.ts'

/** An operation, or `file`: any other GET, such as the link to the enriched file. */
export type Recognised = OperationName | 'file'

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const ROUTES = Object.entries(OPERATIONS).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method: method as string,
  isOfJob: path.startsWith('/dataCleaning/jobs/'),
  pattern: new RegExp(
    `^${path
      .split(/\{\w+\}/)
      .map(quoted)
      .join('([^/]+)')}$`,
  ),
}))

/** The operation of a request and the id of its job; each null if it does not exist. */
export function matchOperation(
  method: string,
  path: string,
  base: string,
): { readonly operation: Recognised | null; readonly jobId: string | null } {
  const below = path.startsWith(`${base}/`) ? path.slice(base.length) : null
  for (const route of below === null ? [] : ROUTES) {
    const found = route.method === method ? route.pattern.exec(below as string) : null
    if (found !== null) return { operation: route.name, jobId: route.isOfJob ? decode(found[1]!) : null }
  }
  return { operation: method === 'GET' ? 'file' : null, jobId: null }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
