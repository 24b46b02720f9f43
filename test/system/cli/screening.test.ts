/** `fettle screening` as its user types it: lists come in, are shown, go again, and are what a served search looks in. */
import { existsSync, readFileSync } from 'node:fs'
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
    const more = folderOf({ 'Our List.csv': `${LIST.replace('Seafoods', 'Foods')}Orvance,company,SAN\n` })
    const changed = await fettle(['screening', 'import', 'csv', join(more, 'Our List.csv')], { cwd, env })
    expect(changed.stdout).toContain('\n  changes   1 new, 1 changed, 0 gone since the import before\n')
    expect((await fettle(['screening', 'remove', 'other'], { cwd, env })).code).toBe(0)
    expect(existsSync(join(cwd, 'data/screening/other'))).toBe(false)
  })

  test.each([
    [['import', 'csv', 'none.csv'], 65, 'none.csv'],
    [['import', 'uk', 'list.csv'], 65, 'Unique ID'],
    [['import', 'interpol', 'list.csv'], 2, 'opensanctions, ofac, un, uk, csv'],
    [['import', 'csv', 'list.csv', '--datasets', 'NONE'], 2, 'NONE'],
    [['import', 'uk', 'list.csv', '--datasets', 'PEP'], 2, 'sanctions only'],
    [['import', 'csv', 'list.csv', '--name', 'No Name'], 2, 'cannot name a list'],
    [['info', 'none'], 2, 'none'],
    [['remove', 'none'], 2, 'none'],
    [['import'], 2, '<kind-or-name> and <file> are missing: fettle screening'],
  ] as const)('%j is refused', async (args, code, says) => {
    const cwd = folderOf({ 'list.csv': LIST })
    const ended = await fettle(['screening', ...args], { cwd, env: { FETTLE_DATA: join(cwd, 'data') } })
    expect(ended.stderr).toContain(says)
    expect(ended.stderr).not.toMatch(STACK)
    expect([ended.code, ended.stdout]).toEqual([code, ''])
  })

  test('are verified: every listed name is found, and what is not, or alerts of innocents, ends with 1', async () => {
    const cwd = folderOf({
      'list.csv': LIST,
      'odd.csv': 'name,type,datasets\n!!!,company,SAN\n',
      'innocents.csv': 'Company,Country\nPrindane Seafood,GB\nLumora Foods,GB\n',
      'customers.csv': 'id,name,country\n1,Lumora Foods,GB\n',
    })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    const verify = (...args: string[]) => fettle(['screening', 'verify', ...args], { cwd, env })
    expect(await verify()).toMatchObject({ code: 2, stderr: expect.stringContaining('fettle screening import opensanctions') })
    await fettle(['screening', 'import', 'csv', 'list.csv'], { cwd, env })
    await fettle(['register', 'import', 'csv', 'customers.csv'], { cwd, env })
    const good = await verify('--innocents', 'customers', '--fail', 'alerts > 0', '--fail', 'recall.unchanged < 100%')
    expect(good).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('alerts of register customers, organisations: 0 of 1,000'),
    })
    const alerts = await verify('--innocents', 'innocents.csv', '--fail', 'alerts > 3', '--html', 'proof.html', '--json')
    expect(alerts.code).toBe(1)
    expect(JSON.parse(alerts.stdout)).toMatchObject({
      schema: 'fettle/screening-verify/v1',
      ok: false,
      innocents: [{ source: 'innocents.csv', asked: 2, found: 1, alerts: [{ name: 'Prindane Seafood' }] }],
      checks: [{ text: 'alerts > 3', measured: '500 of 1,000 (1 of 2)', success: false }],
    })
    expect(readFileSync(join(cwd, 'proof.html'), 'utf8')).toContain('Prindane Seafood')
    await fettle(['screening', 'import', 'csv', 'odd.csv'], { cwd, env })
    expect(await verify('-q')).toMatchObject({ code: 1, stdout: expect.stringContaining('!!! (odd row-1) as !!!: not found') })
    for (const [args, says] of [
      [['ours'], 'verify searches all imported lists'],
      [['--fail', 'recall.unchangd < 1%'], 'did you mean recall.unchanged?'],
      [['--fail', 'alerts > 3'], 'Pass --innocents or --innocent-persons'],
      [['--threshold', '86'], 'thresholds are 75, 80, 85, 90, 95, 100'],
      [['--sample', '0'], 'a whole number from 1'],
      [['--innocents', 'none.csv'], 'none.csv'],
      [['--innocents', 'none'], 'none'],
      [['--html', 'list.csv'], 'refusing to overwrite it'],
    ] as const) {
      const ended = await verify(...args)
      expect(ended.stderr).toContain(says)
      expect(ended.stdout).toBe('')
      expect(ended.code).not.toBe(0)
    }
    expect(await fettle(['screening', 'list', '--fail', 'alerts > 3'], { cwd, env })).toMatchObject({ code: 2 })
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
