/**
 * Kills the real `fettle serve` again and again while files arrive, are matched and are enriched, and holds each next process
 * against everything that was answered with 2xx before. It asks only over HTTP, as any client would.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { start } from '../../system/cli/fettle.ts'
import { type Caller, logIn, send } from './kit.ts'

const jobs = '/dataCleaning/jobs'
const users = { FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' }
const ROWS = 1_500

/** What the service must be at, at least, after what it has answered. */
const WALK = [
  'created',
  'uploading',
  'uploaded',
  'ready',
  'matching',
  'matched',
  'aggregating',
  'aggregatingComplete',
  'jobMatchingComplete',
  'readyForEnriching',
  'enriching',
  'enriched',
  'enrichmentComplete',
]
const PHASES = ['uploading', 'matching', 'enriching'] as const
type Phase = (typeof PHASES)[number]

/** What was answered with 2xx about one job. */
interface Known {
  readonly id: string
  /** The furthest status an answer promises. */
  promised: string
}

/** What a sweep has done and found. */
export interface Swept {
  readonly kills: number
  readonly byPhase: Readonly<Record<Phase, number>>
  readonly answered: number
  /** One line for each answer that did not hold. */
  readonly lost: readonly string[]
}

/** A number from 0 up to, not including, `below`; the same row of numbers for the same seed. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const csv = `name,town\n${Array.from({ length: ROWS }, (_, n) => `${n % 3 === 0 ? 'ACME FORGINGS LIMITED' : `Nobody ${n} Ltd`},Leeds\n`).join('')}`

/** The real service, logged in at. */
export async function serveReal(folder: string) {
  const under = start(['serve', '--port', '0'], {
    cwd: folder,
    env: { ...users, FETTLE_DATA: join(folder, 'data'), FETTLE_REGISTER: '' },
  })
  const said = await under.seen(/listening on \S+/)
  const url = /listening on (\S+)/.exec(said)?.[1] ?? ''
  const caller = await logIn({ url, username: 'u', password: 'p' })
  return { ...under, url, caller }
}

const statusOf = async (caller: Caller, id: string): Promise<string> => {
  const { status, body } = await caller.call('GET', `${jobs}/${id}`)
  return status === 200 ? body.status : `answer ${status}`
}

/** Waits until a job is at this status or has passed it; throws for one that left the walk. */
async function pass(caller: Caller, id: string, wanted: string): Promise<void> {
  for (;;) {
    const status = await statusOf(caller, id)
    if (!WALK.includes(status)) throw new Error(`waited for ${wanted}, got ${status}`)
    if (WALK.indexOf(status) >= WALK.indexOf(wanted)) return
    await setTimeout(2)
  }
}

