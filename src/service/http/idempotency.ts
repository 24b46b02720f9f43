/**
 * Runs an operation once per Idempotency-Key: answers are stored under a key, so that a request repeated after a lost answer has no second
 * effect (contract §14.2, faults H28). Effect and answer are one synchronous transaction: neither exists without the other, and two requests
 * with one key cannot overlap.
 */
import { createHash } from 'node:crypto'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { Database } from '../storage/database.ts'
import type { Call } from './route.ts'

/** Opens the store; answers older than `lifeMs` are forgotten. */
export function openAnswers(database: Database, now: () => number, lifeMs: number) {
  return {
    /**
     * Runs `effect` once per owner and key and returns its answer; a repeated call returns the stored one. Throws a 422
     * when the stored answer has a different fingerprint. Without a key the effect always runs. An effect that throws stores nothing.
     */
    once<T>(owner: number, key: string | undefined, fingerprint: string, effect: () => T): T {
      return database.transaction(() => {
        if (key === undefined) return effect()
        database.run('DELETE FROM answers WHERE at < ?', [now() - lifeMs])
        const sql = 'SELECT fingerprint, body FROM answers WHERE owner = ? AND key = ?'
        const stored = database.get<{ readonly fingerprint: string; readonly body: string }>(sql, [owner, key])
        if (stored?.fingerprint === fingerprint) return JSON.parse(stored.body) as T
        if (stored !== null) {
          throw new Refusal(422, 'Idempotency-Key was used before', 'Idempotency-Key: belongs to another operation or body')
        }
        const answer = effect()
        const values = [owner, key, fingerprint, JSON.stringify(answer), now()]
        database.run('INSERT INTO answers (owner, key, fingerprint, body, at) VALUES (?, ?, ?, ?, ?)', values)
        return answer
      })
    },
  }
}

type AnswerStore = ReturnType<typeof openAnswers>

export type IdempotencyDeps = { readonly answers: AnswerStore; readonly limits: Limits }

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
  return answers.once(user.id, key, fingerprint, effect)
}
