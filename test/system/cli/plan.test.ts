/** `fettle plan`: rows, cost and changes against the last good run; and that it sends nothing. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fettle, folderOf, importRegister, lastLine, pipelineOf, ROWS } from './fettle.ts'
import { CREDENTIALS, counting, realService } from './servers.ts'

beforeAll(importRegister)

describe.concurrent('plan', () => {
  test('rows, different rows, jobs, requests and credits, and nothing is written', async () => {
    const cwd = folderOf({
      'rows.csv': `${ROWS}Acme Forgings Ltd,01234567,GB\n`,
      'p.yml': pipelineOf('p', 'output: out/p.csv\njob: {split: 4}'),
    })
    const { code, stdout } = await fettle(['plan', 'p.yml'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('rows      6, 5 different on the mapped cells')
    expect(stdout).toContain('sent      6 in 2 jobs; job.collapse: true would send 5')
    expect(stdout).toContain('6 at most (basic')
    expect(stdout).toContain('no earlier good run of this pipeline')
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
  })

  test('the requests it names are those a run makes, but for looking', async () => {
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p'), 'q.yml': pipelineOf('q', '') })
    for (const name of ['p', 'q']) {
      const told = lastLine(await fettle(['plan', `${name}.yml`, '--json'], { cwd })).plan as { requests: number }
      const ran = lastLine(await fettle(['run', `${name}.yml`, '--json'], { cwd }))
      const { results } = JSON.parse((await fettle(['report', String(ran.runId), '--format', 'json'], { cwd })).stdout)
      const looks = results[0].jobs[0].history.length
      expect(results[0].http.requests).toBeGreaterThanOrEqual(told.requests)
      expect(results[0].http.requests - told.requests).toBeLessThanOrEqual(looks + 6)
    }
  })

  test('a list that run refuses ends plan and check with its code, both figures and the command that accepts it', async () => {
    const rows = (count: number): string => `Company Name,Reg No,Country\n${'Acme Forgings Ltd,01234567,GB\n'.repeat(count)}`
    const cwd = folderOf({ 'rows.csv': rows(40), 'p.yml': pipelineOf('p') })
    await fettle(['run', 'p.yml', '-q'], { cwd })
    writeFileSync(join(cwd, 'rows.csv'), rows(19))
    for (const command of ['check', 'plan']) {
      const { code, stderr } = await fettle([command, 'p.yml'], { cwd })
      expect(code, command).toBe(65)
      expect(stderr).toContain('the list has 19 rows, and had 40 in the last good run')
      expect(stderr).toContain('fettle run --accept-list p.yml')
    }
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(65)
    expect((await fettle(['run', 'p.yml', '-q', '--accept-list'], { cwd })).code).toBe(0)
    for (const command of ['check', 'plan']) expect((await fettle([command, 'p.yml'], { cwd })).code, command).toBe(0)
  })

  test('changes since the last good run, and the credits it reported', async () => {
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p') })
    await fettle(['run', 'p.yml', '-q'], { cwd })
    expect((await fettle(['plan', 'p.yml'], { cwd })).stdout).toMatch(/against {3}\S+-p-\S+ of [\d: -]+ UTC: nothing changed\n$/)
    writeFileSync(
      join(cwd, 'rows.csv'),
      `${ROWS.replace('Country', 'Country,Town').replace(/(?<=\n.+)$/gm, ',x')}New Ltd,1,GB,y\n`,
    )
    writeFileSync(
      join(cwd, 'p.yml'),
      pipelineOf('p', 'output: out/p.csv\nbudget: {credits: 3}').replace('orgNumber: Reg No, ', 'town: Town, '),
    )
    const { stdout } = await fettle(['plan', 'p.yml'], { cwd })
    for (const line of [
      '~ rows: 5 -> 6',
      '+ column: "Town"',
      '- mappings.orgNumber: "Reg No"',
      '+ mappings.town: "Town"',
      '~ input changed',
    ])
      expect(stdout).toContain(`    ${line}\n`)
    expect(stdout).toMatch(
      /6 at most \(basic, .*\), about 5 by the last good run; exceeds budget\.credits 3: nothing would be enriched/,
    )
    const { plan } = lastLine(await fettle(['plan', 'p.yml', '--json'], { cwd })) as {
      plan: { credits: object; against: { changes: object[] } }
    }
    expect(plan.credits).toEqual({ most: 6, expected: 5, budget: 3 })
    expect(plan.against.changes).toContainEqual({ what: 'rows', was: '5', is: '6' })
  })

  test('a key to refresh that no row has is named, and one that a row has is not', async () => {
    const keyed = `input: {path: rows.csv, key: Company Name}
reuse: {matched: 30d, unmatched: 30d, review: 30d}
output: out/p.csv`
    const env = { ...CREDENTIALS, FETTLE_URL: (await realService()).url }
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', keyed).replace('input: rows.csv\n', '') })
    const keys = ['--refresh-key', ROWS.split('\n')[1]!.split(',')[0]!, '--refresh-key', 'nope']
    const issue = expect.objectContaining({ code: 'FETTLE_REFRESH_KEY', severity: 'warn' })
    for (const given of [keys, ['--refresh-key', 'nope']]) {
      const planned = await fettle(['plan', 'p.yml', ...given], { cwd, env })
      expect([planned.code, planned.stderr]).toEqual([
        0,
        expect.stringContaining('no row has the key "nope", which was to be asked again'),
      ])
      expect(lastLine(await fettle(['plan', 'p.yml', '--json', ...given], { cwd, env }))).toMatchObject({
        exitCode: 0,
        issues: expect.arrayContaining([issue]),
        plan: { reuse: { asked: 5 } },
      })
      const ran = await fettle(['run', 'p.yml', '--new', '--json', ...given], { cwd, env })
      expect([ran.code, lastLine(ran)]).toMatchObject([0, { status: 'warn' }])
      const report = await fettle(['report', String(lastLine(ran).runId), '--format', 'json'], { cwd, env })
      expect(JSON.parse(report.stdout).results[0].issues).toContainEqual(issue)
    }
    const planned = lastLine(await fettle(['plan', 'p.yml', '--json', ...keys.slice(0, 2)], { cwd, env }))
    expect(planned.issues).not.toContainEqual(issue)
  })

  test('an unfinished run of the same plan is the one that run would resume', async () => {
    const service = await counting(() => null)
    const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', 'output: out/p.csv\nretry: {attempts: 1}') })
    const ended = await fettle(['run', 'p.yml', '--service', service.url, '--json'], { cwd, env: CREDENTIALS })
    expect(ended.code).toBe(75)
    const before = service.requests.length
    const { plan } = lastLine(await fettle(['plan', 'p.yml', '--service', service.url, '--json'], { cwd })) as {
      plan: { unfinished: string }
    }
    expect(plan.unfinished).toBe(lastLine(ended).runId)
    expect(service.requests.length).toBe(before)
  })

  test('a pipeline that cannot be is refused as check refuses it', async () => {
    const cwd = folderOf({ 'p.yml': pipelineOf('p') })
    const ended = await fettle(['plan', 'p.yml', '--json'], { cwd })
    expect([ended.code, lastLine(ended).ok, lastLine(ended).plan]).toEqual([65, false, null])
  })
})
