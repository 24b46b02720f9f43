/** What a variant is: changes of the answers of the foreign service, and how a run at such a service ends. */
import type { ServerResponse } from 'node:http'
import type { ListName } from './list.ts'

export type Operation =
  | 'authenticate'
  | 'createJob'
  | 'listJobs'
  | 'readJob'
  | 'upload'
  | 'setMappings'
  | 'submit'
  | 'setEnrichments'
  | 'enrich'
  | 'enrichedFile'
  | 'file'

export interface Job {
  readonly id: string
  readonly name: string
  status: string
  /** Statuses still to come, one a read. */
  ahead: string[]
  header: readonly string[]
  rows: readonly (readonly string[])[]
  tags: readonly string[]
  archived: boolean
}

/** A request: its operation, and how many of it there were, from 1. */
export interface Call {
  readonly operation: Operation
  readonly nth: number
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Host and port of the service. */
  readonly host: string
  readonly job: Job | null
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | string
}

/** The enriched file before it is written as text. */
export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Number of columns of the input in front. */
  readonly own: number
}

/** Changes of a service; several are applied one after the other. */
export interface Change {
  readonly list?: ListName
  /** An answer in place of the effect. */
  readonly refuse?: (call: Call) => Answer | null
  // biome-ignore lint/suspicious/noExplicitAny: a variant knows the form of the answer that it changes.
  readonly json?: (value: any, call: Call) => unknown
  readonly answer?: (answer: Answer, call: Call) => Answer
  /** Sends the answer by itself. */
  readonly send?: (answer: Answer, call: Call, response: ServerResponse) => boolean
  /** Statuses after a request that took effect; null: as usual. */
  readonly walk?: (operation: Operation, usual: readonly string[], nth: number) => readonly string[]
  readonly table?: (table: Table, nth: number) => Table
  readonly text?: (table: Table) => string
  readonly bytes?: (text: Buffer, nth: number) => Buffer
  /** Requests that the service does not have. */
  readonly lacks?: readonly Operation[]
  /** The run gives up silence soon. */
  readonly isSilent?: boolean
  /** Keys of the pipeline. */
  readonly pipeline?: Readonly<Record<string, unknown>>
}

/** `right`: the outputs equal the outputs of an undisturbed run. `refused`: any other end, with nothing published. */
export type Ending = 'right' | 'refused'

export interface Variant {
  readonly group: string
  readonly name: string
  readonly changes: readonly Change[]
  readonly ends: Ending
  /** Of a refusal: how a resume ends. */
  readonly resumed?: Ending
}

/** The rows of a group: name, changes, how a run ends, and how a resume ends after a refusal. */
export type Row = readonly [name: string, changes: Change | readonly Change[], ends?: Ending, resumed?: Ending]

export const groupOf = (group: string, rows: readonly Row[]): Variant[] =>
  rows.map(([name, changes, ends = 'right', resumed]) => ({
    group,
    name,
    changes: [changes].flat() as Change[],
    ends,
    ...(ends === 'refused' ? { resumed: resumed ?? 'refused' } : {}),
  }))

/** Every row in each of these services. */
export const inEach = (rows: readonly Row[], services: Readonly<Record<string, Change | null>>): Row[] =>
  rows.flatMap(([name, changes, ...ends]) =>
    Object.entries(services).map(
      ([where, change]): Row => [change === null ? name : `${name}, ${where}`, [change ?? [], changes].flat(), ...ends],
    ),
  )
