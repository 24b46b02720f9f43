/** What a refusal tells machines, and that looking sends nothing; the refusals themselves are in test/inputs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fettle, lastLine, project, ROWS } from './fettle.ts'
import { type Counting, counting } from './servers.ts'

let server: Counting
let env: Record<string, string>

beforeAll(async () => {
  server = await counting(() => ({ status: 500, body: {} }))
  env = { FETTLE_URL: server.url, FETTLE_USERNAME: 'tester', FETTLE_PASSWORD: 'canary-password' }
})

describe.concurrent('a command line that cannot be meant', () => {
  test('the result file and the line of --json contain it too', async () => {
    const cwd = project()
    for (const args of [['--dryrun'], ['--timeout', 'abc'], ['--service', '']]) {
      const ended = await fettle(['run', 'p.yml', '--json', '--result-file', 'r.json', ...args], { cwd, env })
      expect(ended.code).toBe(2)
      expect(lastLine(ended)).toMatchObject({ schema: 'fettle/result/v1', status: 'error', exitCode: 2, totals: null })
      expect(ended.stdout.split('\n')).toHaveLength(2)
      expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(ended.stdout)
    }
  })

  test('a result file that is an output too', async () => {
    const ended = await fettle(['run', 'p.yml', '--output', 'o.csv', '--result-file', 'o.csv'], { cwd: project(), env })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('--result-file and p.yml both have the output o.csv')
  })
})

describe.concurrent('looking sends nothing', () => {
  test('check, check --explain and --dry-run print the same plan, and no more', async () => {
    const cwd = project()
    const checked = await fettle(['check', 'p.yml'], { cwd, env })
    expect(checked).toMatchObject({ code: 0, stderr: '' })
    expect(checked.stdout).toMatch(/^ok p\.yml: 5 rows of rows\.csv/)
    const explained = await fettle(['check', 'p.yml', '--explain'], { cwd, env })
    expect(explained.stdout).toContain(server.url)
    expect(await fettle(['run', 'p.yml', '--dry-run'], { cwd, env })).toEqual(explained)
    const json = await fettle(['check', 'p.yml', '--json'], { cwd, env })
    expect(lastLine(json)).toMatchObject({ schema: 'fettle/check/v1', ok: true, exitCode: 0, plan: { name: 'p', rows: 5 } })
    expect(json.stdout).not.toContain('canary')
    expect(server.connections).toBe(0)
    expect(readdirSync(cwd).sort()).toEqual(['p.yml', 'rows.csv'])
  })

  test('a plan with problems has the code of run', async () => {
    const cwd = project(undefined, { 'rows.csv': ROWS.replace('Reg No', 'Number') })
    writeFileSync(join(cwd, 'bad.yml'), 'name: bad\n')
    for (const args of [['run', '--dry-run'], ['check']])
      expect((await fettle([...args, 'p.yml', 'bad.yml'], { cwd, env })).code).toBe(2)
    expect((await fettle(['run', '--dry-run', 'p.yml'], { cwd, env })).code).toBe(65)
  })
})
