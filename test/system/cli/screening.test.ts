/** `fettle screening` as its user types it: lists come in, are shown, go again, and are what a served search looks in. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fettle, folderOf, STACK, start } from './fettle.ts'

const LIST = 'name,type,datasets\nPrindane Seafoods,company,SAN\nZalmir Quorvath,person,PEP\n,person,PEP\n'

describe.concurrent('screening lists', () => {
  test('are imported, listed, shown and removed', async () => {
    const cwd = folderOf({ 'Our List.csv': LIST })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    expect(await fettle(['screening', 'list'], { cwd, env })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('fettle screening import opensanctions FILE'),
    })
    const imported = await fettle(['screening', 'import', 'csv', 'Our List.csv'], { cwd, env })
    expect(imported.stdout).toMatch(/^our-list: 2 entries, 1 of them persons \(SAN 1, SAN-CURRENT 1, PEP 1\)/)
    expect(imported.stderr).toContain('skipped line 4: no name')
    const again = await fettle(
      ['screening', 'import', 'csv', 'Our List.csv', '--name', 'other', '--datasets', 'san,poi', '--json'],
      { cwd, env },
    )
    expect(JSON.parse(again.stdout)).toMatchObject({ name: 'other', entries: 2, skipped: 1, source: 'Our List.csv' })
    const list = JSON.parse((await fettle(['screening', 'list', '--json'], { cwd, env })).stdout)
    expect(list.map((one: { name: string }) => one.name)).toEqual(['other', 'our-list'])
    expect((await fettle(['screening', 'info', 'other'], { cwd, env })).stdout).toMatch(/^other: 2 entries/)
    expect((await fettle(['screening', 'remove', 'other'], { cwd, env })).code).toBe(0)
    expect(existsSync(join(cwd, 'data/screening/other'))).toBe(false)
  })

  test.each([
    [['import', 'csv', 'none.csv'], 65, 'none.csv'],
    [['import', 'uk', 'list.csv'], 65, 'Unique ID'],
    [['import', 'ofac', 'list.csv'], 2, 'opensanctions, uk, csv'],
    [['import', 'csv', 'list.csv', '--datasets', 'NONE'], 2, 'NONE'],
    [['import', 'uk', 'list.csv', '--datasets', 'PEP'], 2, 'sanctions only'],
    [['import', 'csv', 'list.csv', '--name', 'No Name'], 2, 'cannot name a list'],
    [['info', 'none'], 2, 'none'],
    [['remove', 'none'], 2, 'none'],
    [['import', 'csv'], 2, 'file is missing'],
  ] as const)('%j is refused', async (args, code, says) => {
    const cwd = folderOf({ 'list.csv': LIST })
    const ended = await fettle(['screening', ...args], { cwd, env: { FETTLE_DATA: join(cwd, 'data') } })
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).not.toMatch(STACK)
    expect([ended.code, ended.stdout]).toEqual([code, ''])
  })

  test('are searched by a service that is up already', async () => {
    const cwd = folderOf({ 'list.csv': LIST })
    const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_USERNAME: 'me', FETTLE_PASSWORD: 'secret' }
    const serving = start(['serve', '--port', '0', '--credits', '2'], { cwd, env })
    const told = await serving.seen(/Ctrl-C stops it\./)
    expect(told).toContain('FETTLE_SCREENING_SAMPLE')
    const [, url = ''] = /^listening on (\S+)$/m.exec(told) ?? []
    const post = async (path: string, body: object, token = '') => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: answer.status, body: (await answer.json()) as { token: string; totalHitCount: number } }
    }
    const { body: login } = await post('/authenticate', { username: 'me', password: 'secret' })
    const search = () =>
      post('/kyc-protect/searches/businesses', { name: 'Prindane Seafoods', threshold: 95, datasets: ['SAN'] }, login.token)
    // Of the sample it is another dataset.
    expect((await search()).body.totalHitCount).toBe(0)
    expect((await fettle(['screening', 'import', 'csv', 'list.csv'], { cwd, env })).code).toBe(0)
    expect((await search()).body.totalHitCount).toBe(1)
    expect((await search()).status).toBe(403)
    serving.child.kill('SIGTERM')
    expect((await serving.ended).code).toBe(0)
  })
})
