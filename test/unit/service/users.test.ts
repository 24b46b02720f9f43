/** The users of a data directory: who may do what, whose things are whose, and what a running service learns of a change. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { OPERATIONS, type Operation, ROLES, type Role, roleOf } from '../../../src/contract/index.ts'
import { FettleError } from '../../../src/errors.ts'
import { routePath } from '../../../src/service/http/route.ts'
import { addUser, listUsers, removeUser } from '../../../src/service/index.ts'
import { type Caller, HandClock, logIn, send, startService, temporaryFolder } from './kit.ts'

const jobs = '/dataCleaning/jobs'
const now = new Date(0)
const PASSWORD = 'correct horse battery'

const add = (dataDir: string, username: string, role: Role = 'operator', tenant?: string): Promise<void> =>
  addUser(dataDir, { username, password: PASSWORD, role, now, ...(tenant === undefined ? {} : { tenant }) })

const as = (service: { url: string }, username: string): Promise<Caller> =>
  logIn({ url: service.url, username, password: PASSWORD })

const refused = (work: Promise<unknown>): Promise<FettleError> =>
  work.then(
    () => expect.unreachable(),
    error => (FettleError.is(error) ? error : expect.unreachable(String(error))),
  )

test('every operation asks for its role: less is 403 for each of them, enough is anything else', async () => {
  const dataDir = await temporaryFolder()
  for (const role of ROLES) await add(dataDir, role, role)
  const service = await startService({ dataDir })
  let asked = 0
  for (const role of ROLES) {
    const { token } = await as(service, role)
    for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
      if (name === 'authenticate') continue
      const url = new URL(routePath(operation).replace(/:\w+/g, 'none'), service.url).href
      const { status, body } = await send(url, operation.method, undefined, { Authorization: `Bearer ${token}` })
      const may = ROLES.indexOf(role) >= ROLES.indexOf(roleOf(operation))
      expect([status === 403, name, role]).toEqual([!may, name, role])
      if (!may) expect(body).toEqual({ message: 'Access forbidden' })
      asked += 1
    }
  }
  expect(asked).toBe(3 * (Object.keys(OPERATIONS).length - 1))
})

test('users of one tenant share what is theirs, others do not know of it', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann')
  await add(dataDir, 'bob', 'reader', 'ann')
  await add(dataDir, 'eve')
  const service = await startService({ dataDir })
  const [ann, bob, eve] = [await as(service, 'ann'), await as(service, 'bob'), await as(service, 'eve')]
  const id = await ann.create()
  expect((await bob.call('GET', `${jobs}/${id}`)).status).toBe(200)
  expect((await bob.call('POST', `${jobs}/${id}/archive`, {})).status).toBe(403)
  expect((await eve.call('GET', `${jobs}/${id}`)).status).toBe(404)
  expect((await eve.call('GET', jobs)).body).toEqual([])
})

test('two users of one tenant are two people: what each has done, is assigned, and is allowed by others', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann', 'admin')
  await add(dataDir, 'bob', 'operator', 'ann')
  await add(dataDir, 'eve', 'admin')
  const service = await startService({ dataDir })
  const [ann, bob, eve] = [await as(service, 'ann'), await as(service, 'bob'), await as(service, 'eve')]
  const numberOf = async ({ call }: Caller): Promise<number> => (await call('GET', '/monitoring/user/details')).body[0].userId
  const numbers = { ann: await numberOf(ann), bob: await numberOf(bob), eve: await numberOf(eve) }
  expect(new Set(Object.values(numbers)).size).toBe(3)
  const { items } = (await ann.call('GET', '/access/users/active')).body
  expect(Object.fromEntries(items.map((user: { firstName: string; userId: number }) => [user.firstName, user.userId]))).toEqual(
    numbers,
  )

  const searches = '/compliance/kyc-protect/searches/businesses'
  const { body: search } = await bob.call('POST', searches, { name: 'Varnix Steel', threshold: 75, datasets: ['SAN'] })
  expect(search).toMatchObject({ createdBy: 'bob', createdById: numbers.bob, modifiedBy: 'bob', modifiedById: numbers.bob })
  const assign = async (caller: Caller, user: number) =>
    (await caller.call('PUT', searches, { items: [{ searchId: search.id, assignedToUserId: user }] })).body
  expect((await assign(ann, numbers.bob)).successful).toMatchObject([
    { assignedToUserId: numbers.bob, assignedUser: 'bob', createdBy: 'bob', modifiedBy: 'ann', modifiedById: numbers.ann },
  ])
  expect((await assign(bob, numbers.ann)).successful).toMatchObject([{ assignedUser: 'ann', modifiedBy: 'bob' }])
  expect((await assign(ann, numbers.eve)).failed).toHaveLength(1)
  const hit = (await ann.call('GET', `${searches}/${search.id}/hits`)).body.items[0].id
  const decided = await bob.call('PUT', `${searches}/${search.id}/hits/${hit}`, { decision: 'trueMatch' })
  expect(decided.body).toMatchObject({ modifiedBy: 'bob', modifiedById: numbers.bob })

  const job = (await bob.call('GET', `${jobs}/${await bob.create()}`)).body
  expect(job).toMatchObject({ owningUserId: numbers.bob, managingUserId: numbers.bob })
  expect((await ann.call('GET', `${jobs}?userId=${numbers.bob}`)).body).toHaveLength(1)
  expect((await ann.call('GET', `${jobs}?userId=${numbers.ann}`)).body).toEqual([])
  expect((await eve.call('GET', `${jobs}?userId=${numbers.bob}`)).body).toEqual([])
  expect((await bob.call('GET', '/companies/GB-X-01')).body.userId).toBe(numbers.bob)

  const portfolios = '/monitoring/portfolios'
  const { portfolioId } = (await eve.call('POST', portfolios, { name: 'Shared' })).body
  const share = (csUserId: number) =>
    eve.call('PATCH', `${portfolios}/${portfolioId}/sharingPermissions`, { userPermissions: [{ csUserId, permissions: 'View' }] })
  const shared = await share(numbers.bob)
  expect(shared.status, JSON.stringify(shared.body)).toBe(200)
  expect((await share(numbers.eve)).status).toBe(400)
  expect((await bob.call('GET', `${portfolios}/${portfolioId}`)).status).toBe(200)
  expect((await ann.call('GET', `${portfolios}/${portfolioId}`)).status).toBe(404)
})

test('a removed user is locked out of the running service; added again, old tokens stay void and the jobs are there', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann')
  const service = await startService({ dataDir })
  const [before, second] = [await as(service, 'ann'), await as(service, 'ann')]
  const id = await before.create()
  for (const caller of [before, second]) expect((await caller.call('GET', jobs)).status).toBe(200)

  await removeUser(dataDir, 'ann')
  for (const caller of [before, second]) expect((await caller.call('GET', jobs)).status).toBe(401)
  const login = { username: 'ann', password: PASSWORD }
  expect((await send(`${service.url}/authenticate`, 'POST', login)).status).toBe(401)

  await add(dataDir, 'ann')
  expect((await before.call('GET', jobs)).status).toBe(401)
  expect((await (await as(service, 'ann')).call('GET', `${jobs}/${id}`)).status).toBe(200)
})

test('the download links of a removed user end with the user, also when the name is added again', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann')
  await add(dataDir, 'bob', 'operator', 'ann')
  const service = await startService({ dataDir, limits: { reportBytes: 1 } })
  const linksOf = async ({ call }: Caller, job: string): Promise<string[]> => {
    const searches = '/compliance/kyc-protect/searches/businesses'
    const search = (await call('POST', searches, { name: 'Varnix Steel', threshold: 75, datasets: ['SAN'] })).body.id
    const hit = (await call('GET', `${searches}/${search}/hits`)).body.items[0].id
    return [
      (await call('GET', `${jobs}/${job}/enrichedFile`)).body.filePath,
      (await call('GET', `${searches}/${search}/hits/${hit}/download`)).body.downloadUrl,
      (await call('GET', '/companies/GB-X-01')).headers.get('location') ?? '',
    ]
  }
  const ann = await as(service, 'ann')
  const job = await ann.submitted('name\nAcme Ltd\n')
  await ann.reach(job, 'jobMatchingComplete')
  await ann.call('POST', `${jobs}/${job}/enrich`, {})
  await ann.reach(job, 'enrichmentComplete')
  const [anns, bobs] = [await linksOf(ann, job), await linksOf(await as(service, 'bob'), job)]
  const statuses = (links: string[]) => Promise.all(links.map(async link => (await send(link)).status))
  expect(await statuses([...anns, ...bobs])).toEqual([200, 200, 200, 200, 200, 200])
  await removeUser(dataDir, 'ann')
  expect(await statuses(anns)).toEqual([403, 403, 403])
  await add(dataDir, 'ann')
  expect(await statuses(anns)).toEqual([403, 403, 403])
  // A link is its holder's alone: another holder in it does not pass.
  const holder = new URL(bobs[0] ?? '').searchParams.get('holder') ?? ''
  expect(await statuses([(anns[0] ?? '').replace(/holder=[^&]+/, `holder=${holder}`)])).toEqual([403])
  expect(await statuses(bobs)).toEqual([200, 200, 200])
})

test('a user added while the service runs may log in at once; a token lives an hour', async () => {
  const dataDir = await temporaryFolder()
  const clock = new HandClock()
  const service = await startService({ dataDir, clock })
  expect(service.username).toBe('embedded')
  await add(dataDir, 'ann')
  const ann = await as(service, 'ann')
  clock.move(3_599_999)
  expect((await ann.call('GET', jobs)).status).toBe(200)
  clock.move(1)
  expect((await ann.call('GET', jobs)).status).toBe(401)
})

test('where there are users no login is made up; one that was given is an admin beside them', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann')
  const alone = await startService({ dataDir })
  expect([alone.username, alone.password]).toEqual(['', ''])
  await alone.close()
  const service = await startService({ dataDir, users: [{ username: 'root', password: 'p' }] })
  expect((await (await logIn(service)).call('POST', jobs, { name: 'j' })).status).toBe(200)
  expect((await (await as(service, 'ann')).call('GET', jobs)).body).toEqual([])
})

test('the file holds no password and is for its owner only', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann')
  const path = join(dataDir, 'accounts', 'accounts.json')
  expect(await readFile(path, 'utf8')).not.toContain(PASSWORD)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(dataDir, 'accounts'))).mode & 0o777).toBe(0o700)
})

test.each([
  ['a space in the name', { username: 'a b' }],
  ['no name', { username: '' }],
  ['a control character', { username: 'a\u0007' }],
  ['a name without end', { username: 'a'.repeat(101) }],
  ['a tenant that is none', { tenant: '' }],
  ['a short password', { password: '1234567' }],
  ['a password with a line end', { password: '12345678\n' }],
])('%s is refused', async (_, wrong) => {
  const dataDir = await temporaryFolder()
  const error = await refused(addUser(dataDir, { username: 'ann', password: PASSWORD, role: 'reader', now, ...wrong }))
  expect(error.code).toBe('FETTLE_USAGE')
  expect(error.message).not.toContain(PASSWORD)
  expect(listUsers(dataDir)).toEqual([])
})

test('six added side by side are all there; a name twice and a name unknown are refused', async () => {
  const dataDir = await temporaryFolder()
  const names = Array.from({ length: 6 }, (_, n) => `user${n}`)
  await Promise.all(names.map(name => add(dataDir, name)))
  expect(listUsers(dataDir).map(user => user.username)).toEqual(names.sort())
  expect((await refused(add(dataDir, 'user3'))).code).toBe('FETTLE_USAGE')
  expect((await refused(removeUser(dataDir, 'nobody'))).code).toBe('FETTLE_USAGE')
})

test('a damaged file rejects every login and prevents a start', async () => {
  const dataDir = await temporaryFolder()
  await add(dataDir, 'ann')
  const service = await startService({ dataDir })
  const ann = await as(service, 'ann')
  const path = join(dataDir, 'accounts', 'accounts.json')
  await writeFile(path, '{"version": 1, "accounts": [')
  await chmod(path, 0o600)
  expect((await ann.call('GET', jobs)).status).toBe(500)
  await service.close()
  expect((await refused(startService({ dataDir }))).code).toBe('FETTLE_SETTINGS')
})
