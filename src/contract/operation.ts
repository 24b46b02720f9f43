/**
 * The columns of the operations table: method, path, request, reply, and whether a request that may have reached the service can
 * be sent again (contract §3).
 */
import type { z } from 'zod'

/** The version of the interface that the table describes. */
export const INTERFACE_VERSION = '1.10.9'

/** From the least to the most: reads · does everything with its own objects · sees other users. */
export const ROLES = ['reader', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** `free` may be sent again · `look` read the state first, then decide · `never` not automatically (contract §3). */
export type Repeat = 'free' | 'look' | 'never'

/** One operation of the interface. Paths are relative to the base address, which ends in `/v1`. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  /** Schema of the query, null when it takes none. */
  readonly query: z.ZodType | null
  /** Schema of the JSON body, `multipart` for a form with a file, null when there is no body. */
  readonly request: z.ZodType | 'multipart' | null
  /** Of a form: the name of the part that is the file, and its text fields, each with whether it must be there. */
  readonly form?: { readonly file: string; readonly fields: Readonly<Record<string, boolean>> }
  /** Schema of the answer's JSON, null when it has no body. */
  readonly reply: z.ZodType | null
  /** Status of a success, 200 when absent. */
  readonly success?: 201 | 202 | 204
  /**
   * Of a list: its first page, and where in the answer the items are (`data.portfolios`); null when they are the answer. A list is
   * `complete` if what it lacks was not created: an item without an id fails the answer.
   */
  readonly pages?: { readonly first: 0 | 1; readonly items: string | null; readonly complete?: boolean }
  readonly repeat: Repeat
  /** The required role, when it does not follow from the method: readers may GET, operators everything else. */
  readonly role?: Role
  /** Error statuses the contract documents. */
  readonly errors: readonly number[]
  /** One line for documentation. */
  readonly summary: string
}

/** What nearly every operation on something named in its path may answer. */
export const DOCUMENTED = [400, 401, 403, 404] as const

const USUAL = { query: null, request: null, repeat: 'free', errors: DOCUMENTED } as const

type Usual = typeof USUAL

/** A row before `defineOperations`: the usual values may be left out, but whether a POST may be repeated is always stated. */
type Row = Omit<Operation, keyof Usual> &
  Partial<Operation> &
  ({ method: 'GET' | 'PUT' | 'PATCH' | 'DELETE' } | { repeat: Repeat })

type Rest = Omit<Row, 'method' | 'path'>

const makeRow =
  <const Method extends Operation['method'], Needed extends Rest>(method: Method) =>
  <const Path extends Operation['path'], const Columns extends Needed>(path: Path, columns: Columns) => ({
    method,
    path,
    ...columns,
  })

/** Rows by their method. */
export const get = makeRow<'GET', Rest>('GET')
export const put = makeRow<'PUT', Rest>('PUT')
export const patch = makeRow<'PATCH', Rest>('PATCH')
export const remove = makeRow<'DELETE', Rest>('DELETE')
export const post = makeRow<'POST', Rest & { readonly repeat: Repeat }>('POST')

export const defineOperations = <const Rows extends Readonly<Record<string, Row>>>(rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...USUAL, ...row }])) as {
    readonly [Name in keyof Rows]: Omit<Usual, keyof Rows[Name]> & Rows[Name]
  }

/** The path of an operation with its `{…}` filled in and escaped. */
export const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** The role an operation needs, unless its row names another: a reader for what only reads, an operator for what changes anything. */
export const roleOf = ({ role, method }: Pick<Operation, 'method' | 'role'>): Role =>
  role ?? (method === 'GET' ? 'reader' : 'operator')

/** Whether a user of this role may call an operation. */
export const mayCarryOut = (role: Role, operation: Pick<Operation, 'method' | 'role'>): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(roleOf(operation))
