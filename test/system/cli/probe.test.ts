/** `fettle probe`: one row, paid and asked for by name, and what is read of the file that comes back. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ChangeAnswer, openChangedWay } from '../../support/changed-answers.ts'
import { atEnd, BINARY, ENVIRONMENT, fettle, follow, lastLine, project } from './fettle.ts'
import { CREDENTIALS, realService } from './servers.ts'

const MORE = `output: out/p.csv
enrich: {product: basicPlus, tags: [general.connectId, general.companyName, general.status]}
portfolio: Suppliers
checks: {drift: {fail: "> 1%"}}`

const changesFile =
  (change: (text: string) => string | Buffer): ChangeAnswer =>
  (operation, body) =>
    operation === 'file' ? change(body.toString()) : body

async function setUp(change?: (text: string) => string | Buffer) {
  const service = await realService()
  const url = change === undefined ? service.url : await openChangedWay(service.url, changesFile(change), { atEnd })
  const cwd = project(MORE)
  const env = { ...CREDENTIALS, FETTLE_URL: url }
  const call = (...args: string[]) => fettle(args, { cwd, env })
  const sent = (route: string) => service.requests.filter(one => one.method === 'POST' && one.route === route).length
  return { cwd, env, call, sent }
}

test('sends nothing without a yes, and nothing for a row that is not there', async () => {
  const { call, sent } = await setUp()
  const unasked = await call('probe', 'p.yml', '--row', '1')
  expect(unasked.code).toBe(2)
  expect(unasked.stderr).toMatch(/gets 1 row and may charge up to 1 credit; nothing was sent/)
  const absent = await call('probe', 'p.yml', '--name', 'No Such Company', '--yes')
  expect(absent.code).toBe(2)
  expect(absent.stderr).toContain('has no row whose name holds "No Such Company"')
  expect(sent('/v1/dataCleaning/jobs')).toBe(0)
})

test('sends one row, shows what is read of its file, and leaves everything else as it was', async () => {
  const { cwd, call, sent } = await setUp()
  const { code, stdout, stderr } = await call('probe', 'p.yml', '--name', 'bolt', '--yes', '-q')
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/^statuses {2}.*jobMatchingComplete, .*enrichmentComplete$/m)
  expect(stdout).toMatch(/^counts {4}\{"totalRows":1,/m)
  expect(stdout).toMatch(/^outcome {3}review$/m)
  expect(stdout).toMatch(/^ {2}general\.companyName +from "general\.companyName", empty$/m)
  expect(stdout).toMatch(/^ {2}match\.candidateName +from "match\.candidateName", text: BOLT LTD$/m)
  expect(stdout).toContain('Every tag was found.')
  expect(stdout).toMatch(/^file {6}\d+ columns separated by ",", utf-8, not packed$/m)
  expect(sent('/v1/dataCleaning/jobs')).toBe(1)
  expect(sent('/v1/portfolios')).toBe(0)
  expect(existsSync(join(cwd, 'out'))).toBe(false)

  // The first run of the pipeline has nothing to compare with, also after a probe.
  const report = join(cwd, 'fettle-runs', String(lastLine(await call('run', 'p.yml', '--json', '-q')).runId), 'report.json')
  const { previous, results } = JSON.parse(readFileSync(report, 'utf8'))
  expect(previous).toBeNull()
  expect(results[0].checks).toMatchObject([{ assertion: 'drift', success: null }])
  expect((await call('runs')).stdout).toContain('-p-probe-')
})

test('names a tag that is in no column, with the header that is most like it', async () => {
  const { call } = await setUp(text => text.replace('general.status', 'Company Status'))
  const { code, stdout, stderr } = await call('probe', 'p.yml', '--row', '1', '--yes', '-q')
  expect(code, stderr).toBe(1)
  expect(stdout).toMatch(/^ {2}general\.status +missing; the header most like it is "Company Status"$/m)
  expect(stdout).toMatch(/^ {2}– +from "Company Status", /m)
  const ready = /enrich: (\{ headers: .*\})$/m.exec(stdout)?.[1] ?? ''
  expect(parse(ready)).toEqual({ headers: { 'general.status': 'Company Status' } })
})

test('shows in which form the file came', async () => {
  const { call } = await setUp(text => gzipSync(Buffer.from(`\ufeff${text.replaceAll(',', ';')}`, 'utf16le')))
  const { stdout, stderr } = await call('probe', 'p.yml', '--row', '1', '--yes', '-q')
  expect(stdout, stderr).toMatch(/^file {6}\d+ columns separated by ";", utf-16le \(by its byte-order mark\), packed by gzip$/m)
})

/** Ends the process by SIGKILL after it has written this event to the journal. */
const killedAfter = (event: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { writeSync } = fs
    fs.writeSync = (file, bytes, ...rest) => {
      const written = writeSync(file, bytes, ...rest)
      if (bytes.includes('"${event}"')) process.kill(process.pid, 'SIGKILL')
      return written
    }
    syncBuiltinESMExports()`)}`

test.each(['enrich.accepted', 'file.received'])('a probe that was killed after %s is continued, and paid once', async event => {
  const { cwd, env, call, sent } = await setUp()
  const probe = ['probe', 'p.yml', '--row', '1', '--yes', '-q']
  const args = ['--import', killedAfter(event), BINARY, ...probe]
  const { code: killed } = await follow(spawn(process.execPath, args, { cwd, env: { ...ENVIRONMENT, ...env } })).ended
  expect(killed).toBe(137)
  const { code, stdout, stderr } = await call(...probe)
  expect(code, stderr).toBe(0)
  expect(stdout).toMatch(/^file {6}\d+ columns separated by ",", utf-8, not packed$/m)
  expect(stdout).toContain('Every tag was found.')
  expect(sent('/v1/dataCleaning/jobs')).toBe(1)
  expect(sent('/v1/dataCleaning/jobs/:id/enrich')).toBe(1)
})

test('a file that cannot be read is an error with its code', async () => {
  const { call } = await setUp(text => `${text}${text.split('\n')[1]}\n`)
  const { code, stdout } = await call('probe', 'p.yml', '--yes', '-q')
  expect(code).toBe(76)
  expect(stdout).toMatch(/^error {5}FETTLE_LEDGER: /m)
})
