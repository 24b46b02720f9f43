/** `client.request`: any operation of the service by method and path, for those that the table does not have. */
import { OPERATIONS, type Operation, OTHER_GROUPS, type PathParams, pathOf } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { CallOptions, FormFile } from '../../model/requests.ts'
import { type ApiAnswer, type Arguments, answerOf } from './api.ts'
import type { Core } from './core.ts'

type Text = string | number | boolean | readonly (string | number)[]

interface RequestParts {
  readonly query?: Readonly<Record<string, Text | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** A form with a file, in place of a body. */
  readonly form?: { readonly name: string; readonly file: FormFile; readonly fields?: Readonly<Record<string, string>> }
  /** `bytes` returns the body as it comes, such as an image; default: the parsed JSON, null for an empty body. */
  readonly as?: 'json' | 'bytes'
  /** Whether the request is sent again after its answer was lost; default: true for GET, false for everything else. */
  readonly repeat?: boolean
}

/** What `client.request` takes after method and path: `params`, if the path has names in braces, and the parts of the request. */
export type RequestInput<Path extends string> = RequestParts &
  ([PathParams<Path>] extends [never]
    ? { readonly params?: Readonly<Record<string, never>> }
    : { readonly params: { readonly [Name in PathParams<Path>]: string } })

type ReplyAs<Input> = Input extends { readonly as: 'bytes' } ? Uint8Array : unknown

/**
 * Sends one request to a path below the base address, with the login, pauses, retries and errors of every other request. The body of
 * the reply is not checked.
 */
export type Request = <const Path extends `/${string}`, const Input extends RequestInput<Path>>(
  method: Operation['method'],
  path: Path,
  ...call: Arguments<Input, CallOptions>
) => ApiAnswer<ReplyAs<Input>>

type AnyInput = RequestParts & { readonly params?: Readonly<Record<string, string>> }

const refuse = (method: string, path: string, why: string) => new FettleError('FETTLE_USAGE', `request ${method} ${path}: ${why}`)

/** A path that stays below the base address: anything else would send the token to another operation than the one named. */
function checkPath(operation: Operation, params: Readonly<Record<string, string>>): void {
  const { method, path } = operation
  const [root, ...parts] = path.split('/')
  if (root !== '' || !parts.every(part => /^[^\s?#\\\u0000-\u001f\u007f]+$/u.test(part)))
    throw refuse(method, path, 'the path must start with / and contain no query, no fragment and no empty part.')
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(pathOf(operation, params))) throw refuse(method, path, 'a part of the path is . or ..')
  if (path === OPERATIONS.authenticate.path) throw refuse(method, path, 'the client logs in by itself.')
}

function operationOf(method: Operation['method'], path: `/${string}`, repeat: boolean): Operation {
  const group = OTHER_GROUPS.find(other => other.method === method && other.path === path)?.group
  return {
    method,
    path,
    query: null,
    request: null,
    reply: null,
    repeat: repeat ? 'free' : 'never',
    errors: [],
    summary: `${method} ${path}${group === undefined ? '' : ` (${group})`}`,
  }
}

export function createRequest(core: Core): Request {
  const request = (
    method: Operation['method'],
    path: `/${string}`,
    { params = {}, query, body, form, as = 'json', repeat = method === 'GET' }: AnyInput = {},
    options: CallOptions = {},
  ): ApiAnswer<unknown> =>
    answerOf(query, async parts => {
      const operation = operationOf(method, path, repeat)
      checkPath(operation, params)
      if (body !== undefined && form !== undefined) throw refuse(method, path, 'it has a body and a form.')
      return core.request(operation, {
        ...parts,
        params,
        ...(body === undefined ? {} : { json: body }),
        ...(form === undefined ? {} : { form: { fields: {}, ...form } }),
        open: as,
        options,
      })
    })
  return request as Request
}
