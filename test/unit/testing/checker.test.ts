/** checkRun finds no violation in a run that recovered from its faults, and finds every planted violation. */
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import type { Armed } from '../../../src/testing/index.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { checkRun, type RunEvidence } from '../../support/check-run/check-run.ts'
import { csvRecords, xmlFault } from '../../support/check-run/documents.ts'
import { dressesOf } from '../../support/check-run/secrets.ts'
import type { Invariant } from '../../support/check-run/violation.ts'
import { logIn } from '../service/kit.ts'
import { ROWS, SECRETS, type Stage, stage } from './run-kit.ts'

const judge = (one: Stage, more: Partial<RunEvidence> = {}) =>
  checkRun({
    runDirectory: one.runDirectory(),
    inputRows: ROWS,
    outputs: ['out.csv', 'unmatched.csv'],
    service: { ...one.faulty.service, token: one.token },
    server: one.faulty.server,
    secrets: SECRETS,
    ...more,
  })

test('a run with dropped, rejected, duplicated and truncated requests recovers, in virtual time', async () => {
  const one = await stage()
  const armed = one.faulty.server.arm([
    { operation: 'authenticate', effect: { kind: 'status', status: 503, headers: { 'retry-after': '30' } } },
    { operation: 'createJob', effect: { kind: 'reset', at: 'reply', carriedOut: true } },
    { operation: 'upload', effect: { kind: 'reset', at: 'requestBody' } },
    { operation: 'setMappings', effect: { kind: 'duplicate' } },
    { operation: 'submit', effect: { kind: 'body', text: '<html>', type: 'text/html' } },
    { operation: 'readJob', nth: 3, effect: { kind: 'jobStatus', sequence: ['matching', 'matching', 'matched'] } },
    { operation: 'enrich', effect: { kind: 'reset', at: 'replyBody' } },
    { operation: 'file', effect: { kind: 'truncate', framing: 'close', keep: 0.6 } },
  ])
  const { state } = await one.run()
  expect([state.exitCode, state.error]).toEqual([0, null])
  expect(one.clock.monotonic()).toBeGreaterThan(30_000)
  expect(await judge(one, { armed: [armed], said: [JSON.stringify(state)] })).toEqual([])
  expect(one.faulty.server.effects(state.jobName)).toEqual({ creates: 1, uploads: 1, submits: 1, enriches: 1, logins: 0 })
})

test('a run of several jobs with collapsed rows recovers in each job', async () => {
  const one = await stage('e,Harrow Optics Ltd\nf,Nobody GmbH\n', 'job: { split: 2, concurrency: 2, collapse: true }\n')
  const armed = one.faulty.server.arm([
    { operation: 'createJob', nth: 2, effect: { kind: 'reset', at: 'reply', carriedOut: true } },
    { operation: 'upload', nth: 1, effect: { kind: 'reset', at: 'requestBody' } },
    { operation: 'submit', nth: 2, effect: { kind: 'reset', at: 'reply', carriedOut: true } },
    { operation: 'enrich', nth: 1, effect: { kind: 'reset', at: 'replyBody' } },
    { operation: 'file', nth: 2, effect: { kind: 'truncate', framing: 'close', keep: 0.6 } },
  ])
  const { state } = await one.run()
  expect([state.exitCode, state.error]).toEqual([0, null])
  expect(state.plan).toMatchObject({ rows: 6, sent: 4 })
  expect(state.jobs.map(({ received }) => received?.rows)).toEqual([2, 2])
  expect(await judge(one, { armed: [armed], inputRows: 6 })).toEqual([])
  for (const { name } of state.jobs)
    expect(one.faulty.server.effects(name)).toMatchObject({ creates: 1, uploads: 1, submits: 1, enriches: 1 })
  const rows = readFileSync(join(one.folder, 'out.csv'), 'utf8').trim().split('\n').slice(1)
  expect(rows.at(-2)).toBe(rows[0]!.replace(/^a/, 'e').replace(/matched$/, 'duplicate'))
  expect(rows.at(-1)).toBe(rows.find(row => row.startsWith('c,'))!.replace(/^c/, 'f'))
})

const never: Armed = {
  report: () => [],
  unconsumed: () => [{ operation: 'file', nth: 1, times: 1, effect: { kind: 'duplicate' } }],
  disarm: () => {},
}

