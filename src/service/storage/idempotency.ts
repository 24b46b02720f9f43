/**
 * Answers stored under a key, so that a request repeated after a lost answer has no second effect (contract §14.2, faults H28).
 * Effect and answer are one synchronous transaction: neither exists without the other, and two requests with one key cannot overlap.
 */
import type { Database } from './database.ts'

/** The key was used before with another fingerprint. */
export class KeyReusedError extends Error {
  override readonly name = 'KeyReusedError'
}

interface Row {
  readonly fingerprint: string
  readonly body: string
}

/** Opens the store; answers older than `lifeMs` are forgotten. */
export function openAnswers(database: Database, now: () => number, lifeMs: number) {
  return {
    /**
     * Runs `effect` once per owner and key and returns its answer; a repeated call returns the stored one. Throws a KeyReusedError
     * when the stored answer has another fingerprint. Without a key the effect always runs. An effect that throws stores nothing.
     */
    once<T>(owner: number, key: string | undefined, fingerprint: string, effect: () => T): T {
      return database.transaction(() => {
        if (key === undefined) return effect()
        database.run('DELETE FROM answers WHERE at < ?', [now() - lifeMs])
        const stored = database.get<Row>('SELECT fingerprint, body FROM answers WHERE owner = ? AND key = ?', [owner, key])
        if (stored !== null) {
          if (stored.fingerprint === fingerprint) return JSON.parse(stored.body) as T
          throw new KeyReusedError()
        }
        const answer = effect()
        const values = [owner, key, fingerprint, JSON.stringify(answer), now()]
        database.run('INSERT INTO answers (owner, key, fingerprint, body, at) VALUES (?, ?, ?, ?, ?)', values)
        return answer
      })
    },
  }
}

export type AnswerStore = ReturnType<typeof openAnswers>
