/** action.yml, run step by step: a nightly run, the next one with the cache, and the plan as a comment of a pull request. */
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atEnd, folderOf, importRegister, ROOT } from '../cli/fettle.ts'
import { type Project, projectHere } from '../examples/kit.ts'
import { type ActionRun, type Event, evaluate, runAction } from './composite.ts'

beforeAll(() => importRegister(), 120_000)

const NIGHT: Event = { name: 'schedule', runId: '1' }
const PULL: Event = { name: 'pull_request', runId: '2', event: { pull_request: { number: '7' } } }
const PIPELINE = 'pipelines/suppliers.yml'

const start = (
  where: Project,
  trigger: Event,
  cache: string,
  inputs: Readonly<Record<string, string>> = {},
): Promise<ActionRun> => runAction(ROOT, { pipeline: PIPELINE, ...inputs }, { ...where, cache, trigger })

test('a nightly run: outputs, summary, and runs and outputs in the cache for the next one', async () => {
  const cache = folderOf()
  const first = await projectHere()
  const night = await start(first, NIGHT, cache, { args: '--strict -q' })
  expect(night.steps).toEqual(['actions/setup-node', 'install', 'actions/cache/restore', 'fettle', 'actions/cache/save'])
  expect(night.outputs, night.log).toMatchObject({ 'exit-code': '1', status: 'warn', output: 'out/suppliers.csv' })
  expect(night.isGood, 'strict').toBe(false)
  for (const name of ['matched', 'unmatched', 'review', 'match-rate', 'report', 'run-id'])
    expect(night.outputs[name], name).not.toBe('')
  expect(night.summary).toContain('Match rate')
  const second = await projectHere()
  const next = await start(second, { ...NIGHT, runId: '2' }, cache)
  expect(next.isGood, next.log).toBe(true)
  expect(existsSync(join(second.cwd, 'fettle-runs', night.outputs['run-id'] ?? ''))).toBe(true)
  expect(next.outputs['run-id']).not.toBe(night.outputs['run-id'])
})

test('a failed run fails the job, with its exit code, and its runs are cached', async () => {
  const cache = folderOf()
  const where = await projectHere()
  rmSync(join(where.cwd, 'rows.csv'))
  const { isGood, outputs, steps } = await start(where, NIGHT, cache)
  expect(isGood).toBe(false)
  expect(outputs['exit-code']).toBe('65')
  expect(steps).toContain('actions/cache/save')
})

test.each([['delete everything'], ['run; true'], ['pull_request']])(
  'the command %s is rejected before an install',
  async command => {
    const { isGood, steps, log } = await start(await projectHere(), NIGHT, folderOf(), { command })
    expect(isGood).toBe(false)
    expect(steps).toEqual(['actions/setup-node', 'install'])
    expect(log).toContain('expected run, plan or check')
  },
)

describe('a pull request', () => {
  interface Call {
    readonly method: string
    readonly path: string
    readonly body: string
    readonly token: string
  }
  interface Comment {
    readonly id: number
    body: string
  }
  /** The part of GitHub's interface that comments need. */
  async function github(comments: Comment[], status = 200): Promise<{ url: string; calls: Call[] }> {
    const calls: Call[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      const [path = '', query = ''] = (request.url ?? '').split('?')
      calls.push({ method: request.method ?? '', path, body, token: request.headers.authorization ?? '' })
      const page = Number(new URLSearchParams(query).get('page') ?? '1')
      const answer = request.method === 'GET' ? comments.slice((page - 1) * 100, page * 100) : { id: 1 }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    }).listen(0, '127.0.0.1')
    atEnd(() => server.close())
    await once(server, 'listening')
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
  }
  const repository = (url: string) => ({ GITHUB_API_URL: url, GITHUB_REPOSITORY: 'acme/lists' })

  test('gets the plan as a comment, which the next push replaces, and nothing is sent', async () => {
    const { url, calls } = await github([])
    const where = await projectHere(repository(url))
    const { isGood, log, outputs, steps, summary } = await start(where, PULL, folderOf())
    expect(isGood, log).toBe(true)
    expect(steps).toEqual(['actions/setup-node', 'install', 'actions/cache/restore', 'fettle', 'run'])
    expect(existsSync(join(where.cwd, 'fettle-runs')), 'runs').toBe(false)
    expect(outputs).toMatchObject({ 'exit-code': '0', plan: expect.stringContaining('plan.txt') })
    expect(summary).toContain('requests')
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /repos/acme/lists/issues/7/comments',
      'POST /repos/acme/lists/issues/7/comments',
    ])
    expect(calls[1]).toMatchObject({ token: 'Bearer the-token' })
    const { body } = JSON.parse(calls[1]!.body)
    expect(body).toContain('rows      5')
    const others = Array.from({ length: 100 }, (_, id) => ({ id, body: 'other' }))
    const again = await github([...others, { id: 4711, body }])
    await start(await projectHere(repository(again.url)), { ...PULL, runId: '3' }, folderOf())
    expect(again.calls.at(-1)).toMatchObject({ method: 'PATCH', path: '/repos/acme/lists/issues/comments/4711' })
  })

  test.each(['pull_request', 'pull_request_target'])('of %s is untrusted, also where the workflow asks for a run', async name => {
    const { url, calls } = await github([])
    for (const command of ['', 'plan', 'run']) {
      const where = await projectHere({ ...repository(url), OTHER_SECRET: 'other-secret' })
      writeFileSync(
        join(where.cwd, PIPELINE),
        `name: suppliers\ninput: "${url}/list.csv?x=\${OTHER_SECRET}"\nmappings: {name: name}\noutput: out/a.csv\n`,
      )
      const { outputs, log } = await start(where, { ...PULL, name }, folderOf(), { command })
      expect(outputs['exit-code']).toBe('2')
      expect(log).toContain('FETTLE_UNTRUSTED')
      expect(log).not.toContain('other-secret')
    }
    expect(calls.filter(({ path }) => path.includes('list.csv'))).toEqual([])
  })

  test('of a broken pipeline fails, and the comment has its problems', async () => {
    const { url, calls } = await github([])
    const where = await projectHere(repository(url))
    writeFileSync(join(where.cwd, PIPELINE), 'name: suppliers\ninput: rows.csv\nmapings: {name: name}\noutput: out/a.csv\n')
    const { isGood, outputs } = await start(where, PULL, folderOf())
    expect(isGood).toBe(false)
    expect(outputs['exit-code']).toBe('2')
    expect(JSON.parse(calls.at(-1)!.body).body).toContain('did you mean mappings')
  })

  test('of a fork, whose token may not write, is a warning', async () => {
    const { url } = await github([], 403)
    const { isGood, log } = await start(await projectHere(repository(url)), PULL, folderOf())
    expect(isGood, log).toBe(true)
    expect(log).toMatch(/::warning title=fettle::.*403/)
  })

  test('writes no comment where none is wanted', async () => {
    const { url, calls } = await github([])
    await start(await projectHere(repository(url)), PULL, folderOf(), { comment: 'false', command: 'check' })
    expect(calls).toEqual([])
  })
})

test('expressions of the runner', () => {
  const context = { inputs: { a: 'x', 'b-c': '' }, github: { event: { pull_request: { number: '7' } } } }
  expect(evaluate("always() && inputs.a == 'x' && github.event.pull_request.number != ''", context)).toBe(true)
  expect(evaluate("inputs.b-c == 'x' || github.event.issue.number != ''", context)).toBe(false)
  expect(() => evaluate('hashFiles(inputs.a)', context)).toThrow('not known here')
})
