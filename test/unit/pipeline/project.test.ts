import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Project, parsePipeline, parseProject, projectJsonSchema } from '../../../src/pipeline/index.ts'

const VALID = `target: dev
targets:
  dev: { service: embedded, register: sample, limit: 500 }
  prod:
    service: { url: "\${PROD_URL}", username: "\${USER_NAME}", password: "\${PASSWORD}" }
    real: true
defaults:
  checks: { failed: { fail: "> 0" }, matched: { warn: "< 50%" } }
  budget: { rows: 100, month: 5000 }
  reporters: [junit]
  notify: [{ to: "\${SLACK_URL:-}", as: slack }]
  retention: 90d
outputRoots: [../shared]
`

const projectOf = (text: string): Project => {
  const { project, issues } = parseProject(text, 'fettle.yml', {})
  expect(issues).toEqual([])
  return project!
}

const parsed = (text: string, target: string | null, env: Record<string, string> = {}, project = projectOf(VALID)) =>
  parsePipeline(text, {
    file: 'a.yml',
    format: 'yaml',
    env,
    vars: {},
    run: { date: '2026-01-01', target: target ?? undefined },
    project: { project, target: project.targets.find(({ name }) => name === target) ?? null },
  })

const PIPELINE = `name: a
input: \${run.target}.csv
mappings: { name: Name, country: Country }
`

test('schema/project.v1.json is current', () => {
  const committed = readFileSync(new URL('../../../schema/project.v1.json', import.meta.url), 'utf8')
  expect(committed).toBe(`${JSON.stringify(projectJsonSchema(), null, 2)}\n`)
})

