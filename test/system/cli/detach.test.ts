/** `run --detach`, `status`, `collect`: what a scheduler does with a run nobody waits for. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { fettle, folderOf, importRegister, lastLine, pipelineOf, project, start } from './fettle.ts'
import { CREDENTIALS, realService, scripted } from './servers.ts'

beforeAll(importRegister, 120_000)

const ROWS = 'Company Name,Reg No,Country\nAcme Ltd,1,GB\nBolt Ltd,2,GB\nNobody,9,DE\n'
const place = (more?: string): string => folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', more) })
const DETACH = ['run', 'p.yml', '--detach', '--json', '--result-file', 'r.json', '-q']

describe.concurrent('a detached run', { timeout: 120_000 }, () => {
  test('ends after submit; status exits with 75 while the service works, then with 0, and collect returns the result', async () => {
    const service = await realService()
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const detached = await fettle(DETACH, { cwd, env })
    expect(detached).toMatchObject({ code: 0, stderr: '' })
    const { runId } = lastLine(detached)
    expect(lastLine(detached)).toMatchObject({ status: 'running', exitCode: 0, pipeline: 'p' })
    expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(detached.stdout)
    expect(existsSync(join(cwd, 'out/p.csv'))).toBe(false)

    const again = await fettle(DETACH, { cwd, env })
    expect(lastLine(again)).toMatchObject({ runId, exitCode: 0 })
    expect((await fettle(['status', String(runId), '--watch', '--timeout', '60s'], { cwd, env })).code).toBe(0)
    const collected = await fettle(['collect', String(runId), '--json', '--result-file', 'c.json', '-q'], { cwd, env })
    expect(collected.code, collected.stderr).toBe(0)
    expect(lastLine(collected)).toMatchObject({ runId, status: 'success', output: 'out/p.csv' })
    expect(readFileSync(join(cwd, 'c.json'), 'utf8')).toBe(collected.stdout)
    expect((await fettle(['status', String(runId), '--json'], { cwd, env })).code).toBe(0)
    expect(lastLine(await fettle(['collect', '--json', '-q'], { cwd, env }))).toMatchObject({ runId, status: 'success' })
    const creations = service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs')
    expect(creations.length).toBe(1)
  })

  test('is reported by status: 75, then 0, or 76; every request carries the trace', async () => {
    const statuses = { now: 'matching' }
    const service = await scripted(() => statuses.now)
    const cwd = place()
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
    const env = { ...CREDENTIALS, FETTLE_URL: service.url, TRACEPARENT: traceparent }
    expect((await fettle(DETACH, { cwd, env })).code).toBe(0)
    const waiting = await fettle(['status'], { cwd, env })
    expect(waiting.code).toBe(75)
    expect(waiting.stdout).toContain('job-1 is "matching"')
    expect(lastLine(await fettle(['status', '--json'], { cwd, env }))).toMatchObject({ status: 'running', exitCode: 75 })
    expect((await fettle(['status', '--watch', '--timeout', '1s', '--json'], { cwd, env })).code).toBe(75)
    const short = await fettle(['collect', '--timeout', '1s', '--json', '-q'], { cwd, env })
    expect(short.code).toBe(75)
    expect(lastLine(short)).toMatchObject({ status: 'error', exitCode: 75 })
    expect((await fettle(DETACH, { cwd, env })).code).toBe(0)
    const watched = start(['status', '--watch'], { cwd, env })
    await watched.seen(/"matching"/)
    statuses.now = 'jobMatchingComplete'
    expect((await watched.ended).code).toBe(0)
    statuses.now = 'matchingError'
    const failed = await fettle(['status'], { cwd, env })
    expect(failed).toMatchObject({ code: 76, stderr: '' })
    expect(new Set(service.traces)).toEqual(new Set([traceparent]))
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs').length).toBe(1)
  })

  test('whose list is kept is collected after the list was replaced', async () => {
    const cwd = folderOf({
      'rows.csv': ROWS,
      'p.yml': pipelineOf('p').replace('input: rows.csv', 'input: {path: rows.csv, keep: true}'),
    })
    expect((await fettle(['run', 'p.yml', '--detach', '-q'], { cwd })).code).toBe(0)
    writeFileSync(join(cwd, 'rows.csv'), 'Company Name,Reg No,Country\nOf The Next Night Ltd,7,GB\n')
    const collected = await fettle(['collect', 'p', '--json', '-q'], { cwd })
    expect(collected.code, collected.stderr).toBe(0)
    expect(lastLine(collected)).toMatchObject({ totals: { rows: 3 } })
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toContain('Acme Ltd')
  })

  test('of the embedded service is ready at once: the service resumes in the process that collects', async () => {
    const cwd = project()
    expect((await fettle(DETACH, { cwd })).code).toBe(0)
    const { stdout, code } = await fettle(['status'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/fettle collect \d{8}T/)
    expect(lastLine(await fettle(['collect', '--json', '-q'], { cwd }))).toMatchObject({ status: 'success', totals: { rows: 5 } })
  })

  test('is what its name means after a trial over a few rows, and is never submitted twice', async () => {
    const service = await realService()
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const { runId } = lastLine(await fettle(DETACH, { cwd, env }))
    const trial = await fettle(['run', 'p.yml', '--limit', '1', '--output', 'out/trial.csv', '--json', '-q'], { cwd, env })
    expect(trial.code, trial.stderr).toBe(0)

    const waiting = await fettle(['doctor', '--offline', '--json'], { cwd, env })
    expect(waiting.stdout).toContain(`1 unfinished: ${runId}`)
    expect(waiting.stdout).toContain(`fettle collect ${runId}`)
    // The retry of a task whose result was lost.
    expect(lastLine(await fettle(DETACH, { cwd, env }))).toMatchObject({ runId })
    const creations = service.requests.filter(({ method, route }) => method === 'POST' && route === '/v1/dataCleaning/jobs')
    expect(creations.length).toBe(2)
    expect(lastLine(await fettle(['status', 'p', '--watch', '--json'], { cwd, env }))).toMatchObject({ runId })
    expect(lastLine(await fettle(['collect', 'p', '--json', '-q'], { cwd, env }))).toMatchObject({ runId, totals: { rows: 3 } })
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toContain('Bolt Ltd')
    // Nothing is unfinished now: the name is the newest run again.
    expect(lastLine(await fettle(['collect', 'p', '--json', '-q'], { cwd, env })).runId).toBe(lastLine(trial).runId)
    const done = await fettle(['doctor', '--offline', '--json'], { cwd, env })
    expect(done.stdout).toMatch(/2 in fettle-runs with 1 MB, the oldest of \d{4}-\d\d-\d\d, none unfinished/)
  })

  test('that another process collects is running, also after a trial', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const { runId } = lastLine(await fettle(DETACH, { cwd, env }))
    expect((await fettle(['run', 'p.yml', '--limit', '1', '--output', 'out/trial.csv', '-q'], { cwd })).code).toBe(0)
    const collecting = start(['collect', String(runId), '-v'], { cwd, env })
    await collecting.seen(/matching/)
    const { stdout } = await fettle(['status', String(runId), '--json'], { cwd, env })
    collecting.child.kill('SIGTERM')
    await collecting.ended
    expect(JSON.parse(stdout)).toMatchObject({ status: 'running' })
  })

  test('whose collection was stopped is still what its name means', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const { runId } = lastLine(await fettle(DETACH, { cwd, env }))
    expect((await fettle(['collect', 'p', '--timeout', '1s', '-q'], { cwd, env })).code).toBe(75)
    const trial = await fettle(['run', 'p.yml', '--limit', '1', '--output', 'out/trial.csv', '-q'], { cwd })
    expect(trial.code, trial.stderr).toBe(0)
    expect(lastLine(await fettle(['collect', 'p', '--timeout', '1s', '--json', '-q'], { cwd, env }))).toMatchObject({ runId })
  })

  test('next to another run it is named by its id only', async () => {
    const cwd = place()
    const first = lastLine(await fettle(DETACH, { cwd }))
    writeFileSync(join(cwd, 'rows.csv'), `${ROWS}Cork SA,3,FR\n`)
    const second = lastLine(await fettle(DETACH, { cwd }))
    expect(second.runId).not.toBe(first.runId)
    for (const command of ['status', 'collect', 'resume']) {
      const refused = await fettle([command, 'p', '--json'], { cwd })
      expect(refused.code).toBe(2)
      expect(lastLine(refused)).toMatchObject({
        error: {
          code: 'FETTLE_RUN_AMBIGUOUS',
          message: `2 runs of p are unfinished: ${second.runId}, ${first.runId}`,
        },
      })
    }
    writeFileSync(join(cwd, 'rows.csv'), ROWS)
    // The list of the first is there again: its command continues it, not a third run.
    expect(lastLine(await fettle(['run', 'p.yml', '--json', '-q'], { cwd }))).toMatchObject({
      runId: first.runId,
      totals: { rows: 3 },
    })
    expect(lastLine(await fettle(['status', 'p', '--json'], { cwd }))).toMatchObject({ runId: second.runId })
  })

  test('that a newer run of the same work replaced is not continued by its command', async () => {
    const cwd = place()
    const first = lastLine(await fettle(DETACH, { cwd }))
    const second = lastLine(await fettle(['run', 'p.yml', '--new', '--json', '-q'], { cwd }))
    await fettle(['run', 'p.yml', '--limit', '1', '-q'], { cwd })
    const third = lastLine(await fettle(['run', 'p.yml', '--json', '-q'], { cwd }))
    expect(new Set([first.runId, second.runId, third.runId]).size).toBe(3)
  })

  test('a stop while it is submitted leaves a result file, and the same command goes on', async () => {
    const service = await scripted('matching')
    const cwd = place()
    const env = { ...CREDENTIALS, FETTLE_URL: service.url }
    const under = start(['run', 'p.yml', '--json', '--result-file', 'r.json'], { cwd, env })
    await under.seen(/status matching/)
    under.child.kill('SIGTERM')
    expect((await under.ended).code).toBe(143)
    expect(JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))).toMatchObject({ status: 'cancelled', exitCode: 143 })
    expect((await fettle(DETACH, { cwd, env })).code).toBe(0)
    expect(service.requests.filter(line => line === 'POST /dataCleaning/jobs').length).toBe(1)
  })
})

test('a day without rows has the exit code that is asked for', { timeout: 60_000 }, async () => {
  const cwd = folderOf({
    'rows.csv': 'Company Name,Reg No,Country\n',
    'p.yml': pipelineOf('p').replace('input: rows.csv', 'input: {path: rows.csv, empty: skip}'),
  })
  const skipped = await fettle(['run', 'p.yml', '--json', '-q', '--skip-code', '99', '--result-file', 'r.json'], { cwd })
  expect(skipped.code).toBe(99)
  expect(lastLine(skipped)).toMatchObject({ status: 'skipped', exitCode: 99 })
  expect(readFileSync(join(cwd, 'r.json'), 'utf8')).toBe(skipped.stdout)
  expect((await fettle(['status', '--skip-code', '99'], { cwd })).code).toBe(99)
  expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
  expect((await fettle(['run', 'p.yml', '--skip-code', '256'], { cwd })).code).toBe(2)
})

test('bad usage leaves a result file too', { timeout: 60_000 }, async () => {
  const cwd = place()
  const { code } = await fettle(['run', 'p.yml', '--dettach', '--result-file', 'r.json'], { cwd })
  expect(code).toBe(2)
  expect(JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))).toMatchObject({
    status: 'error',
    exitCode: 2,
    error: { code: 'FETTLE_USAGE' },
  })
  expect((await fettle(['status', '--timeout', '1m'], { cwd })).code).toBe(2)
})
