/** Types of a call's arguments and result, derived from the row of its operation. */
import type { z } from 'zod'
import type { Operation } from './operation.ts'

/** The names in braces of a path. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never

/** Loose schemas take any key besides their own: only their own are offered. */
type Known<T> = { readonly [K in keyof T as string extends K ? never : K]: T[K] }

type Text = string | number | boolean | readonly (string | number)[]
type Query<T> = { readonly [K in keyof Known<T>]: Text | Extract<Known<T>[K], undefined> }

type Fields<T> = { readonly [K in keyof T as T[K] extends true ? K : never]: string } & {
  readonly [K in keyof T as T[K] extends true ? never : K]?: string
}

/** A key that may be left out when everything in it may be. */
type Given<Key extends string, T> = object extends T ? { readonly [K in Key]?: T } : { readonly [K in Key]: T }

type QueryPart<O extends Operation> = O['query'] extends z.ZodType ? Given<'query', Query<z.input<O['query']>>> : unknown
type BodyPart<O extends Operation, File> = O['request'] extends z.ZodType
  ? Given<'body', z.input<O['request']>>
  : O['request'] extends 'multipart'
    ? { readonly file: File } & Given<'fields', Fields<NonNullable<O['form']>['fields']>>
    : unknown

/**
 * What a call takes: every name in braces of the path, `query`, and `body` or, of a form, `file` and its other `fields`. Numbers
 * and truth values of a query may stand as such.
 */
export type CallInput<O extends Operation, File> = { readonly [K in PathParams<O['path']>]: string } & QueryPart<O> &
  BodyPart<O, File>

/** What a call gives; null where the answer has no body. */
export type CallReply<O extends Operation> = O['reply'] extends z.ZodType ? z.output<O['reply']> : null

type At<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? At<NonNullable<T[Head]>, Rest>
    : unknown
  : Path extends keyof T
    ? T[Path]
    : unknown
// An answer without anything may be declared another thing than a list.
type ListIn<T> = Extract<T, readonly unknown[]>
type ItemOf<T> = [ListIn<T>] extends [never] ? unknown : ListIn<T>[number]

/** One item of a list. */
export type CallItem<O extends Operation> = O extends { readonly pages: { readonly items: infer Path } }
  ? Path extends string
    ? ItemOf<NonNullable<At<CallReply<O>, Path>>>
    : ItemOf<CallReply<O>>
  : never
