import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { Doubt } from '../../../src/model/requests.ts'
import {
  type Answer,
  clientOf,
  closedPort,
  cutReply,
  errorOf,
  fault,
  JOBS,
  job,
  page,
  reset,
  serveScript,
  silence,
} from './kit.ts'

const CREATE = `POST ${JOBS}`
const SUBMIT = `POST ${JOBS}/7/submit`
const ENRICH = `POST ${JOBS}/7/enrich`

/** A look that gives these answers in turn. */
function lookOf<T>(...answers: (T | undefined | Error)[]) {
  const state: { asked: number; doubt?: Doubt } = { asked: 0 }
  const look = async (doubt: Doubt): Promise<T | undefined> => {
    state.doubt = doubt
    const answer = answers[Math.min(state.asked, answers.length - 1)]
    state.asked += 1
    if (answer instanceof Error) throw answer
    return answer
  }
  return { look, state }
}

const lossy: [string, Answer][] = [
  ['reset before the reply', reset],
  ['reset within the reply', cutReply],
  ['silence', silence],
  ['500', fault(500)],
  ['502', fault(502)],
  ['503', fault(503)],
  ['504', fault(504)],
  ['408', fault(408)],
  ['503 with a pause', fault(503, { 'retry-after': '3' })],
  ['an HTML page', page],
  ['an empty 200', { text: '' }],
  ['JSON cut short', { text: '{"id":"7","na' }],
  ['JSON of another shape', { json: [1] }],
]
const limits = { headersMs: 80, bodyMs: 80 }

describe('an effect whose answer was lost', () => {
  test.each(lossy)('%s: found, so adopted and not sent again', async (name, answer) => {
    const server = await serveScript({ [CREATE]: [answer] })
    const { look, state } = lookOf(job('7'))
    const effect = await clientOf(server, { limits }).createJob('run-1', { look, key: 'k' })
    expect(effect).toEqual({ value: job('7'), adopted: true })
    expect(state).toEqual({ asked: 1, doubt: name.startsWith('503') ? 'unavailable' : 'lost' })
    expect(server.of(CREATE)).toHaveLength(1)
  })

  test.each(lossy)('%s: not found, so sent again', async (_, answer) => {
    const server = await serveScript({ [CREATE]: [answer, { json: job('7') }] })
    const { look, state } = lookOf(undefined)
    const effect = await clientOf(server, { limits }).createJob('run-1', { look, key: 'k' })
    expect(effect).toEqual({ value: job('7'), adopted: false })
    expect(state.asked).toBe(1)
    expect(server.of(CREATE).map(one => one.headers['idempotency-key'])).toEqual(['k', 'k'])
  })

  test('the look comes after the wait, right before sending again', async () => {
    const server = await serveScript({ [SUBMIT]: [fault(500), { json: {} }] })
    const client = clientOf(server)
    let sleptBefore = 0
    const look = async () => {
      sleptBefore = client.clock.sleeps.length
      return undefined
    }
    await client.submit('7', { look, key: 'k' })
    expect(sleptBefore).toBe(1)
    expect(client.clock.sleeps).toEqual([500])
  })

  test('5xx without end, and certainly not happened: 75, looked at each time', async () => {
    const server = await serveScript({ [SUBMIT]: [fault(500)] })
    const { look, state } = lookOf<string | null>(undefined)
    const error = await errorOf(clientOf(server).submit('7', { look, key: 'k' }))
    expect(error).toMatchObject({
      code: 'FETTLE_UNAVAILABLE',
      exitCode: 75,
      unanswered: false,
      status: 500,
      correlationId: 'c-500',
    })
    expect(error.message).toContain('given up after 4 attempts')
    expect(server.of(SUBMIT)).toHaveLength(4)
    expect(state.asked).toBe(4)
  })

  test('it cannot be learned: unanswered, nothing is sent again', async () => {
    const server = await serveScript({ [ENRICH]: [reset] })
    const { look } = lookOf<null>(new FettleError('FETTLE_UNAVAILABLE', 'readJob: still down'))
    const error = await errorOf(clientOf(server).enrich('7', { look, key: 'k' }))
    expect(error).toMatchObject({ code: 'FETTLE_UNANSWERED', exitCode: 75, unanswered: true })
    expect(error.message).toContain('still down')
    expect(server.of(ENRICH)).toHaveLength(1)
  })

  test('reports a denied check as denied, so that no scheduler repeats a bad login', async () => {
    const server = await serveScript({ [ENRICH]: [reset] })
    const { look } = lookOf<null>(new FettleError('FETTLE_LOGIN'))
    expect(await errorOf(clientOf(server).enrich('7', { look, key: 'k' }))).toMatchObject({
      code: 'FETTLE_LOGIN',
      unanswered: true,
    })
  })

  test('nothing was sent: no look, sent again in place', async () => {
    const { look, state } = lookOf(job('7'))
    const error = await errorOf(clientOf({ url: await closedPort() }).createJob('run-1', { look, key: 'k' }))
    expect(error).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75, unanswered: false })
    expect(state.asked).toBe(0)
  })

  test('throttled: no look, it certainly did nothing', async () => {
    const server = await serveScript({ [SUBMIT]: [fault(429), { json: { messageId: 'm' } }] })
    const { look, state } = lookOf<string | null>('x')
    expect(await clientOf(server).submit('7', { look, key: 'k' })).toEqual({ value: 'm', adopted: false })
    expect(state.asked).toBe(0)
  })

  test('accepts null as the result of a check, but not undefined', async () => {
    const server = await serveScript({ [ENRICH]: [reset] })
    expect(await clientOf(server).enrich('7', { look: lookOf<null>(null).look, key: 'k' })).toEqual({
      value: null,
      adopted: true,
    })
  })
})

describe('an effect that was refused', () => {
  test.each([400, 409, 422])('%i on submit: already done is success, otherwise the refusal stands', async status => {
    const server = await serveScript({ [SUBMIT]: [fault(status)] })
    const done = await clientOf(server).submit('7', { look: lookOf<string | null>('m').look, key: 'k' })
    expect(done).toEqual({ value: 'm', adopted: true })
    const { look, state } = lookOf<string | null>(undefined)
    const error = await errorOf(clientOf(server).submit('7', { look, key: 'k' }))
    expect(error).toMatchObject({ code: 'FETTLE_REJECTED', exitCode: 76, status, correlationId: `c-${status}` })
    expect(state.doubt).toBe('refused')
    expect(error.message).toContain(`because of ${status}`)
    expect(server.of(SUBMIT)).toHaveLength(2)
  })

  test.each([400, 422])('%i on create is final: a name cannot be refused for being there', async status => {
    const server = await serveScript({ [CREATE]: [fault(status)] })
    const { look, state } = lookOf(job('7'))
    expect(await errorOf(clientOf(server).createJob('run-1', { look, key: 'k' }))).toMatchObject({
      code: 'FETTLE_REJECTED',
      status,
    })
    expect(state.asked).toBe(0)
  })

  test('409 on create is asked after', async () => {
    const server = await serveScript({ [CREATE]: [fault(409)] })
    expect((await clientOf(server).createJob('run-1', { look: lookOf(job('7')).look, key: 'k' })).adopted).toBe(true)
  })

  test('a refusal that cannot be asked after is unanswered', async () => {
    const server = await serveScript({ [SUBMIT]: [fault(409)] })
    const error = await errorOf(clientOf(server).submit('7', { look: lookOf<string>(new Error('no route')).look, key: 'k' }))
    expect(error).toMatchObject({ code: 'FETTLE_UNANSWERED', unanswered: true })
  })
})
