/** A review at the terminal, one row after the other, one key each. Every decision is stored at once: a closed terminal loses none. */

import type { ReviewRow } from '../../../app/index.ts'
import { actionOfKey } from '../../../report/index.ts'
import type { Decision } from '../../../results/index.ts'
import type { Io } from '../../terminal/io.ts'
import { type Chosen, screenOf } from './screen.ts'

export interface Session {
  readonly rows: readonly ReviewRow[]
  readonly linesOf: (row: ReviewRow, chosen: NonNullable<Chosen> | null) => readonly Decision[]
  /** The decision of an earlier review, null for none. */
  readonly earlier: (row: ReviewRow) => Chosen
  /** The decisions file has a line about the row. */
  readonly isStored: (row: ReviewRow) => boolean
  /** Stores the decisions made so far. */
  readonly keep: (lines: readonly Decision[]) => Promise<void>
}

type Keys = AsyncGenerator<string, void, void>

/** Runs until the last row is decided or `q` is pressed; returns the decisions. */
export async function runReviewSession(
  io: Io,
  { rows, linesOf, earlier, isStored, keep }: Session,
): Promise<readonly Decision[]> {
  const chosen = new Map<string, NonNullable<Chosen> | 'undone'>()
  const keys = keysOf(io)
  const lines = (): Decision[] => {
    const seen = new Map(rows.map(row => [row.fingerprint, row]))
    return [...chosen].flatMap(([fingerprint, choice]) => linesOf(seen.get(fingerprint)!, choice === 'undone' ? null : choice))
  }
  const set = async (row: ReviewRow, choice: NonNullable<Chosen> | 'undone'): Promise<void> => {
    chosen.set(row.fingerprint, choice)
    await keep(lines())
  }
  const undo = async (row: ReviewRow): Promise<void> => {
    if (isStored(row)) return set(row, 'undone')
    if (chosen.delete(row.fingerprint)) await keep(lines())
  }
  try {
    for (let at = 0; at < rows.length; ) {
      const row = rows[at]!
      const known = chosen.get(row.fingerprint) ?? earlier(row)
      const shown = screenOf(row, { at: at + 1, of: rows.length }, known === 'undone' ? null : known, {
        width: Math.min(160, io.columns()),
        colour: io.colour.err,
      })
      io.draw(`\x1b[2J\x1b[H${shown.replaceAll('\n', '\r\n')}`)
      const key = await next(keys)
      if (key === null || key === '\x03' || key === '\x04') break
      const action = actionOfKey(key, 'terminal')
      if (action === 'finish') break
      const candidate = row.candidates[action === 'best' ? 0 : action === 'nth' ? Number(key) - 1 : -1]
      if (candidate !== undefined && candidate.id !== '') {
        await set(row, { kind: 'accept', company: candidate.id })
        at++
      } else if (action === 'none') {
        await set(row, { kind: 'reject' })
        at++
      } else if (action === 'undo') await undo(row)
      else if (action === 'next' || action === 'later') at++
      else if (action === 'back') at = Math.max(0, at - 1)
    }
    return lines()
  } finally {
    await keys.return()
    io.draw('\x1b[2J\x1b[H')
  }
}

const next = async (keys: Keys): Promise<string | null> => {
  const { done, value } = await keys.next()
  return done === true ? null : value
}

/** Keys as they are pressed, one character each; escape sequences are skipped. Ends with the signal or the input. */
async function* keysOf(io: Io): Keys {
  const stdin = io.stdin() as ReturnType<Io['stdin']> & { setRawMode?: (on: boolean) => unknown }
  const stop = (): void => {
    stdin.destroy()
  }
  io.signal.addEventListener('abort', stop, { once: true })
  stdin.setRawMode?.(true)
  try {
    for await (const piece of stdin) yield* String(piece).replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?/g, '')
  } catch (error) {
    if (!io.signal.aborted) throw error
  } finally {
    io.signal.removeEventListener('abort', stop)
    stdin.setRawMode?.(false)
    stdin.destroy()
  }
}
