/** `fettle serve users` and `fettle serve backup`: passwords that are seen nowhere, changes that hold at once, a backup that restores. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { logIn, send } from '../../unit/service/kit.ts'
import { canariesBelow } from '../security/canary.ts'
import { atEnd, fettle, folderOf, importRegister, lastLine, STACK, start } from './fettle.ts'

beforeAll(importRegister)

const PASSWORD = 'correct horse battery'
const users = (cwd: string, args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}) =>
  fettle(['serve', 'users', ...args, '--data-dir', 'state'], { cwd, input, env })

async function serving(cwd: string, ...args: readonly string[]) {
  const under = start(['serve', '--port', '0', '--data-dir', 'state', ...args], { cwd })
  atEnd(() => under.child.kill('SIGKILL'))
  const said = await under.seen(/Ctrl-C stops it\./)
  return { ...under, said, url: /^listening on (\S+)$/m.exec(said)?.[1] ?? '' }
}

test('added, listed, logged in, removed: while the service runs, and the password stands nowhere', async () => {
  const cwd = folderOf()
  expect((await users(cwd, ['add', 'ann'], `${PASSWORD}\n`)).code).toBe(0)
  const service = await serving(cwd)
  expect(service.said).toContain('FETTLE_USERNAME=… FETTLE_PASSWORD=…')
  expect((await users(cwd, ['add', 'bob', '--role', 'reader', '--tenant', 'ann'], '', { FETTLE_PASSWORD: PASSWORD })).code).toBe(
    0,
  )
  const listed = await users(cwd, ['list', '--json'])
  expect(lastLine(listed)).toEqual({
    schema: 'fettle/users/v1',
    users: [
      { username: 'ann', role: 'operator', tenant: 'ann', createdAt: expect.any(String) },
      { username: 'bob', role: 'reader', tenant: 'ann', createdAt: expect.any(String) },
    ],
  })
  expect((await users(cwd, ['list'])).stdout).toMatch(/^ann +operator +ann .*\nbob +reader +ann .*\n$/)

  const login = { url: service.url, password: PASSWORD }
  const [ann, bob] = [await logIn({ ...login, username: 'ann' }), await logIn({ ...login, username: 'bob' })]
  const id = await ann.create()
  expect((await bob.call('GET', `/dataCleaning/jobs/${id}`)).status).toBe(200)
  expect((await bob.call('POST', '/dataCleaning/jobs', { name: 'j' })).status).toBe(403)
  expect((await users(cwd, ['remove', 'ann'])).code).toBe(0)
  expect((await ann.call('GET', '/dataCleaning/jobs')).status).toBe(401)
  service.child.kill('SIGTERM')
  const { code, stdout, stderr } = await service.ended
  expect([code, `${stdout}${stderr}`.includes(PASSWORD)]).toEqual([0, false])
  expect(canariesBelow(join(cwd, 'state')).hits).toEqual([])
})

test.each([
  ['nothing to do', [], '', 'the action is missing'],
  ['something unknown', ['rename'], '', 'serve users rename'],
  ['no name', ['add'], '', '<name> is missing'],
  ['no password', ['add', 'eve'], '', 'nothing was read'],
  ['a short password', ['add', 'eve'], 'short\n', '8 to 256 characters'],
  ['an unknown role', ['add', 'eve', '--role', 'king'], 'long enough\n', 'king'],
  ['a name with a space', ['add', 'a b'], 'long enough\n', 'without spaces'],
  ['an unknown user', ['remove', 'eve'], '', 'no such user'],
] as const)('%s is refused', async (_, args, input, says) => {
  const cwd = folderOf()
  const { code, stdout, stderr } = await users(cwd, args, input)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(says)
  expect(stderr).not.toMatch(STACK)
  expect(stderr).not.toContain('long enough')
})

test('a backup of the running service; it is killed, and what was answered before is in what is restored', async () => {
  const cwd = folderOf()
  await users(cwd, ['add', 'ann'], PASSWORD)
  const service = await serving(cwd, '--keep-uploads', '30')
  const ann = await logIn({ url: service.url, username: 'ann', password: PASSWORD })
  const id = await ann.create('kept')
  expect((await ann.upload(id, 'name\nAcme Forgings Ltd\n')).status).toBe(200)
  const made = await fettle(['serve', 'backup', 'all.tar.gz', '--data-dir', 'state', '--json'], { cwd })
  expect(lastLine(made)).toMatchObject({
    schema: 'fettle/backup/v1',
    online: true,
    bytes: statSync(join(cwd, 'all.tar.gz')).size,
  })
  service.child.kill('SIGKILL')
  await service.ended

  const restored = folderOf()
  mkdirSync(join(restored, 'state'))
  execFileSync('tar', ['-xf', join(cwd, 'all.tar.gz'), '-C', join(restored, 'state')])
  const again = await serving(restored)
  const there = await logIn({ url: again.url, username: 'ann', password: PASSWORD })
  expect((await there.call('GET', `/dataCleaning/jobs/${id}`)).body).toMatchObject({ name: 'kept', status: 'uploaded' })
  await there.call('PUT', `/dataCleaning/jobs/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
  await there.call('POST', `/dataCleaning/jobs/${id}/submit`, {})
  expect((await there.reach(id, 'jobMatchingComplete')).body.jobSummary).toMatchObject({ totalRows: 1 })
})

test('a folder without a service is reported; --reconcile answers OpenRefine, on this machine only', async () => {
  const cwd = folderOf()
  const none = await fettle(['serve', 'backup', 'x.tar', '--data-dir', 'nothing'], { cwd })
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--data-dir')])
  const open = await fettle(['serve', '--host', '0.0.0.0', '--reconcile'], {
    cwd,
    env: { FETTLE_USERNAME: 'a', FETTLE_PASSWORD: 'b' },
  })
  expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('ssh -L')])
  const service = await serving(cwd, '--reconcile')
  const [, address = ''] = /^OpenRefine: add the standard service (\S+)$/m.exec(service.said) ?? []
  expect((await send(address)).body.versions).toEqual(['0.2'])
})
