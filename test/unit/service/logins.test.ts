/** Logins under attack: who waits for whom, who is refused, and that a client far away is not shut out by what another one does. */
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { makeGate } from '../../../src/service/auth/gate.ts'
import { findClient, makeThrottle } from '../../../src/service/auth/throttle.ts'
import { addUser } from '../../../src/service/index.ts'
import { LIMITS } from '../../../src/service/limits.ts'
import { startService, temporaryFolder } from './kit.ts'
import { loginDesk, RIGHT } from './login-desk.ts'

const ATTACKER = '10.0.0.66'

/** A gate with this many places, and pieces of work that end in their order when they are allowed to. */
function gateOf(waiting: number, laneWaiting: number) {
  const order: string[] = []
  const refused: string[] = []
  const gate = makeGate({ atOnce: 1, waiting, laneWaiting, refusal: () => new Error('full') })
  const ends: (() => void)[] = []
  const all: Promise<void>[] = []
  return {
    order,
    refused,
    enter(lane: string, name = lane): void {
      const work = (): Promise<void> => {
        order.push(name)
        return new Promise<void>(end => ends.push(end))
      }
      all.push(gate(lane, work).catch(() => void refused.push(name)))
    },
    async finish(): Promise<void> {
      for (let turn = 0; turn < 100; turn++) {
        ends.shift()?.()
        await new Promise(setImmediate)
      }
      await Promise.all(all)
    },
  }
}

test('lanes take turns, however long one of them is, and each keeps its order', async () => {
  const gate = gateOf(100, 100)
  for (let n = 0; n < 5; n++) gate.enter('a', `a${n}`)
  gate.enter('b', 'b0')
  gate.enter('c', 'c0')
  gate.enter('b', 'b1')
  await gate.finish()
  expect(gate.order).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4'])
})

test('a full lane refuses, and a full gate gives the last place of its longest lane to a lane that has none', async () => {
  const gate = gateOf(4, 3)
  for (let n = 0; n < 5; n++) gate.enter('a', `a${n}`)
  expect(await Promise.resolve(gate.refused)).toEqual([])
  gate.enter('b', 'b0')
  gate.enter('c', 'c0')
  gate.enter('d', 'd0')
  gate.enter('e', 'e0')
  await gate.finish()
  // a4 found its lane full; c0 and d0 took the places of a3 and a2; all lanes had one then, and e0 none.
  expect(gate.refused.sort()).toEqual(['a2', 'a3', 'a4', 'e0'])
  expect(gate.order).toEqual(['a0', 'a1', 'b0', 'c0', 'd0'])
})

test('work that throws gives its place back', async () => {
  const gate = makeGate({ atOnce: 1, waiting: 0, laneWaiting: 1, refusal: () => new Error('full') })
  await expect(gate('a', () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
  expect(await gate('a', async () => 5)).toBe(5)
})

test('a flood from one address leaves the next turn to a login from another address', async () => {
  const desk = loginDesk({ loginsAtOnce: 1 })
  for (let n = 0; n < 60; n++) await desk.send(`unknown${n}`, { from: ATTACKER })
  expect(desk.with(429)).toHaveLength(60 - 1 - LIMITS.clientLoginsWaiting)
  await desk.send('user', { from: '10.0.0.1', password: RIGHT })
  expect([await desk.next(), await desk.next()]).toEqual(['unknown0', 'unknown1'])
  expect(await desk.next()).toBe('user')
  expect(desk.with(200)).toEqual(['user'])
})

test('behind a shared address, a user who logged in before gets a separate lane, for the correct password only', async () => {
  const desk = loginDesk({ loginsAtOnce: 1 })
  await desk.send('user', { from: ATTACKER, password: RIGHT })
  await desk.next()
  for (let n = 0; n < 40; n++) await desk.send(`unknown${n}`, { from: ATTACKER })
  // With another password it is like any name: who guesses learns from no lane which names there are.
  await desk.send('user', { from: ATTACKER, password: 'guess' })
  expect(desk.with(429)).toContain('user')
  await desk.send('user', { from: ATTACKER, password: RIGHT })
  expect([await desk.next(), await desk.next(), await desk.next()]).toEqual(['unknown0', 'unknown1', 'user'])
  expect(desk.with(200)).toEqual(['user', 'user'])
})

test('ten thousand refused logins shut out neither another address nor another user of the same one, and end by themselves', () => {
  let now = 0
  const throttle = makeThrottle(LIMITS, () => now)
  const attempt = (username: string, address: string): number => {
    try {
      throttle.admit({ username, password: 'x' }, address)
      throttle.rejected({ username, password: 'x' }, address)
      return 401
    } catch (error) {
      return (error as { status: number }).status
    }
  }
  for (let n = 0; n < 10_206; n++) attempt(`name ${n % 700}`, ATTACKER)
  expect(attempt('name 1', ATTACKER)).toBe(429)
  const good = { username: 'ann', password: 'right' }
  expect(() => throttle.admit(good, ATTACKER)).not.toThrow()
  expect(() => throttle.admit({ ...good, username: 'name 1' }, '10.0.0.1')).not.toThrow()
  // What is answered 429 counts for nothing: the window ends when it was to end.
  now = LIMITS.sameLoginsMs - 1
  expect(attempt('name 1', ATTACKER)).toBe(429)
  now += 1
  expect(attempt('name 1', ATTACKER)).toBe(401)
})

test('a login that waits while equal ones are rejected is rejected without a password check', async () => {
  const desk = loginDesk({ loginsAtOnce: 1, badLogins: 2 })
  for (const password of ['1', '2', '3', '4', '5']) await desk.send('user', { password })
  await desk.next()
  await desk.next()
  expect([desk.with(401), desk.with(429), desk.atWork()]).toEqual([['user', 'user'], ['user', 'user', 'user'], []])
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s is the client %s', (address, client) => {
  expect(findClient(address)).toBe(client)
})

test('through the whole service: a login from another address is answered while bad ones run', async () => {
  const dataDir = await temporaryFolder()
  await addUser(dataDir, { username: 'ann', password: 'correct horse battery', role: 'operator', now: new Date(0) })
  const { url } = await startService({ dataDir })
  const login = (username: string, password: string, localAddress: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ username, password })
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
      const call = request(`${url}/authenticate`, { method: 'POST', localAddress, headers, agent: false }, reply => {
        reply.resume().on('end', () => resolve(reply.statusCode ?? 0))
      })
      call.on('error', reject).end(body)
    })
  const bad = Array.from({ length: 60 }, (_, n) => login(`unknown${n}`, 'wrong', '127.0.0.2'))
  expect(await login('ann', 'correct horse battery', '127.0.0.3')).toBe(200)
  const statuses = await Promise.all(bad)
  expect(statuses.every(status => status === 401 || status === 429)).toBe(true)
})
