/** Rewrites JSON replies: sets and removes keys, replaces the status. Pure. */
import type { FaultEffect } from './fault-table.ts'

type Effect<K extends FaultEffect['kind']> = Extract<FaultEffect, { kind: K }>
type Json = Record<string, unknown>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text with a change made to each of its records; null if it is not JSON or nothing changes. */
function altered(text: string, change: (record: Json) => Json): string | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const next = Array.isArray(value)
    ? value.map(one => (isRecord(one) ? change(one) : one))
    : isRecord(value)
      ? change(value)
      : value
  const [before, after] = [JSON.stringify(value), JSON.stringify(next)]
  return before === after ? null : after
}

/** Applies a rewrite; null if it changes nothing. `fill` replaces placeholders in texts. */
export function rewritten(text: string, { set, remove, raw }: Effect<'rewrite'>, fill: (text: string) => string): string | null {
  const filled = Object.entries(set).map(([key, value]) => [key, typeof value === 'string' ? fill(value) : value])
  const changed = altered(text, record => {
    const kept = Object.entries(record).filter(([key]) => !remove.includes(key))
    return Object.fromEntries([...kept, ...filled])
  })
  if (raw === '') return changed
  const base = changed ?? text
  const brace = base.indexOf('{')
  return brace === -1 ? changed : base.slice(0, brace + 1) + fill(raw) + base.slice(brace + 1)
}

/** Replaces the status of a job, or of each job in a list, with the next of the sequence; null if the text has no status. */
export function withStatus(text: string, { sequence, forever }: Effect<'jobStatus'>, turn: number): string | null {
  const status = sequence[forever ? Math.min(turn, sequence.length - 1) : turn % sequence.length]
  const before = altered(text, record => ('status' in record ? { ...record, status: '' } : record))
  if (before === null) return null
  return altered(before, record => (record.status === '' ? { ...record, status } : record))
}
