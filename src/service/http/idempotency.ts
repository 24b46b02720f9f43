/** Runs an operation once per Idempotency-Key: reads the key, fingerprints the request, and answers a key that cannot be used. */
import { createHash } from 'node:crypto'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { type AnswerStore, KeyReusedError } from '../storage/idempotency.ts'
import type { Call } from './route.ts'

export interface IdempotencyDeps {
  readonly answers: AnswerStore
  readonly limits: Limits
}

const KEY = /^[\x21-\x7e]+$/

/** Returns the answer of `effect`, or the stored answer of an equal request. Throws a 400 for a malformed key, a 422 for a reused one. */
export function runIdempotent<T>(
  { answers, limits }: IdempotencyDeps,
  { user, request, body }: Pick<Call<unknown, unknown>, 'user' | 'request' | 'body'>,
  effect: () => T,
): T {
  const header = request.headers['idempotency-key']
  const key = Array.isArray(header) ? header.join() : header
  if (key !== undefined && (key.length > limits.idempotencyKeyLength || !KEY.test(key))) {
    const rule = `must be 1 to ${limits.idempotencyKeyLength} visible ASCII characters`
    throw badRequest('Idempotency-Key is malformed', `Idempotency-Key: ${rule}`)
  }
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(body)}`)
    .digest('base64')
  try {
    return answers.once(user.id, key, fingerprint, effect)
  } catch (error) {
    if (!(error instanceof KeyReusedError)) throw error
    throw new Refusal(422, 'Idempotency-Key was used before', 'Idempotency-Key: belongs to another operation or body')
  }
}
