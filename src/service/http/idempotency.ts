/** From a request to its kept answer: which key it carries, and what another request under that key must equal. */
import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Call } from './route.ts'

/** Carries out the effect of a call at most once per Idempotency-Key; see the store's `once` for what it throws. */
export function idempotencyKeyOf<T>(
  { answers }: Pick<Context, 'answers'>,
  { user, request, body }: Pick<Call<unknown, unknown>, 'user' | 'request' | 'body'>,
  effect: () => T,
): T {
  const key = request.headers['idempotency-key']
  const fingerprint = createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(body)}`)
    .digest('base64')
  return answers.once(user.id, Array.isArray(key) ? key.join() : key, fingerprint, effect)
}
