/** Faults below HTTP, seen by a raw socket, in front of a real service. */
import { expect, test } from 'vitest'
import type { FaultEffectInput } from '../../../src/testing/index.ts'
import { ask, bodyOf, create, type Faulty, faulty, isClosing, JOBS, newName, statusOf } from './kit.ts'

/** How many jobs of this name the service has. */
async function jobsCalled(name: string, { service, token }: Faulty): Promise<number> {
  const reply = await fetch(`${service.url}${JOBS}?jobName=${name}`, { headers: { authorization: `Bearer ${token}` } })
  return ((await reply.json()) as { name: string }[]).filter(job => job.name === name).length
}

/** Plans a fault for the next create and carries it out. */
async function createWith(effect: FaultEffectInput) {
  const one = await faulty()
  const armed = one.server.arm([{ operation: 'createJob', effect }])
  const name = newName()
  const heard = await ask(one.server, { ...create(name), token: one.token })
  return { ...one, armed, heard, made: await jobsCalled(name, one) }
}

test('without a fault, requests and answers pass unchanged, and connections stay open', async () => {
  const one = await faulty()
  const heard = await ask(one.server, { ...create('plain'), token: one.token })
  expect([statusOf(heard), JSON.parse(bodyOf(heard)).name, heard.ending]).toEqual([200, 'plain', 'open'])
  expect(await jobsCalled('plain', one)).toBe(1)
  expect([one.server.effects('plain').creates, one.server.pending()]).toEqual([1, 0])
})

test.each([false, true])('status, with carriedOut: %s', async carriedOut => {
  const effect = { kind: 'status', status: 503, headers: { 'Retry-After': '7' }, carriedOut } as const
  const { heard, made, armed, server } = await createWith(effect)
  expect([statusOf(heard), /retry-after: 7/i.test(heard.text)]).toEqual([503, true])
  expect([made, armed.unconsumed()]).toEqual([carriedOut ? 1 : 0, []])
  expect(server.requests[0]).toMatchObject({ status: carriedOut ? 200 : null, given: 503, effect: 'status' })
})

test.each<[FaultEffectInput, number, number]>([
  [{ kind: 'reset', at: 'arrival' }, 0, 0],
  [{ kind: 'reset', at: 'arrival', carriedOut: true }, 1, 0],
  [{ kind: 'reset', at: 'requestBody' }, 0, 0],
  [{ kind: 'reset', at: 'reply' }, 0, 0],
  [{ kind: 'reset', at: 'reply', carriedOut: true }, 1, 0],
  [{ kind: 'reset', at: 'replyBody' }, 1, 0.5],
  [{ kind: 'reset', at: 'replyBody', share: 0.9 }, 1, 0.9],
  [{ kind: 'reset', at: 'replyBody', carriedOut: false }, 0, 0.5],
])('%j', async (effect, jobs, share) => {
  const { heard, made, armed, server } = await createWith(effect)
  expect([heard.ending, made, armed.unconsumed()]).toEqual(['ECONNRESET', jobs, []])
  const announced = Number(/content-length: (\d+)/i.exec(heard.text)?.[1] ?? 0)
  expect(bodyOf(heard).length).toBe(Math.floor(announced * share))
  expect(share === 0 ? heard.text : statusOf(heard)).toBe(share === 0 ? '' : 200)
  expect(server.pending()).toBe(0)
})

test.each<[FaultEffectInput, number]>([
  [{ kind: 'stall', at: 'reply' }, 0],
  [{ kind: 'stall', at: 'reply', carriedOut: true }, 1],
  [{ kind: 'stall', at: 'replyBody' }, 1],
  [{ kind: 'stall', at: 'replyBody', carriedOut: false }, 0],
])('%j lasts until the client leaves', async (effect, jobs) => {
  const { server, token } = await faulty()
  const armed = server.arm([{ operation: 'createJob', effect }])
  const leaving = new AbortController()
  let isComing = false
  const onText = (): void => {
    isComing = true
  }
  const asked = ask(server, { ...create(), token, signal: leaving.signal, onText })
  await expect.poll(() => armed.unconsumed().length).toBe(0)
  expect([server.pending(), server.effects().creates]).toEqual([1, jobs])
  const isHalf = effect.kind === 'stall' && effect.at === 'replyBody'
  await expect.poll(() => isComing).toBe(isHalf)
  leaving.abort()
  const heard = await asked
  expect([heard.ending, heard.text !== '']).toEqual(['left', isHalf])
  await expect.poll(() => server.pending()).toBe(0)
})

test('drip sends the whole reply in pieces', async () => {
  const begun = performance.now()
  const { heard, armed } = await createWith({ kind: 'drip', bytes: 40, everyMs: 5 })
  expect(Object.keys(JSON.parse(bodyOf(heard)))).toContain('name')
  expect(performance.now() - begun).toBeGreaterThan((bodyOf(heard).length / 40 - 1) * 5 * 0.8)
  expect(armed.unconsumed()).toEqual([])
})

test.each<['length' | 'chunked' | 'close', RegExp]>([
  ['length', /content-length: \d+\r/i],
  ['chunked', /transfer-encoding: chunked\r/i],
  ['close', /^(?!.*(?:content-length|transfer-encoding))/is],
])('truncate by %s', async (framing, head) => {
  const one = await faulty()
  const whole = bodyOf(await ask(one.server, { ...create(), token: one.token })).length
  const { heard, made, armed } = await createWith({ kind: 'truncate', framing, keep: 0.25 })
  expect([statusOf(heard), heard.ending, isClosing(heard)]).toEqual([200, 'end', framing === 'close'])
  expect(heard.text).toMatch(head)
  const body = framing === 'chunked' ? bodyOf(heard).split('\r\n')[1] : bodyOf(heard)
  expect(Math.abs((body?.length ?? 0) - whole * 0.25)).toBeLessThan(2)
  expect(heard.text).not.toContain('\r\n0\r\n')
  expect([made, armed.unconsumed()]).toEqual([1, []])
})
