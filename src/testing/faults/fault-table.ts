/**
 * The schema of planned faults: which request a fault applies to, and its effect. Faults are JSON, so that a table of faults can be
 * stored in a file.
 */
import { z } from 'zod'
import { OPERATIONS, type OperationName } from '../../contract/index.ts'

/** An operation of the interface, `file` for the download link, `*` for any request. */
const operation = z.enum([...(Object.keys(OPERATIONS) as OperationName[]), 'file', '*'])

/** Whether the service executes the request before the fault; false: it never receives it. */
const carriedOut = z.boolean().default(false)

/** How much of a body passes before the fault. */
const share = z.number().min(0).max(1).default(0.5)

export const effect = z.discriminatedUnion('kind', [
  /** Answered with this status and these headers in place of the service. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().optional(),
    carriedOut,
  }),
  /**
   * The connection is reset: as the request arrives, in the middle of its body, before the reply, or in the middle of it, after
   * `share` of the body. A reply that is cut is the real one, unless `carriedOut` is false: then it is made up.
   */
  z.strictObject({
    kind: z.literal('reset'),
    at: z.enum(['arrival', 'requestBody', 'reply', 'replyBody']),
    share,
    carriedOut: z.boolean().optional(),
  }),
  /** Silence until the client gives up: before the headers of the reply, or in the middle of its body; else as a reset. */
  z.strictObject({ kind: z.literal('stall'), at: z.enum(['reply', 'replyBody']), share, carriedOut: z.boolean().optional() }),
  /** The real reply, a few bytes at a time: `everyMs` real milliseconds apart. */
  z.strictObject({ kind: z.literal('drip'), bytes: z.int().min(1).default(1), everyMs: z.int().min(1).default(20) }),
  /** The real reply cut short after a share of its bytes: against its announced length, its chunks, or the mere close. */
  z.strictObject({
    kind: z.literal('truncate'),
    framing: z.enum(['length', 'chunked', 'close']),
    keep: z.number().min(0).max(1),
  }),
  /**
   * 200 (or another status) with this body instead of the real one; the service executes the request unless `carriedOut` is false.
   * `{self}` is replaced with this server's origin here, in headers, redirects and texts that a rewrite sets.
   */
  z.strictObject({
    kind: z.literal('body'),
    text: z.string(),
    /** `base64`: the text is the encoding of arbitrary bytes. */
    encoding: z.enum(['utf8', 'base64']).default('utf8'),
    type: z.string().default('application/json'),
    status: z.int().default(200),
    carriedOut: z.boolean().default(true),
  }),
  /**
   * The real JSON reply with keys set or removed, in a list in each of its records; `raw` is put right after the first opening
   * brace.
   */
  z.strictObject({
    kind: z.literal('rewrite'),
    set: z.record(z.string(), z.unknown()).default({}),
    remove: z.array(z.string()).default([]),
    raw: z.string().default(''),
  }),
  /**
   * The status of the job (in a list: of each) in the real reply is replaced by each of these in turn, one for each reply; afterwards
   * the real status again, or with `forever` the last one.
   */
  z.strictObject({ kind: z.literal('jobStatus'), sequence: z.array(z.string()).min(1), forever: z.boolean().default(false) }),
  /** A redirect; in `to`, `{self}` is replaced with this server's origin and `{path}` with the requested path. */
  z.strictObject({ kind: z.literal('redirect'), to: z.string(), status: z.int().default(302) }),
  /** The token that the request carries is rejected with 401 from now on; another token is accepted. */
  z.strictObject({ kind: z.literal('expireToken') }),
  /** An endless body, or a small one that decompresses to a gigabyte. */
  z.strictObject({ kind: z.literal('bomb'), how: z.enum(['endless', 'gzip']) }),
  /** Delivered to the service twice; the first answer is passed on. */
  z.strictObject({ kind: z.literal('duplicate') }),
  /** The client is killed (`onKill`): on arrival of the request, after execution but before the answer, or after the answer. */
  z.strictObject({ kind: z.literal('killClient'), at: z.enum(['arrival', 'carriedOut', 'answered']) }),
  /** Only calls `onPoint(name)`, before the request is forwarded or after it was answered. */
  z.strictObject({ kind: z.literal('point'), name: z.string(), at: z.enum(['arrival', 'answered']).default('arrival') }),
])

/** One planned fault. */
export const fault = z.strictObject({
  operation,
  /** Counted per operation from 1, from when the faults were armed. */
  nth: z.int().min(1).default(1),
  /** The number of consecutive requests of that operation; `always`: all from `nth` on. For `jobStatus`: repetitions of its sequence. */
  times: z.union([z.int().min(1), z.literal('always')]).default(1),
  effect,
})

/** One planned fault with all defaults. */
export type Fault = z.infer<typeof fault>
/** One planned fault; keys with a default may be absent. */
export type FaultInput = z.input<typeof fault>
/** The effect of a fault on a request. */
export type FaultEffect = z.infer<typeof effect>
/** The effect of a fault on a request; keys with a default may be absent. */
export type FaultEffectInput = z.input<typeof effect>
