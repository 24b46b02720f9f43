/** Tells by method and path which operation of the interface a request is. Its paths are those of the operations table. */
import { OPERATIONS, type OperationName } from '../contract/index.ts'

/** An operation, or `file`: a GET that is none of them, as the link to the enriched file leads to. */
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

/** The operation and the job it is about; null for what is no operation, and for operations without a job. */
export function recognise(
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
