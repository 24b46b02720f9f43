/** Two tenants may use the same guid: each has a tree of their own, and sees only the decisions made by it. */
import { expect, onTestFinished, test } from 'vitest'
import { start } from '../../../../src/service/server.ts'
import { engine } from '../engine.ts'
import { HandClock, logIn, temporaryFolder } from '../kit.ts'
import { treeBody } from '../tenant-world.ts'

test('the trees of one guid of two tenants are two', async () => {
  const users = ['ann', 'bob'].map(username => ({ username, password: 'correct horse battery' }))
  const service = await start({ dataDir: await temporaryFolder(), users, clock: new HandClock() }, engine, [])
  onTestFinished(() => service.close())
  const [ann, bob] = await Promise.all(users.map(user => logIn({ url: service.url, ...user })))
  const path = '/decisionEngine/instance/one'
  expect((await ann!.call('PUT', path, treeBody('one'))).body.version).toBe(1)
  const other = { ...treeBody('one'), decisionTreeName: 'of bob' }
  expect((await bob!.call('PUT', path, other)).body.version).toBe(1)
  expect((await ann!.call('GET', path)).body.decisionTreeName).toBe('Limits')
  await bob!.call('POST', '/decisionEngine/one?companyId=GB-X-01', { amount: 1 })
  const count = async (caller: typeof ann) => (await caller!.call('GET', '/decisionEngine/usageLog')).body.totalCount
  expect([await count(ann), await count(bob)]).toEqual([0, 1])
})
