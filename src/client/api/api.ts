/** The whole interface as methods: one for each row of the table of operations, which types its input and reply. */
import {
  type CallInput,
  type CallItem,
  type CallReply,
  OPERATIONS,
  type Operation,
  type OperationName,
} from '../../contract/index.ts'
import type { CallOptions, Effect, FormFile } from '../../model/requests.ts'
import type { Core, OpenDemand } from './core.ts'
import { listPages, type Pages } from './pages.ts'

/** A reply with its status and headers. */
export interface WithResponse<T> {
  readonly data: T
  readonly status: number
  /** The service's id of the request, null when it sent none. */
  readonly correlationId: string | null
  /** A header of the reply, null when absent. */
  header(name: string): string | null
}

/** The promise of a reply; `withResponse` resolves with status and headers too. Both share a single request. */
export interface ApiAnswer<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>
}

type Row<N extends OperationName> = (typeof OPERATIONS)[N]
export type Arguments<Input, Options> = object extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options]
type InputOf<N extends OperationName> = CallInput<Row<N>, FormFile>

/** The method of one operation: takes the values of its path, query and body, then the options of the request. */
export type ApiCall<N extends OperationName> = (...call: Arguments<InputOf<N>, CallOptions>) => ApiAnswer<CallReply<Row<N>>>

/** The method of a list: a call returns one page, `all` iterates over all pages. */
export interface ApiList<N extends OperationName> extends ApiCall<N> {
  all(...call: Arguments<InputOf<N>, CallOptions>): Pages<CallItem<Row<N>>>
}

/** One method for each operation except the login, which the client sends by itself. */
export type Api = {
  readonly [N in Exclude<OperationName, 'authenticate'>]: Row<N> extends { readonly pages: object } ? ApiList<N> : ApiCall<N>
}

// The types of the table have checked the input already.
interface AnyInput {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly file?: FormFile
  readonly fields?: Readonly<Record<string, string>>
  readonly [param: string]: unknown
}

type Query = Readonly<Record<string, unknown>>

/** The texts of a query. A list is sent as one parameter for each element, unless `isJoined`. */
const asText = (query: Query, isJoined: (key: string) => boolean): NonNullable<OpenDemand['query']> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([key, value]) => {
      if (value === undefined) return []
      if (!Array.isArray(value)) return [[key, String(value)]]
      const texts = value.map(String)
      return [[key, isJoined(key) ? texts.join(',') : texts]]
    }),
  )

/**
 * The answer to one request; `send` takes the query as text and a listener for status and headers. A list of a parameter that `isJoined`
 * is one text with commas.
 */
export function makeAnswer(
  query: Query | undefined,
  send: (parts: Pick<OpenDemand, 'query' | 'onReply'>) => Promise<Effect<unknown>>,
  isJoined: (key: string) => boolean = () => false,
): ApiAnswer<never> {
  const sent = async (): Promise<WithResponse<never>> => {
    let response = { status: 0, header: (_: string): string | null => null }
    const onReply: OpenDemand['onReply'] = reply => {
      response = reply
    }
    const { value } = await send({ query: query && asText(query, isJoined), onReply })
    const inBody = (value as { correlationId?: unknown } | null)?.correlationId
    const correlationId = typeof inBody === 'string' ? inBody : response.header('x-correlation-id')
    return { data: value as never, status: response.status, correlationId, header: response.header }
  }
  const response = sent()
  const answer = response.then(({ data }) => data)
  return Object.assign(answer, {
    withResponse() {
      // Its error is the error of the response, and would be an unhandled rejection here.
      answer.catch(() => {})
      return response
    },
  })
}

function makeMethod(core: Core, name: OperationName): unknown {
  const { pages, request, query: schema }: Operation = OPERATIONS[name]
  // Such as `countries`; others, as `phoneNo`, are described as lists.
  const isJoined = (key: string): boolean =>
    schema?.safeParse({ [key]: ['a'] }).error?.issues.some(({ path }) => path[0] === key) === true
  const call = ({ query, body, file, fields = {}, ...params }: AnyInput = {}, options: CallOptions = {}): ApiAnswer<unknown> =>
    makeAnswer(
      query,
      parts =>
        core.call(name, {
          ...parts,
          params: params as Readonly<Record<string, string>>,
          json: request === null || request === 'multipart' ? undefined : (body ?? {}),
          form: file && { file, fields },
          read: (reply: unknown) => reply,
          options,
        }),
      isJoined,
    )
  if (pages === undefined) return call
  const all = (input: AnyInput = {}, options: CallOptions = {}): Pages<unknown> =>
    listPages(pages, input.query ?? {}, query => call({ ...input, query }, options))
  return Object.assign(call, { all })
}

export function createApi(core: Core): Api {
  const names = (Object.keys(OPERATIONS) as OperationName[]).filter(name => name !== 'authenticate')
  return Object.fromEntries(names.map(name => [name, makeMethod(core, name)])) as unknown as Api
}