test('all problems of a project file are reported at once, each with its place', () => {
  const text = `target: prod
targts: {}
targets:
  prod: { service: { url: https://a.example/v1, password: secret }, real: true, limt: 5 }
  Dev: { limit: none }
defaults:
  checks: { mached: { fail: "> 0" } }
  notify: [{ to: https://hooks.example/abc, as: slack }]
  budget: { rows: "\${ROWS}" }
outputRoots: ["\${HOME}"]
`
  const { project, issues } = parseProject(text, 'fettle.yml', {})
  expect(project).toBeNull()
  expect(issues.map(({ code, at, message }) => `${code} ${at?.line}:${at?.column} ${message.split(/[,;]/)[0]}`)).toEqual([
    'FETTLE_PROJECT 1:9 target: prod is real: it has to be named by each command',
    'FETTLE_PROJECT 2:1 "targts" is not part of the project file',
    'FETTLE_PROJECT 4:59 targets.prod.service.password: a password must not stand in the file: expected ${NAME} and nothing else',
    'FETTLE_PROJECT 4:81 "limt" is not part of targets.prod',
    'FETTLE_PROJECT 5:8 targets.Dev: expected targets by their names',
    'FETTLE_PROJECT 7:13 "mached" is not part of defaults.checks',
    'FETTLE_PROJECT 8:18 defaults.notify.0.to: the address of a webhook must not stand in the file: expected ${NAME} and nothing else',
    'FETTLE_PROJECT 10:15 outputRoots.0: ${HOME} is not set',
  ])
  expect(JSON.stringify(issues)).not.toMatch(/secret"|abc/)
})

test('limit, reporters and outputRoots take values of the environment; a target only when it is chosen', () => {
  const text = `targets:
  dev: { limit: "\${TRIAL_ROWS:-500}" }
  prod: { limit: "\${PROD_ROWS}" }
  odd: { limit: "\${ODD}" }
defaults: { reporters: ["junit=\${OUT}/junit.xml"] }
outputRoots: ["\${SHARED:-../shared}"]
`
  const { project, issues } = parseProject(text, 'fettle.yml', { OUT: 'out', ODD: 'secret' })
  expect(issues).toEqual([])
  expect(project).toMatchObject({ reporters: ['junit=out/junit.xml'], outputRoots: ['../shared'] })
  expect(project!.targets.map(one => [one.limit, one.issues.map(({ message, at }) => `${at?.line} ${message}`)])).toEqual([
    [500, []],
    [null, ['3 targets.prod.limit: ${PROD_ROWS} is not set']],
    [null, ['4 targets.odd.limit: expected a whole number from 1, found the value of "${ODD}"']],
  ])
  const { issues: wrong } = parseProject('outputRoots: ["${run.date}", "${vars.x}", "${A"]', 'fettle.yml', {})
  expect(wrong.map(({ message, hint }) => `${message}. ${hint}`)).toEqual([
    'outputRoots.0: date is not known. Write ${NAME} or ${NAME:-default}: only the environment is known here.',
    'outputRoots.1: x is not declared under vars. Write ${NAME} or ${NAME:-default}: only the environment is known here.',
    'outputRoots.2: a ${ is never closed. Write ${NAME} or ${NAME:-default}: only the environment is known here.',
  ])
})

test('a default target that does not exist is reported with the nearest name', () => {
  expect(parseProject('target: dv\ntargets: { dev: {} }\n', 'fettle.yml', {}).issues[0]?.message).toBe(
    'target: targets has no dv; did you mean dev?',
  )
})

test('a pipeline has the values of the target and the defaults for keys that it leaves out', () => {
  const { pipeline, issues, inherited } = parsed(PIPELINE, 'dev')
  expect(issues).toEqual([])
  expect(pipeline).toMatchObject({
    service: { kind: 'embedded' },
    register: ['sample'],
    input: { path: 'dev.csv' },
    budget: { rows: 100, month: 5000 },
    checks: [{ name: 'matched' }, { name: 'failed' }],
    retention: 90 * 86_400_000,
  })
  expect([...inherited].sort()).toEqual(['budget', 'checks', 'notify', 'register', 'retention', 'service'])
})

test('a key of the pipeline replaces the key of the project, and for checks and budget each part', () => {
  const own = `${PIPELINE}register: own\nretention: 30d\nbudget: { rows: 5 }\nchecks: { matched: { fail: "< 9%" }, failed: { warn: "> 1" } }\nnotify: []\n`
  const { pipeline, issues, inherited } = parsed(own, 'dev')
  expect(issues).toEqual([])
  expect(pipeline).toMatchObject({ register: ['own'], budget: { rows: 5, month: 5000 }, retention: 30 * 86_400_000, notify: [] })
  expect(pipeline?.checks).toEqual([
    { name: 'matched', warn: null, fail: expect.anything() },
    { name: 'failed', warn: expect.anything(), fail: null },
  ])
  expect([...inherited].sort()).toEqual(['budget.month', 'service'])
})

test('credentials of a target come from the environment, and a missing one is reported at its place in the project file', () => {
  const env = { PROD_URL: 'https://a.example/v1', USER_NAME: 'ann', PASSWORD: 'pw' }
  const { pipeline, secrets } = parsed(PIPELINE, 'prod', env)
  expect(pipeline?.service).toMatchObject({ kind: 'remote', url: 'https://a.example/v1' })
  expect(secrets).toMatchObject({ username: 'ann', password: 'pw' })
  expect(JSON.stringify(pipeline)).not.toContain('pw')
  const { issues } = parsed(PIPELINE, 'prod', { ...env, PROD_URL: 'nonsense', PASSWORD: '' })
  expect(issues.map(({ code, at }) => [code, at])).toEqual([
    ['FETTLE_PIPELINE_VARIABLE', { file: 'fettle.yml', line: 5, column: 72 }],
    ['FETTLE_PIPELINE_URL', { file: 'fettle.yml', line: 5, column: 21 }],
  ])
})

test('a service in the pipeline and in its target is refused', () => {
  const { pipeline, issues } = parsed(`${PIPELINE}service: https://other.example/v1\n`, 'dev')
  expect(pipeline).toBeNull()
  expect(issues).toMatchObject([{ code: 'FETTLE_TARGET', at: { file: 'a.yml', line: 4, column: 1 } }])
})

test('no text makes the parser throw', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...VALID.split(/(?<=[\s:{},[\]])/), '- ', '\n', '\t', ': ', '"'), { maxLength: 60 }),
      parts => {
        const { project, issues } = parseProject(parts.join(''), 'fettle.yml', {})
        expect((project === null) === issues.length > 0).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})
