/**
 * Whether the lines of a journal can be what fettle wrote: every event with what it cannot be without, and none before the one it
 * follows from. It reads no file and folds nothing; events of a newer minor version pass.
 */
import type { RunEvent } from './events.ts'

type Kind = 'string' | 'number' | 'object' | 'array'

/** What the events of each type hold, as far as a state could not be told without it. */
const HELD: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  'run.started': { runId: 'string', plan: 'object', jobName: 'string', identity: 'string', args: 'object', tool: 'object' },
  'run.resumed': { pid: 'number', host: 'string' },
  'stage.started': { stage: 'string' },
  'stage.finished': { stage: 'string', elapsedMs: 'number', http: 'object' },
  'stage.skipped': { stage: 'string', why: 'string' },
  'stage.failed': { stage: 'string', elapsedMs: 'number', error: 'object', http: 'object' },
  'job.requested': { part: 'number', name: 'string' },
  'job.created': { part: 'number', id: 'string', name: 'string' },
  'upload.requested': { part: 'number' },
  'upload.accepted': { part: 'number', bytes: 'number' },
  'mapping.accepted': { part: 'number' },
  'match.requested': { part: 'number' },
  'match.accepted': { part: 'number' },
  'status.observed': { part: 'number', status: 'string' },
  'match.finished': { part: 'number', status: 'string' },
  'enrichments.accepted': { part: 'number' },
  'enrich.requested': { part: 'number' },
  'enrich.accepted': { part: 'number' },
  'enrich.finished': { part: 'number', status: 'string' },
  'file.received': { part: 'number', bytes: 'number', rows: 'number' },
  'output.written': { files: 'array', outcomes: 'object', samples: 'array' },
  'part.failed': { part: 'number', error: 'object' },
  'correlation.noted': { part: 'number', operation: 'string', correlationId: 'string' },
  'issue.raised': { issue: 'object' },
  'run.finished': { status: 'string', exitCode: 'number', outcomes: 'object', checks: 'array' },
  'run.detached': {},
  'run.paused': { status: 'string', exitCode: 'number', error: 'object' },
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** An object with a type and a time. */
export const isEvent = (value: unknown): value is RunEvent =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'at' in value &&
  typeof value.at === 'string' &&
  !Number.isNaN(Date.parse(value.at))

/** What an event lacks, in words; null when it is whole. */
export function lackOf(event: RunEvent): string | null {
  const held = Object.hasOwn(HELD, event.type) ? HELD[event.type]! : {}
  const fields: Readonly<Record<string, unknown>> = { ...event }
  const lack = Object.entries(held).find(([name, kind]) => kindOf(fields[name]) !== kind)
  return lack === undefined ? null : `its ${lack[0]} is missing or of another kind`
}

/** The first line that does not follow from those before it, from 1; null when all do. */
export function findGap(events: readonly RunEvent[]): { readonly line: number; readonly why: string } | null {
  const requested = new Set<number>()
  const created = new Set<number>()
  for (const [index, event] of events.entries()) {
    const gap = (why: string) => ({ line: index + 1, why })
    if (index === 0 && event.type !== 'run.started') return gap('the first event is not run.started')
    if (event.type === 'run.started' && event.merged !== undefined) {
      if (!Array.isArray(event.merged?.jobs) || !Array.isArray(event.merged.issues)) return gap('it does not tell what it joins')
      for (const job of event.merged.jobs) created.add(job.part)
    }
    if (index > 0 && event.type === 'run.started') return gap('the run was started before')
    if (!('part' in event)) continue
    if (event.type === 'job.requested') requested.add(event.part)
    else if (event.type === 'job.created') {
      if (!requested.has(event.part)) return gap('nobody had asked for that job')
      created.add(event.part)
    } else if (event.type !== 'correlation.noted' && !created.has(event.part)) return gap('there was no job yet')
  }
  return null
}
