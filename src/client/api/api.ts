/**
 * The whole interface as methods, made of THE table: whatever operation is there can be called here, its input and answer typed
 * by its row. It knows no operation by name.
 */
import {
  type CallInput,
  type CallItem,
  type CallReply,
  OPERATIONS,
  type Operation,
  type OperationName,
} from '../../contract/index.ts'
import type { CallOptions, FormFile } from '../../model/requests.ts'
import type { Core } from './core.ts'
import { type Pages, pagesOf } from './pages.ts'

/** An answer with what came around it. */
export interface WithResponse<T> {
  readonly data: T
  readonly status: number
  /** The service's id of the request, null when it gave none. */
  readonly correlationId: string | null
  /** A header of the answer, null when it is not there. */
  header(name: string): string | null
}

/** The promise of an answer; `withResponse` gives status and headers too. The request is sent once, either way. */
export interface ApiAnswer<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>
}

type Row<N extends OperationName> = (typeof OPERATIONS)[N]
type Arguments<Input, Options> = object extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options]
type InputOf<N extends OperationName> = CallInput<Row<N>, FormFile>

/** A method of one operation: what its path, query and body take, then options of this request. */
export type ApiCall<N extends OperationName> = (...call: Arguments<InputOf<N>, CallOptions>) => ApiAnswer<CallReply<Row<N>>>

/** A method of a list: a call gives one page, `all` goes through all of them. */
export interface ApiList<N extends OperationName> extends ApiCall<N> {
  all(...call: Arguments<InputOf<N>, CallOptions>): Pages<CallItem<Row<N>>>
}

/** One method per operation but the login, which the client carries out by itself. */
export type Api = {
  readonly [N in Exclude<OperationName, 'authenticate'>]: Row<N> extends { readonly pages: object } ? ApiList<N> : ApiCall<N>
}

// What the table's types have checked where it was written.
interface AnyInput {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly file?: FormFile
  readonly fields?: Readonly<Record<string, string>>
  readonly [param: string]: unknown
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(',') : String(value))
const asText = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, textOf(value)]])))

async function ask(core: Core, name: OperationName, input: AnyInput, options: CallOptions): Promise<WithResponse<unknown>> {
  const { request }: Operation = OPERATIONS[name]
  const { query, body, file, fields = {}, ...params } = input
  let seen = { status: 0, header: (_: string): string | null => null }
  const { value } = await core.call(name, {
    params: params as Readonly<Record<string, string>>,
    ...(query === undefined ? {} : { query: asText(query) }),
    ...(request === null || request === 'multipart' ? {} : { json: body ?? {} }),
    ...(file === undefined ? {} : { form: { file, fields } }),
    read: (reply: unknown) => reply,
    options,
    onReply: reply => {
      seen = reply
    },
  })
  const told = (value as { correlationId?: unknown } | null)?.correlationId
  const correlationId = typeof told === 'string' ? told : seen.header('x-correlation-id')
  return { data: value, status: seen.status, correlationId, header: seen.header }
}

function methodOf(core: Core, name: OperationName): unknown {
  const { pages }: Operation = OPERATIONS[name]
  const call = (input: AnyInput = {}, options: CallOptions = {}): ApiAnswer<unknown> => {
    const whole = ask(core, name, input, options)
    return Object.assign(
      whole.then(({ data }) => data),
      { withResponse: () => whole },
    )
  }
  if (pages === undefined) return call
  const all = (input: AnyInput = {}, options: CallOptions = {}): Pages<unknown> =>
    pagesOf(pages, input.query ?? {}, query => call({ ...input, query }, options))
  return Object.assign(call, { all })
}

/** The methods over one client's workings. */
export function createApi(core: Core): Api {
  const names = (Object.keys(OPERATIONS) as OperationName[]).filter(name => name !== 'authenticate')
  return Object.fromEntries(names.map(name => [name, methodOf(core, name)])) as unknown as Api
}
