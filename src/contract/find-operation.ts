/** Finds the operation of a request by its method and path. */

import { OPERATIONS, type OperationName } from './operations.ts'
import TABLE from './other-groups.json' with { type: 'json' }

/** A request recognised: `name` is null for an operation of another group; `params` are the names in braces of `path`, decoded. */
export interface FoundOperation {
  readonly name: OperationName | null
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

interface Route {
  readonly name: OperationName | null
  readonly method: string
  readonly path: string
  readonly segments: readonly string[]
}

const nameIn = (segment: string): string | null => /^\{(\w+)\}$/.exec(segment)?.[1] ?? null

let routes: readonly Route[] | null = null

function readRoutes(): readonly Route[] {
  const all = [
    ...Object.entries(OPERATIONS).map(([name, { method, path }]) => ({ name: name as OperationName, method, path })),
    ...OTHER_GROUPS.map(({ method, path }) => ({ name: null, method, path })),
  ].map(route => ({ ...route, segments: route.path.split('/') }))
  // A path without parameters is meant by itself, not as the parameter of a different path.
  const params = ({ segments }: Route): number => segments.filter(segment => nameIn(segment) !== null).length
  return all.sort((a, b) => params(a) - params(b))
}

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** A service may accept a path in another spelling: a request that costs something must be recognised in all of them. */
const isSame = (segment: string, given: string): boolean => segment.toLowerCase() === decode(given).toLowerCase()

/** The operation at a path below the base address, null if it does not exist. */
export function findOperation(method: string, path: string): FoundOperation | null {
  routes ??= readRoutes()
  const given = path.split('/')
  const route = routes.find(
    route =>
      route.method === method &&
      route.segments.length === given.length &&
      route.segments.every((segment, at) => (nameIn(segment) === null ? isSame(segment, given[at]!) : given[at] !== '')),
  )
  if (route === undefined) return null
  const params = route.segments.flatMap((segment, at) => {
    const name = nameIn(segment)
    return name === null ? [] : [[name, decode(given[at]!)] as const]
  })
  return { name: route.name, path: route.path, params: Object.fromEntries(params) }
}

export interface OtherOperation {
  readonly group: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  /** A GET that orders something, which may be charged: `*` in the table. */
  readonly orders: boolean
}

export const OTHER_GROUPS: readonly OtherOperation[] = Object.entries(TABLE).flatMap(([group, paths]) =>
  Object.entries<string>(paths).flatMap(([path, methods]) =>
    methods.split(' ').map(word => {
      const method = word.replace('*', '')
      return { group, method, path, orders: method !== word } as OtherOperation
    }),
  ),
)

/** Everything below this path but the audit was retired in November 2024 and answers 301 (contract §2.1). */
export const RETIRED = '/protect/'
