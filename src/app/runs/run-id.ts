/** Run ids: `<UTC start>-<pipeline or shard of one>-<six random hex digits>`, which sort by start. */
import type { ShardChoice } from '../../pipeline/index.ts'

export interface RunId {
  /** Milliseconds since 1970; 0 for a time that does not exist. */
  readonly start: number
  /** The pipeline, with the shard: `suppliers`, `suppliers.3-of-8`. */
  readonly line: string
  readonly pipeline: string
  readonly shard: ShardChoice | null
}

const RUN_ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(([a-z0-9][a-z0-9-]*)(?:\.(\d+)-of-(\d+))?)-[0-9a-f]{6}$/

/** The parts of a run id, null for any other text. */
export function parseRunId(id: string): RunId | null {
  const match = RUN_ID.exec(id)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, line = '', pipeline = '', number, of] = match
  return {
    start: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) || 0,
    line,
    pipeline,
    shard: number === undefined ? null : { number: Number(number), of: Number(of) },
  }
}