/** Kills so many times; `seed` makes the moments. */
export async function sweepService(folder: string, kills: number, seed: number): Promise<Swept> {
  const below = numbers(seed)
  const known: Known[] = []
  const byPhase = { uploading: 0, matching: 0, enriching: 0 }
  const keys = new Map<string, string | null>()
  const lost: string[] = []
  let answered = 0

  /** Notes the promise of a 2xx answer; a request that died with its service promises nothing. */
  const promise = async (job: Known, status: string, call: Promise<{ status: number }>): Promise<void> => {
    const reply = await call.catch(() => null)
    if (reply === null || reply.status > 299) return
    answered += 1
    job.promised = status
  }

  const create = async (caller: Caller, key: string): Promise<string | null> => {
    const reply = await caller.call('POST', jobs, { name: key }, { 'Idempotency-Key': key }).catch(() => null)
    if (reply?.status !== 200) return null
    answered += 1
    const before = keys.get(key)
    if (typeof before === 'string' && before !== reply.body.id) lost.push(`${key} was made twice: ${before}, ${reply.body.id}`)
    keys.set(key, reply.body.id)
    return reply.body.id
  }

  /** Every answer still holds; then everything half-done is carried on. */
  const judge = async (caller: Caller, isLast = false): Promise<void> => {
    for (const job of known) {
      const status = await statusOf(caller, job.id)
      const isHalf = status === 'uploadError' && WALK.indexOf(job.promised) < WALK.indexOf('uploaded')
      if (!isHalf && WALK.indexOf(status) < WALK.indexOf(job.promised))
        lost.push(`${job.id}: ${job.promised} was promised, it is ${status}`)
    }
    // Those that may have been in flight are sent again; at the end all are.
    for (const key of [...keys.keys()].slice(isLast ? 0 : -4)) await create(caller, key)
  }

  const bring = async (caller: Caller, job: Known, phase: Phase): Promise<void> => {
    if (!['uploaded', 'ready'].includes(job.promised) && WALK.indexOf(job.promised) < WALK.indexOf('matching')) {
      const upload = promise(job, 'uploaded', caller.upload(job.id, csv))
      if (phase === 'uploading') return
      await upload
    }
    if (WALK.indexOf(job.promised) < WALK.indexOf('matching')) {
      await promise(job, 'ready', caller.call('PUT', `${jobs}/${job.id}/mappings`, [{ mapping: 'name', value: '0' }]))
      await promise(job, 'matching', caller.call('POST', `${jobs}/${job.id}/submit`, {}))
    }
    if (phase === 'matching') return
    await caller.reach(job.id, 'jobMatchingComplete')
    await promise(job, 'readyForEnriching', caller.call('POST', `${jobs}/${job.id}/enrich`, {}))
  }

  for (let kill = 0; kill < kills; kill++) {
    const { child, caller } = await serveReal(folder)
    await judge(caller)
    const phase = PHASES[kill % PHASES.length] as Phase
    const id = await create(caller, `job-${kill}`)
    if (id === null) throw new Error('a service that was just started makes no job')
    const job: Known = { id, promised: 'created' }
    known.push(job)
    await bring(caller, job, phase)
    // Creates in flight: their answers, too, count.
    const flying = [1, 2, 3].map(n => {
      keys.set(`flying-${kill}/${n}`, null)
      return create(caller, `flying-${kill}/${n}`)
    })
    if (phase !== 'uploading') await pass(caller, id, phase)
    await setTimeout(below(phase === 'uploading' ? 30 : 120))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await Promise.all(flying)
    byPhase[phase] += 1
  }

  const last = await serveReal(folder)
  await judge(last.caller, true)
  for (const job of known) {
    const status = await statusOf(last.caller, job.id)
    if (WALK.indexOf(status) < WALK.indexOf('readyForEnriching')) {
      if (status !== 'uploaded' && status !== 'ready')
        job.promised = WALK.indexOf(status) < WALK.indexOf('matching') ? 'created' : status
      await bring(last.caller, job, 'enriching')
    }
    const { body } = await last.caller.reach(job.id, 'enrichmentComplete')
    if (body.jobSummary.totalRows !== ROWS) lost.push(`${job.id}: ${body.jobSummary.totalRows} rows of ${ROWS}`)
    const { filePath } = (await last.caller.call('GET', `${jobs}/${job.id}/enrichedFile`)).body
    const lines = String((await send(filePath)).body)
      .trim()
      .split('\n').length
    if (lines !== ROWS + 1) lost.push(`${job.id}: an enriched file of ${lines} lines`)
  }
  const names: string[] = []
  for (let page = 1; names.length === (page - 1) * 1_000; page++) {
    const { body } = await last.caller.call('GET', `${jobs}?pageSize=1000&page=${page}`)
    names.push(...body.map((job: { name: string }) => job.name))
    if (body.length === 0) break
  }
  if (new Set(names).size !== names.length) lost.push('a name stands for two jobs')
  expect(names.length).toBe(keys.size)
  last.child.kill('SIGTERM')
  expect((await last.ended).code).toBe(0)
  return { kills, byPhase, answered, lost }
}