test('finds each planted violation and names its invariant', async () => {
  const one = await stage()
  const { state } = await one.run()
  expect(await judge(one)).toEqual([])
  const at = (name: string): string => join(one.runDirectory(), name)
  const out = join(one.folder, 'out.csv')
  /** Spoils a file, judges, and puts it right again. */
  const spoilt = async (path: string, change: (text: string) => string): Promise<Invariant[]> => {
    const before = readFileSync(path)
    writeFileSync(path, change(before.toString('utf8')))
    const found = await judge(one)
    writeFileSync(path, before)
    return [...new Set(found.map(({ invariant }) => invariant))]
  }
  const reportWith = (change: (report: { totals: object }) => void) => (text: string) => {
    const report = JSON.parse(text)
    change(report)
    return JSON.stringify(report)
  }
  expect(await spoilt(out, text => text.replace(/^d,.*\n/m, ''))).toEqual(['I2', 'I3'])
  expect(await spoilt(out, text => text.slice(0, text.indexOf('Bellbrook') + 4))).toEqual(['I3'])
  expect(await spoilt(at('report.json'), text => text.slice(0, -40))).toEqual(['I3', 'I2'])
  expect(
    await spoilt(
      at('report.json'),
      reportWith(report => Object.assign(report.totals, { matched: 0 })),
    ),
  ).toEqual(['I2'])
  expect(
    await spoilt(
      at('report.json'),
      reportWith(report => Object.assign(report, { status: 'running' })),
    ),
  ).toEqual(['I3'])
  expect(await spoilt(at('junit.xml'), text => text.slice(0, text.lastIndexOf('</testsuite>')))).toEqual(['I3'])
  expect(await spoilt(at('report.html'), text => text.slice(0, 300))).toEqual(['I3'])
  expect(await spoilt(at('journal.jsonl'), text => text.replace('"stage.started"', '"stage.sta'))).toContain('I3')
  expect(await spoilt(at('report.md'), text => `${text}${encodeURIComponent(SECRETS[0] as string)}\n`)).toEqual(['I5'])
  expect(await spoilt(at('junit.xml'), text => text.replace('<?xml', `<!--${btoa(`x:${SECRETS[0]}`)}--><?xml`))).toEqual(['I5'])

  writeFileSync(at('.report.json.1.tmp'), '')
  expect(await judge(one)).toMatchObject([{ invariant: 'I3', what: expect.stringContaining('left behind') }])
  rmSync(at('.report.json.1.tmp'))
  writeFileSync(join(one.folder, '.out.csv.old.tmp'), '')
  expect(await judge(one)).toMatchObject([{ invariant: 'I3' }])
  rmSync(join(one.folder, '.out.csv.old.tmp'))

  expect(await judge(one, { inputRows: ROWS + 1 })).toMatchObject([
    { invariant: 'I2' },
    { invariant: 'I2' },
    { invariant: 'I2' },
    { invariant: 'I2' },
  ])
  expect(await judge(one, { armed: [never] })).toMatchObject([{ invariant: 'I4' }])
  expect(await judge(one, { server: { effects: one.faulty.server.effects, pending: () => 1 } })).toMatchObject([
    { invariant: 'I4' },
  ])
  expect(await judge(one, { said: [`Basic ${btoa(`judge:${SECRETS[0]}`)}`] })).toMatchObject([
    { invariant: 'I5', what: 'secret 0 stands in base64 in said[0]' },
  ])
  const twice = { creates: 1, uploads: 1, submits: 2, enriches: 2, logins: 1 }
  expect(await judge(one, { server: { effects: () => twice, pending: () => 0 } })).toMatchObject([
    { invariant: 'I1' },
    { invariant: 'I1' },
  ])

  const caller = await logIn(one.faulty.service)
  await caller.create(state.jobName)
  expect(await judge(one)).toMatchObject([{ invariant: 'I1', what: expect.stringContaining('2 jobs') }])
  expect(await judge(one, { orphans: 1 })).toEqual([])
  const touched = await caller.create(state.jobName)
  await caller.upload(touched, 'name\nAcme\n')
  expect(await judge(one, { orphans: 2 })).toMatchObject([{ invariant: 'I1', what: expect.stringContaining('not left alone') }])
})

test('an unfinished run may be incomplete, but not wrong', async () => {
  const one = await stage()
  one.faulty.server.arm([{ operation: 'submit', times: 'always', effect: { kind: 'status', status: 403 } }])
  const { state } = await one.run()
  expect(state.finished).toBe(false)
  appendFileSync(join(one.runDirectory(), 'journal.jsonl'), '{"type":"stage.sta')
  expect(await judge(one)).toEqual([])
  truncateSync(join(one.runDirectory(), 'journal.jsonl'), 0)
  expect(await judge(one)).toEqual([])
  writeFileSync(join(one.folder, 'out.csv'), 'ref,Company\na,"Har')
  expect(await judge(one)).toMatchObject([{ invariant: 'I3' }])
})

test('counts the records of a CSV text, and detects a truncation except between two records', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', '\n', '\r', ',', ' ', 'é') })
  const row = fc.array(cell, { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (rows, lineEnd) => {
      const text = csvText(rows, { delimiter: ',', lineEnd, columns: 4 })
      expect(csvRecords(text)).toBe(rows.length)
      expect(csvRecords(text.slice(0, -lineEnd.length))).toBe(null)
    }),
  )
})

test.each<[string, string | null]>([
  ['<?xml version="1.0"?><a><b c="d/"/><e>x</e></a>\n', null],
  ['<a><b></a></b>', '</a> closes what is not open'],
  ['<a><b/>', '<a> is never closed'],
  ['', 'it is empty'],
])('xml %j', (text, fault) => {
  expect(xmlFault(text)).toBe(fault)
})

test('finds a secret in base64 at any offset', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 10, unit: anyCharacter }),
      fc.string({ unit: anyCharacter }),
      fc.string(),
      (secret, before, after) => {
        const cores = [...dressesOf(secret)].filter(([, dress]) => dress === 'in base64').map(([text]) => text)
        const text = Buffer.from(`${before}${secret}${after}`).toString('base64')
        expect(cores.some(core => text.includes(core))).toBe(true)
      },
    ),
  )
})
