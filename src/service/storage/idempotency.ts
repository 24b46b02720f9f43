/**
 * Answers kept under an Idempotency-Key, so that a request repeated after a lost answer has no second effect (contract §14.2,
 * faults H28). Effect and answer are one transaction: there is no moment in which one of them exists alone, and because it is
 * never waited for, no second request can meet a first one still running.
 */
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { Database } from './database.ts'

/** The kept answers of one data directory. */
export interface AnswerStore {
  /**
   * Carries out `effect` once per owner and key and gives its answer; a repeated request gets the kept one. The fingerprint
   * stands for operation and body: another one under the same key is refused with 422, a malformed key with 400.
   * Without a key the effect is simply carried out. An effect that throws keeps nothing.
   */
  once<T>(owner: number, key: string | undefined, fingerprint: string, effect: () => T): T
}

interface Row {
  readonly fingerprint: string
  readonly body: string
}

const KEY = /^[\x21-\x7e]+$/

/** The kept answers on this database. */
export function openAnswers(database: Database, now: () => number, limits: Limits): AnswerStore {
  const { idempotencyMs, idempotencyKeyLength } = limits
  return {
    once<T>(owner: number, key: string | undefined, fingerprint: string, effect: () => T): T {
      return database.transaction(() => {
        if (key === undefined) return effect()
        if (key.length > idempotencyKeyLength || !KEY.test(key)) {
          const rule = `must be 1 to ${idempotencyKeyLength} visible ASCII characters`
          throw badRequest('Idempotency-Key is malformed', `Idempotency-Key: ${rule}`)
        }
        database.run('DELETE FROM answers WHERE at < ?', [now() - idempotencyMs])
        const kept = database.get<Row>('SELECT fingerprint, body FROM answers WHERE owner = ? AND key = ?', [owner, key])
        if (kept !== null) {
          if (kept.fingerprint === fingerprint) return JSON.parse(kept.body) as T
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
