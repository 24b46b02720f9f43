/** The fault matrix as data: reads conformance.json and validates its form. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { fault } from '../../../src/testing/faults/fault-table.ts'

const moment = z.union([
  z.enum(['start', 'report']),
  z.strictObject({
    operation: fault.shape.operation,
    nth: z.int().min(1).default(1),
    when: z.enum(['arrival', 'answered']).default('arrival'),
  }),
])
const stage = z.enum(['login', 'create', 'upload', 'map', 'submit', 'match', 'enrich', 'download', 'report'])

const connection = z.strictObject({
  kind: z.literal('connection'),
  how: z.enum([
    'refused',
    'noName',
    'nameServerBusy',
    'connectTimeout',
    'tlsExpired',
    'tlsWrongHost',
    'tlsUnknownAuthority',
    'tlsOldProtocol',
    'proxy407',
    'proxy503',
  ]),
  operation: fault.shape.operation,
  times: fault.shape.times,
})

const lever = z.discriminatedUnion('kind', [
  connection,
  /** The wall clock steps. */
  z.strictObject({ kind: z.literal('clock'), jumpMs: z.int(), at: moment }),
  /** The machine is suspended. */
  z.strictObject({ kind: z.literal('sleep'), forMs: z.int(), at: moment }),
  /** The same pipeline is started a second time. */
  z.strictObject({ kind: z.literal('second'), at: moment }),
  /** The input becomes another one, of the same length with the same time of writing; it is put back before the run is resumed. */
  z.strictObject({ kind: z.literal('input'), change: z.enum(['longer', 'same length', 'gone']), at: moment }),
  /** The run is stopped, its pipeline file changed, the run resumed; then the file is put back. */
  z.strictObject({ kind: z.literal('pipelineChanged'), at: moment }),
  /** The run is stopped, its journal damaged or given the id of another job, the run resumed; then the journal is mended. */
  z.strictObject({ kind: z.literal('journal'), damage: z.enum(['torn', 'middle', 'nul', 'newer', 'other job']), at: moment }),
  /** From this stage on, every write of ours fails so. */
  z.strictObject({ kind: z.literal('disk'), errno: z.string(), at: stage }),
  /** The process is killed: by a fault of the wire, or at the moment named. */
  z.strictObject({ kind: z.literal('kill'), at: moment.optional() }),
  z.strictObject({
    kind: z.literal('signal'),
    signal: z.enum(['SIGINT', 'SIGTERM']),
    twice: z.boolean().default(false),
    at: moment,
  }),
  /** Whoever reads our standard output goes away. */
  z.strictObject({ kind: z.literal('stdoutClosed'), at: moment }),
  /** Two pipelines in one call write the same file. */
  z.strictObject({ kind: z.literal('sameOutput') }),
])

const count = z.union([z.int().min(0), z.tuple([z.int().min(0), z.int().min(0)])])
const texts = z.union([z.string(), z.array(z.string())]).transform(one => [one].flat())
const ending = z.strictObject({
  exit: z.int(),
  code: z.string().optional(),
  message: texts.optional(),
  /** Codes of warnings that must be in the report. */
  issues: z.array(z.string()).default([]),
})

const expectation = z.strictObject({
  exit: z.union([z.int(), z.array(z.int()), z.literal('SIGKILL')]),
  /** Not looked at when absent. */
  code: z.string().nullable().optional(),
  requests: z.partialRecord(fault.shape.operation, count).default({}),
  message: texts.default([]),
  /** Milliseconds from the faulted request to the next one: least and most. */
  pausedMs: z.tuple([z.int(), z.int()]).optional(),
  /** Codes of warnings that must be in the report. */
  issues: z.array(z.string()).default([]),
  report: z
    .strictObject({
      status: z.string().optional(),
      contains: z.string().optional(),
      /** The result of the matching is in it. */
      matched: z.boolean().optional(),
      junit: z.string().optional(),
    })
    .default({}),
  /** No text of the run obeys or hides anything: no control characters, no markup of the service's. */
  clean: z.boolean().default(false),
  second: ending.optional(),
  changed: ending.optional(),
  damaged: ending.optional(),
  resume: ending.nullish(),
  jobs: z.int(),
  submits: z.int(),
  enriches: z.int(),
})

const cell = z.strictObject({
  id: z.string(),
  fault: z.string(),
  stage,
  variant: z.string(),
  policy: z.string(),
  after: z.union([fault.shape.operation, z.literal('enrichment')]).optional(),
  instructions: z.array(fault).default([]),
  lever: lever.optional(),
  withoutKeys: z.boolean().default(false),
  timeoutMs: z.int().optional(),
  expect: expectation,
  note: z.string().optional(),
})

const conformance = z.strictObject({
  $comment: z.array(z.string()),
  stages: z.array(stage).length(9),
  policies: z.record(z.string(), z.string()),
  faults: z.record(z.string(), z.strictObject({ title: z.string(), row: z.array(z.string()).length(9) })),
  cells: z.array(cell),
})

/** A moment at which a lever is pulled. */
export type Moment = z.infer<typeof moment>
/** What no server can do. */
export type Lever = z.infer<typeof lever>
/** A connection that does not come about. */
export type BadConnection = z.infer<typeof connection>
/** One run with something wrong, and what must come of it. */
export type Cell = z.infer<typeof cell>

/** The whole of conformance.json. Throws a ZodError when it is not of the form. */
export const data = conformance.parse(JSON.parse(readFileSync(new URL('conformance.json', import.meta.url), 'utf8')))
