/**
 * S41, S42: what a pipeline, a project file or a recorded run of a stranger names. Every command is called with them, and a server on
 * loopback that stands for the stranger's must see no connection; the credentials go to the service of the environment alone.
 */
import { once } from 'node:events'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { nameOf } from '../../../../src/cli/command.ts'
import { COMMANDS } from '../../../../src/cli/commands/index.ts'
import { atEnd, type Ended, fettle, folderOf, lastLine, pipelineOf, ROWS } from '../../cli/fettle.ts'
import { type Counting, CREDENTIALS, counting, scripted } from '../../cli/servers.ts'

/** The service that the credentials are for. */
let known: Counting
/** A service that answers as one should: the run that is recorded there was started when it was trusted. */
let former: Counting
/** Another address. */
let stranger: { readonly origin: string; readonly port: number; connections: number }

/** Connections since the last call; a connection of its own comes after all the others. */
async function connectionsToStranger(): Promise<number> {
  await once(
    connect(stranger.port, '127.0.0.1').on('error', () => {}),
    'close',
  )
  const others = stranger.connections - 1
  stranger.connections = 0
  return others
}

let env: Record<string, string>
let recorded: string

beforeAll(async () => {
  known = await counting(() => ({ status: 503, body: {} }))
  former = await scripted('inProgress')
  const server = createServer(socket => {
    stranger.connections++
    socket.destroy()
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => server.close())
  const { port } = server.address() as AddressInfo
  stranger = { origin: `http://127.0.0.1:${port}`, port, connections: 0 }
  env = { ...CREDENTIALS, FETTLE_URL: known.url, OTHER_SECRET: 'other-secret', LIST_URL: `${stranger.origin}/list.csv` }
  recorded = place()
  const begun = await fettle(['run', 'former.yml', '--detach', '--json'], {
    cwd: recorded,
    env: { ...env, FETTLE_SERVICE_ORIGINS: new URL(former.url).origin },
  })
  expect(lastLine(begun)).toMatchObject({ status: 'running' })
})

const RETRY = 'retry: {attempts: 1}'

/** Pipelines that lead to the stranger, each in another way. */
const PIPELINES: Readonly<Record<string, () => string>> = {
  service: () => `${pipelineOf('service')}service: ${stranger.origin}/v1\n${RETRY}\n`,
  secrets: () =>
    `${pipelineOf('secrets')}service: {url: ${stranger.origin}/v1, username: u, password: "\${OTHER_SECRET}"}\n${RETRY}\n`,
  input: () => pipelineOf('input').replace('rows.csv', `"${stranger.origin}/rows.csv?x=\${OTHER_SECRET}"`),
  'whole-input': () => pipelineOf('whole-input').replace('rows.csv', '"${LIST_URL}"'),
  database: () =>
    pipelineOf('database').replace('rows.csv', `{sql: "select 1", url: "postgresql://u@127.0.0.1:${stranger.port}/x"}`),
  output: () => pipelineOf('output', `output: "${stranger.origin}/out.csv?x=\${OTHER_SECRET}"`),
  table: () => pipelineOf('table', `output: {url: "postgresql://u@127.0.0.1:${stranger.port}/x", table: t}`),
  notify: () => `${pipelineOf('notify')}notify: [{to: "${stranger.origin}/n?x=\${OTHER_SECRET}", on: [fail]}]\n`,
}

const TEST_FILE = `register: [{ id: 1, name: Acme Ltd, country: GB }]
tests: [{ name: one, rows: [{ Company Name: Acme Ltd, Reg No: "", Country: GB }], expect: { 1: matched } }]
`

function place(): string {
  const names = Object.keys(PIPELINES)
  return folderOf({
    'rows.csv': ROWS,
    'former.yml': `${pipelineOf('former')}service: ${former.url}\n`,
    ...Object.fromEntries(names.map(name => [`${name}.yml`, PIPELINES[name]!()])),
    ...Object.fromEntries(names.map(name => [`${name}.test.yml`, TEST_FILE])),
  })
}

interface Row {
  /** For each pipeline of the stranger. */
  readonly pipeline?: (file: string) => readonly string[]
  /** About the run that was recorded at the former service. */
  readonly recorded?: readonly (readonly string[])[]
  /** Neither: it names all that it opens itself. */
  readonly own?: readonly (readonly string[])[]
  /** With the service of a stranger it ends with FETTLE_SERVICE_ORIGIN. */
  readonly isRefused?: true
}

/** Every command of the table; a command without a row fails the test. */
const ROWS_OF: Readonly<Record<string, Row>> = {
  clean: { own: [['clean', 'rows.csv', '--yes', '--map', 'name=Company Name']] },
  init: { own: [['init', 'rows.csv', '--yes', '--force', '--output', 'made.yml']] },
  run: { pipeline: file => ['run', file], isRefused: true },
  check: { pipeline: file => ['check', file] },
  plan: { pipeline: file => ['plan', file], isRefused: true },
  estimate: { pipeline: file => ['estimate', file] },
  evaluate: { pipeline: file => ['evaluate', file, '--sample', '--truth', 'Reg No'] },
  test: { pipeline: file => ['test', file.replace('.yml', '.test.yml')] },
  resume: {
    recorded: [
      ['resume', 'former'],
      ['resume', 'former', '--debug'],
    ],
    isRefused: true,
  },
  status: {
    recorded: [
      ['status', 'former'],
      ['status', 'former', '--watch'],
    ],
    isRefused: true,
  },
  collect: { recorded: [['collect', 'former']], isRefused: true },
  merge: { recorded: [['merge', 'former']] },
  worker: { own: [['worker', '--queue', 'redis://127.0.0.1:1']] },
  runs: { recorded: [['runs'], ['runs', '--json']] },
  report: { recorded: [['report', 'former']] },
  diff: { recorded: [['diff', 'former']] },
  costs: { recorded: [['costs'], ['costs', '--by', 'service']] },
  review: {
    recorded: [
      ['review', 'former'],
      ['review', 'former', '--apply', 'rows.csv', '--fetch'],
    ],
  },
  verify: { recorded: [['verify', 'former']] },
  forget: { recorded: [['forget', '--key', '1']] },
  events: { own: [['events', 'x']] },
  dedupe: { own: [['dedupe', 'rows.csv']] },
  decide: { own: [['decide', 'rows.csv', '--table', 'former.yml']] },
  request: { own: [['request', 'GET', '/companies']] },
  serve: {
    own: [
      ['serve', 'users', 'list'],
      ['serve', '--replay', 'rows.csv'],
    ],
  },
  register: { own: [['register', 'list']] },
  screening: { own: [['screening', 'list']] },
  probe: { pipeline: file => ['probe', file, '--yes'], isRefused: true },
  doctor: { pipeline: file => ['doctor', file, '--notify'], isRefused: true },
  completion: { own: [['completion', 'bash']] },
  schema: { own: [['schema', 'pipeline']] },
  explain: { own: [['explain', 'FETTLE_SERVICE_ORIGIN']] },
}

test('every command has a row', () => {
  expect(Object.keys(ROWS_OF).sort()).toEqual(COMMANDS.map(nameOf).sort())
})

const printed = ({ stdout, stderr }: Ended): string => `${stdout}\n${stderr}`

describe.each(COMMANDS.map(nameOf))('fettle %s', name => {
  const { pipeline, recorded: ofRun = [], own = [], isRefused = false } = ROWS_OF[name] ?? {}

  test.runIf(pipeline !== undefined)('S41: sends no credentials to the service of a stranger', async () => {
    const cwd = place()
    for (const file of ['service.yml', 'secrets.yml']) {
      const before = known.requests.length
      const ended = await fettle(pipeline!(file), { cwd, env })
      expect(await connectionsToStranger(), printed(ended)).toBe(0)
      expect(known.requests.slice(before)).toEqual([])
      if (!isRefused) continue
      expect(ended.code, printed(ended)).toBe(2)
      expect(printed(ended)).toContain('FETTLE_SERVICE_ORIGIN')
      expect(printed(ended)).toContain(`FETTLE_SERVICE_ORIGINS=${stranger.origin}`)
    }
  })

  test.runIf(pipeline !== undefined)('S42: opens no address of an untrusted pipeline, and names its variables', async () => {
    const cwd = place()
    for (const file of Object.keys(PIPELINES).map(one => `${one}.yml`)) {
      const ended = await fettle(pipeline!(file), { cwd, env: { ...env, FETTLE_UNTRUSTED: '1' } })
      expect(await connectionsToStranger(), `${file}: ${printed(ended)}`).toBe(0)
      expect(printed(ended), file).not.toContain('other-secret')
    }
  })

  test.runIf(ofRun.length > 0)('S41: sends no credentials to the service of a recorded run', async () => {
    const cwd = folderOf()
    cpSync(recorded, cwd, { recursive: true })
    const before = former.connections
    for (const args of ofRun) {
      const ended = await fettle(args, { cwd, env })
      expect(former.connections, printed(ended)).toBe(before)
      if (isRefused) expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining('FETTLE_SERVICE_ORIGIN')])
    }
  })

  test.runIf(own.length > 0)('opens only what it names itself', async () => {
    const cwd = place()
    writeFileSync(join(cwd, 'fettle.yml'), `targets: {prod: {service: "${stranger.origin}/v1"}}\ntarget: prod\n`)
    for (const args of own) {
      await fettle(args, { cwd, env })
      expect(await connectionsToStranger(), args.join(' ')).toBe(0)
    }
  })
})

