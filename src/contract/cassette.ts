/**
 * A cassette: what a service answered in a run, redacted, for `fettle serve --replay`. One line of JSON for its head, then one for each
 * exchange, in the order in which they ended.
 */

/** The first line. */
export interface CassetteHead {
  readonly cassette: 1
  /** The version of fettle that recorded it. */
  readonly fettle: string
  /** When the recording started, in milliseconds since 1970. */
  readonly at: number
  /** A pipeline that repeats the run, but for the paths of its input and output. */
  readonly pipeline: Readonly<Record<string, unknown>>
  /** The input as CSV with placeholders; null if it could not be read any more. */
  readonly list: string | null
}

/** The body of an answer. A text has an encoding unless it is UTF-8; of anything else the length and the first bytes are kept. */
export type RecordedBody =
  | { readonly json: unknown }
  | { readonly text: string; readonly encoding?: 'latin1' | 'utf16le' }
  | { readonly bytes: number; readonly start: string }
  /** Too large to be recorded. */
  | { readonly omitted: number }

/** One exchange. */
export interface CassetteExchange {
  /** Milliseconds since the recording started. */
  readonly at: number
  /** Its name in the interface; `file` for the target of a link, null for an operation without a name. */
  readonly operation: string | null
  readonly method: string
  /** With the names of its parameters in braces, below the base address. */
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly answer?: RecordedBody
  /** The answer broke off after `answer`. */
  readonly cut?: true
  /** There was no answer: why, and whether the request can have arrived. */
  readonly lost?: { readonly kind: string; readonly sent: boolean }
}

/** In place of the id of the run, in names of jobs. */
export const RUN_PLACEHOLDER = '{run}'
/** In place of the base address of the service, in links. */
export const BASE_PLACEHOLDER = '{base}'
/** The names of jobs of fettle: the id of the run, and the number of the part. */
export const JOB_NAME = /^fettle-(\d{8}T\d{6}Z-[a-z0-9.-]+-[0-9a-f]{6})((?:-r\d{1,4})?(?:-\d{1,6})?)$/
/** Keys of answers whose times are kept, since a run compares them. */
export const KEPT_TIMES: ReadonlySet<string> = new Set(['createdAt', 'modifiedAt', 'modifiedAT'])
