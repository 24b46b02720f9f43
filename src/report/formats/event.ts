/**
 * `json-events`: what happens to the pipelines of a call as it happens, a JSON object a line, `fettle/event/v1`. The envelope is
 * fixed; `data` holds the fact of the journal or the sign of progress, without row content. It writes nothing.
 */
import { z } from 'zod'
import type { RunEventInput, RunState } from '../../journal/index.ts'
import { safeJson } from './escape.ts'

/** One line of `json-events`. */
export const eventSchema = z.object({
  schema: z.literal('fettle/event/v1'),
  at: z.iso.datetime({ precision: 3 }).describe('UTC, with milliseconds'),
  pipeline: z.string().describe('its name, or its file while that is unread'),
  runId: z.string().nullable().describe('null before there is a run'),
  type: z
    .string()
    .describe(
      'a fact (run.started, stage.started, job.created, status.observed, run.finished …), a sign of progress (progress.upload, progress.download, progress.waiting, progress.retry), run.refused for a pipeline that came to no run, or result as the last word',
    ),
  data: z.record(z.string(), z.unknown()).describe('what the type brings; readers pass over keys they do not know'),
})

/** One line of `json-events` as a value. */
export type Event = z.infer<typeof eventSchema>

/** Row content, and what the pipeline file said anew, stay in the journal. */
const INNER = new Set(['type', 'samples', 'scores', 'lowestScores', 'settings'])

/** A fact as an event tells it. */
export const eventData = (fact: RunEventInput): Event['data'] =>
  Object.fromEntries(Object.entries(fact).filter(([key]) => !INNER.has(key)))

/** What a run is, for its first event: the facts that begin a journal are older than any listener. */
export const startEventData = ({ plan, jobs, resumedAt }: RunState): Event['data'] => ({
  fingerprint: plan.fingerprint,
  rows: plan.rows,
  sent: plan.sent,
  jobs: jobs.length,
  resumed: resumedAt.length > 0,
})

/** The line of an event, without its end. */
export const eventLine = (event: Omit<Event, 'schema'>): string => safeJson({ schema: 'fettle/event/v1', ...event })