test('S41: the target of a project file is refused like the service of a pipeline, before a remote list is read', async () => {
  const cwd = place()
  writeFileSync(join(cwd, 'fettle.yml'), `targets: {prod: {service: "${stranger.origin}/v1"}}\ntarget: prod\n`)
  for (const args of [
    ['run', 'input.yml'],
    ['plan', 'output.yml'],
    ['doctor', 'output.yml'],
  ]) {
    const ended = await fettle(args, { cwd, env })
    expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining('FETTLE_SERVICE_ORIGIN')])
  }
  expect(await connectionsToStranger()).toBe(0)
})

test('S41: without FETTLE_URL a service that only a pipeline names is refused, also on loopback', async () => {
  const { FETTLE_URL: _, ...rest } = env
  const ended = await fettle(['run', 'service.yml'], { cwd: place(), env: rest })
  expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining(`FETTLE_SERVICE_ORIGINS=${stranger.origin}`)])
  expect(await connectionsToStranger()).toBe(0)
})

test('S42: plan, check, estimate and doctor are untrusted by default; they name what they do not open', async () => {
  const cwd = place()
  for (const command of ['plan', 'check', 'estimate', 'doctor']) {
    const ended = await fettle([command, 'input.yml'], { cwd, env })
    expect(printed(ended), command).toContain('its address contains ${OTHER_SECRET}')
    expect(await connectionsToStranger(), command).toBe(0)
  }
  const notified = await fettle(['check', 'notify.yml'], { cwd, env })
  expect(printed(notified)).toContain('notify.0.to was not opened')
})

