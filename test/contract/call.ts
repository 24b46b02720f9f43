/**
 * Calls an operation of the table with plain HTTP, without the client, and checks every answer: a success against the operation's
 * schema and the description of the interface, a refusal against its documented statuses and the shapes of error bodies.
 */
import { expect, TestRunner } from 'vitest'
import {
  faultBody,
  messageBody,
  OPERATIONS,
  type Operation,
  type OperationName,
  pathOf,
  unauthorisedBody,
} from '../../src/contract/index.ts'
import { PLAYS } from '../../src/service/plays.ts'
import { describedAnswer } from './described.ts'
import { ofAnswer } from './published/published.ts'
import { rowOf } from './published/stands.ts'
import type { Target } from './target.ts'

/** What a call may carry. */
interface Given {
  /** `{id}` of the path. */
  readonly id?: string
  /** The other names in braces in the path. */
  readonly params?: Record<string, string>
  readonly body?: unknown
  readonly form?: FormData
  readonly query?: Record<string, string>
  readonly headers?: Record<string, string>
  /** null: none is sent. */
  readonly token?: string | null
}

/** A checked answer. */
export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the schema of the operation has checked it.
  readonly body: any
  readonly headers: Headers
}

/** An unauthenticated or authenticated way to call the target. */
export type Call = (name: OperationName, given?: Given) => Promise<Answer>

const shapeOf = (name: OperationName, status: number) => {
  if (status === 403 || status === 429 || name === 'authenticate') return messageBody
  if (status === 401) return unauthorisedBody
  // Both shapes of a 404 are documented (contract §2.5).
  return status === 404 ? faultBody.or(messageBody) : faultBody
}

/** Makes calls to this target with this token. */
export const caller =
  (target: Target, ownToken: string | null): Call =>
  async (name, given = {}) => {
    const operation: Operation = OPERATIONS[name]
    const url = new URL(target.url + pathOf(operation, { id: given.id ?? '', ...given.params }))
    for (const [key, value] of Object.entries(given.query ?? {})) url.searchParams.set(key, value)
    const token = given.token === undefined ? ownToken : given.token
    const body = given.form ?? (given.body === undefined ? undefined : JSON.stringify(given.body))
    const reply = await fetch(url, {
      method: operation.method,
      headers: {
        ...(given.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await reply.text()
    // The rest of the test needs it.
    if (token !== null && target.play.operations?.has(name) === false && reply.status !== 401) {
      expect([reply.status, faultBody.parse(JSON.parse(text)).message], name).toEqual([404, 'Not found'])
      TestRunner.getCurrentTest()?.context.skip(`this play has no ${name}`)
    }
    if (target.play === PLAYS.vendor) {
      const found = ofAnswer(name, reply.status, text).map(what => `${name} ${reply.status} ${what}`)
      expect(found.filter(one => rowOf(one) === undefined)).toEqual([])
    }
    const parsed: unknown = text === '' ? null : JSON.parse(text)
    if (reply.ok) {
      expect(reply.status, name).toBe(operation.success ?? 200)
      if (operation.reply === null) expect(text, name).toBe('')
      else {
        operation.reply.parse(parsed)
        if (!target.isRemote) expect(describedAnswer(target.play, name, reply.status, parsed), name).toEqual([])
      }
    } else {
      expect(operation.errors, `${name} answered ${reply.status}: ${JSON.stringify(parsed)}`).toContain(reply.status)
      shapeOf(name, reply.status).parse(parsed)
    }
    return { status: reply.status, body: parsed, headers: reply.headers }
  }
