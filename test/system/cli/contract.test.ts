/**
 * The contract suite against a service it did not start, with another register than its own: by base URL and credentials alone,
 * as it is run against an account. It once took for granted that a company of its own register would match.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ENVIRONMENT, folderOf, follow, importRegister, ROOT, start } from './fettle.ts'

beforeAll(importRegister)

test('the contract suite passes against any base URL', async () => {
  const own = { FETTLE_USERNAME: 'suite', FETTLE_PASSWORD: 'a-password-for-the-suite' }
  const serving = start(['serve', '--port', '0', '--data', 'state'], { cwd: folderOf(), env: own })
  const [, url = ''] = /^listening on (\S+)$/m.exec(await serving.seen(/Ctrl-C stops it\./)) ?? []
  const env = {
    ...ENVIRONMENT,
    FETTLE_CONTRACT_URL: url,
    FETTLE_CONTRACT_USERNAME: own.FETTLE_USERNAME,
    FETTLE_CONTRACT_PASSWORD: own.FETTLE_PASSWORD,
  }
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--project', 'quick', 'test/contract/contract.test.ts', '--reporter', 'json']
  const { code, stdout, stderr } = await follow(spawn(process.execPath, args, { cwd: ROOT, env })).ended
  expect(code, stdout + stderr).toBe(0)
  const { numPassedTests, numFailedTests } = JSON.parse(stdout.slice(stdout.indexOf('{')))
  expect(numFailedTests).toBe(0)
  expect(numPassedTests).toBeGreaterThan(20)
  serving.child.kill('SIGTERM')
  expect((await serving.ended).code).toBe(0)
})