test('S42: an untrusted pipeline reads no file outside the working directory, also by a link', async () => {
  const cwd = place()
  const outside = folderOf({ 'secret.csv': 'Company Name,Reg No,Country\nHidden Words,1,GB\n' })
  symlinkSync(join(outside, 'secret.csv'), join(cwd, 'linked.csv'))
  symlinkSync(outside, join(cwd, 'folder'))
  for (const path of [join(outside, 'secret.csv'), 'linked.csv', 'folder/secret.csv', 'folder/*.csv', '../*/secret.csv']) {
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p').replace('rows.csv', JSON.stringify(path)))
    for (const command of ['plan', 'check', 'estimate', 'doctor']) {
      const ended = await fettle([command, 'p.yml', ...(command === 'doctor' ? ['--offline'] : [])], { cwd, env })
      expect(printed(ended), `${command} ${path}`).toContain('was not read, because the pipeline is untrusted')
      expect(printed(ended), `${command} ${path}`).not.toMatch(/Hidden|1 row/)
    }
  }
  const named = await fettle(['plan', 'p.yml', '--offline', '--input', join(outside, 'secret.csv')], { cwd, env })
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('rows      1') })
  const trusted = await fettle(['plan', 'p.yml', '--offline', '--trusted'], { cwd, env })
  expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('rows      1') })
})

test('S42: the path of a list is not printed with a value of the environment that leads to no file', async () => {
  const cwd = place()
  for (const [path, isRead] of [
    ['${WORDS}', false],
    ['folder/${WORDS}', false],
    ['/tmp/${WORDS}', false],
    ['${WORDS}/*.csv', false],
    ['${LIST}', true],
  ] as const) {
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p').replace('rows.csv', JSON.stringify(path)))
    for (const command of ['plan', 'check', 'estimate', 'doctor']) {
      const args = [command, 'p.yml', ...(command === 'plan' || command === 'doctor' ? ['--offline'] : [])]
      const ended = await fettle(args, { cwd, env: { ...env, WORDS: 'other-secret', LIST: 'rows.csv' } })
      expect(printed(ended), `${command} ${path}`).not.toContain('other-secret')
      expect(printed(ended).includes('its path contains ${WORDS}'), `${command} ${path}: ${printed(ended)}`).toBe(!isRead)
    }
  }
})

test('the stranger would be reached: with its origin in the list, and by a trusted run', async () => {
  const cwd = place()
  const origins = { ...env, FETTLE_SERVICE_ORIGINS: stranger.origin }
  for (const [args, settings] of [
    [['run', 'service.yml'], origins],
    [['plan', 'service.yml'], origins],
    [['run', 'service.yml', '--service', `${stranger.origin}/v1`], { ...env, FETTLE_USERNAME: 'another' }],
    [['run', 'input.yml'], env],
    [['plan', 'input.yml', '--trusted'], env],
  ] as const) {
    const ended = await fettle(args, { cwd, env: settings })
    expect(await connectionsToStranger(), printed(ended)).toBeGreaterThan(0)
  }
})
