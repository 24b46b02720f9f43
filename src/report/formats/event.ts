/** `fettle/event/v1`: the lines of `json-events`. The envelope is fixed; `data` is the journal event or progress, without row content. */
import { z } from 'zod'
import type { RunEventInput, RunState } from '../../journal/index.ts'
import { toJsonSchema } from '../schema.ts'
import { safeJson } from './escape.ts'

export const eventSchema = z.object({
  schema: z.literal('fettle/event/v1'),
  at: z.iso.datetime({ precision: 3 }).describe('UTC, with milliseconds'),
  pipeline: z.string().describe('its name, or its file before it is read'),
  runId: z.string().nullable().describe('null before there is a run'),
  type: z
    .string()
    .describe(
      'a journal event (run.started, stage.started, job.created, status.observed, run.finished …), progress (progress.upload, progress.download, progress.waiting, progress.retry), run.refused for a pipeline that could not start, or result as the last event',
    ),
  data: z.record(z.string(), z.unknown()).describe('depends on the type; readers ignore unknown keys'),
})

export type Event = z.infer<typeof eventSchema>

/** The contents of `matches` and lists of companies have names. */
const INNER = new Set(['type', 'samples', 'duplicates', 'matches', 'scores', 'lowestScores', 'settings'])
const isInner = (key: string, value: unknown): boolean => INNER.has(key) || (key === 'companies' && Array.isArray(value))

export const eventData = (event: RunEventInput): Event['data'] =>
  Object.fromEntries(Object.entries(event).filter(([key, value]) => !isInner(key, value)))

/** Data of the first event of a run: the first journal events are older than any observer. */
export const startEventData = ({ plan, jobs, resumedAt }: RunState): Event['data'] => ({
  fingerprint: plan.fingerprint,
  rows: plan.rows,
  sent: plan.sent,
  jobs: jobs.length,
  resumed: resumedAt.length > 0,
})

export const eventLine = (event: Omit<Event, 'schema'>): string => safeJson({ schema: 'fettle/event/v1', ...event })

export const eventJsonSchema = (): object =>
  toJsonSchema(eventSchema, 'fettle event', 'An event of a pipeline (fettle/event/v1).')
