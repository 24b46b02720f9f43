/** `client.request`: any operation of the service by method and path, for those that the table does not have. */
import { findOperation, OPERATIONS, type Operation, OTHER_GROUPS, type PathParams, pathOf } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { CallOptions, FormFile } from '../../model/requests.ts'
import { type ApiAnswer, type Arguments, makeAnswer } from './api.ts'
import type { Core } from './core.ts'

type Text = string | number | boolean | readonly (string | number)[]

interface RequestParts {
  /** A list is sent as one parameter for each element. */
  readonly query?: Readonly<Record<string, Text | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** A form with a file, in place of a body: `name` is the part of the file, and `file.open` is called for every attempt. */
  readonly form?: { readonly name: string; readonly file: FormFile; readonly fields?: Readonly<Record<string, string>> }
  /**
   * `bytes` returns the body as it comes, such as an image; `text` as text, with password and token masked; default: the parsed JSON,
   * null for an empty body.
   */
  readonly as?: 'json' | 'text' | 'bytes'
  /**
   * Whether the request is sent again after its answer was lost. Default: as the table of operations states; for other paths, true for a
   * GET that does not order anything, false for everything else.
   */
  readonly repeat?: boolean
}

/** What `client.request` takes after method and path: `params`, if the path has names in braces, and the parts of the request. */
export type RequestInput<Path extends string> = RequestParts &
  ([PathParams<Path>] extends [never]
    ? { readonly params?: Readonly<Record<string, never>> }
    : { readonly params: { readonly [Name in PathParams<Path>]: string } })

type ReplyAs<Input> = Input extends { readonly as: 'bytes' }
  ? Uint8Array
  : Input extends { readonly as: 'text' }
    ? string
    : unknown

/**
 * Sends one request to a path below the base address, with the login, pauses, retries and errors of every other request. The body of
 * the reply is not checked. A HEAD is a GET without the body: the same operation, and sent again only where the GET is.
 */
export type Request = <const Path extends `/${string}`, const Input extends RequestInput<Path>>(
  method: Operation['method'] | 'HEAD',
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

const isText = (value: unknown): boolean => typeof value === 'string'

/** Callers without types pass what they have: a wrong form would end as an error of another package, after the login. */
function checkForm(method: string, path: string, form: unknown): void {
  const { name, file, fields = {} } = (form ?? {}) as Record<string, unknown>
  const { filename, bytes, open } = (file ?? {}) as Partial<Record<keyof FormFile, unknown>>
  const wrong = [
    [isText(name) && name !== '', 'name: the name of the part that is the file'],
    [isText(filename), 'file.filename: a text'],
    [Number.isSafeInteger(bytes) && Number(bytes) >= 0, 'file.bytes: the size of the file'],
    [typeof open === 'function', 'file.open: a function that returns the bytes as an async iterable'],
    [typeof fields === 'object' && fields !== null && Object.values(fields).every(isText), 'fields: texts by name'],
  ].find(([isRight]) => !isRight)
  if (wrong !== undefined) throw refuse(method, path, `the form needs ${wrong[1]}.`)
}

/** The row of an operation that is sent by method and path; `repeat` as the caller states it. */
function describeOperation(
  method: Operation['method'],
  path: `/${string}`,
  params: Readonly<Record<string, string>>,
  repeat: boolean | undefined,
): Operation {
  const open = { method, path, query: null, request: null, reply: null, errors: [], summary: '' } as const
  const found = findOperation(method, pathOf({ ...open, repeat: 'never' }, params))
  const other = OTHER_GROUPS.find(row => found?.name === null && row.method === method && row.path === found.path)
  const own = found?.name == null ? undefined : OPERATIONS[found.name]
  const isFree = own === undefined ? method === 'GET' && other?.orders !== true : own.repeat === 'free'
  return {
    ...open,
    repeat: (repeat ?? isFree) ? 'free' : 'never',
    summary: `${method} ${path}${other === undefined ? '' : ` (${other.group})`}`,
  }
}

const NOT_JSON =
  "The service accepted the request and answered with another type than JSON. Pass as: 'bytes' to get such an answer; first find out whether it was charged."

export function createRequest(core: Core): Request {
  const request = (
    given: Operation['method'] | 'HEAD',
    path: `/${string}`,
    { params = {}, query, body, form, as = 'json', repeat }: AnyInput = {},
    options: CallOptions = {},
  ): ApiAnswer<unknown> =>
    makeAnswer(query, async parts => {
      const isHead = given === 'HEAD'
      const method = isHead ? 'GET' : given
      const operation = describeOperation(method, path, params, repeat)
      checkPath(operation, params)
      if (body !== undefined && form !== undefined) throw refuse(method, path, 'it has a body and a form.')
      if (form !== undefined) checkForm(method, path, form)
      return core.request(operation, {
        ...parts,
        params,
        json: body,
        form: form && { fields: {}, ...form },
        open: as,
        isHead,
        hints: { notJson: NOT_JSON },
        options,
      })
    })
  return request as Request
}
