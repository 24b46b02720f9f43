/**
 * Random faults: a fault or none for each request of a run, a kill or none for each stage. Each depends only on the seed of
 * the run, the operation and its number, so that a run can be repeated.
 */
import type { FaultEffectInput, Policy } from '../../../src/testing/index.ts'
import { type Draw, draw, pick } from './chance.ts'

type Operation = NonNullable<Parameters<Policy>[0]['operation']>

/** A request fails with this probability. */
const FAULTY = 0.2
/** A stage is killed with this one. */
const KILLED = 0.05

/** The requests by which a run passes its stages, and how many of each it usually sends. */
const STAGES: readonly (readonly [Operation, number])[] = [
  ['authenticate', 2],
  ['createJob', 1],
  ['upload', 1],
  ['setMappings', 1],
  ['submit', 1],
  ['readJob', 12],
  ['setEnrichments', 1],
  ['enrich', 1],
  ['enrichedFile', 1],
  ['file', 1],
]

const STATUSES = [429, 500, 502, 503, 504, 408, 401, 409]
/** Answers that no service would give to a request which it has carried out. */
const NEVER_CARRIED_OUT = [401, 429]
const NO_JSON = ['{"id":', '', '[', '{"status":"created"', 'null{}']
const HTML = '<!doctype html><title>Welcome</title><p>Sign in to use this network'
const UNKNOWN = ['pondering', 'queued-for-review', 'RE-INDEXING']

const isYes = (next: Draw): boolean => next() < 0.5

function status(next: Draw, operation: Operation): FaultEffectInput {
  // A refused login is the one answer of these that is final.
  const code = pick(next, operation === 'authenticate' ? STATUSES.filter(one => one !== 401) : STATUSES)
  const headers: Record<string, string> = {}
  if ((code === 429 || code === 503) && isYes(next)) headers['retry-after'] = String(1 + Math.floor(next() * 90))
  return { kind: 'status', status: code, headers, carriedOut: isYes(next) && !NEVER_CARRIED_OUT.includes(code) }
}

/** Every kind of fault that a run must survive, each as likely as the next. */
const KINDS: readonly ((next: Draw, operation: Operation) => FaultEffectInput)[] = [
  status,
  next => ({ kind: 'status', status: pick(next, [500, 502, 503, 504]), carriedOut: isYes(next) }),
  () => ({ kind: 'reset', at: 'arrival' }),
  next => ({ kind: 'reset', at: 'requestBody', share: next() }),
  next => ({ kind: 'reset', at: 'reply', carriedOut: isYes(next) }),
  next => ({ kind: 'reset', at: 'replyBody', share: next(), carriedOut: isYes(next) }),
  next => ({ kind: 'stall', at: pick(next, ['reply', 'replyBody'] as const), carriedOut: isYes(next) }),
  next => ({ kind: 'truncate', framing: pick(next, ['length', 'chunked', 'close'] as const), keep: next() * 0.99 }),
  next => ({ kind: 'body', text: pick(next, NO_JSON), carriedOut: isYes(next) }),
  next => ({ kind: 'body', text: HTML, type: 'text/html', carriedOut: isYes(next) }),
  () => ({ kind: 'duplicate' }),
  () => ({ kind: 'expireToken' }),
  next => ({ kind: 'jobStatus', sequence: [isYes(next) ? 'created' : pick(next, UNKNOWN)] }),
]

/** Where a status is told at all. */
const TELLS_STATUS = new Set<Operation>(['readJob', 'createJob', 'listJobs'])

function fault(next: Draw, operation: Operation): FaultEffectInput {
  for (;;) {
    const effect = pick(next, KINDS)(next, operation)
    const isIdle =
      (effect.kind === 'jobStatus' && !TELLS_STATUS.has(operation)) ||
      (effect.kind === 'expireToken' && (operation === 'authenticate' || operation === 'file'))
    if (!isIdle) return effect
  }
}

/**
 * Which requests of a run of this seed are killed: `operation#nth`, with the moment. A SIGKILL takes all runs of a process, so
 * each draws its share.
 */
function killsOf(seed: number, companions: number): ReadonlyMap<string, 'arrival' | 'carriedOut' | 'answered'> {
  const kills = new Map<string, 'arrival' | 'carriedOut' | 'answered'>()
  for (const [operation, usual] of STAGES) {
    const next = draw(seed, 'kill', operation)
    if (next() >= KILLED / companions) continue
    kills.set(`${operation}#${1 + Math.floor(next() * usual)}`, pick(next, ['arrival', 'carriedOut', 'answered'] as const))
  }
  return kills
}

/** The faults of a run of this seed that shares its process with others, `companions` in all. */
export function policyOf(seed: number, companions: number): Policy {
  const kills = killsOf(seed, companions)
  return ({ operation, nth }) => {
    if (operation === null) return null
    const kill = kills.get(`${operation}#${nth}`)
    if (kill !== undefined) return { kind: 'killClient', at: kill }
    const next = draw(seed, operation, nth)
    return next() < FAULTY ? fault(next, operation) : null
  }
}
