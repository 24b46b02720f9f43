/**
 * Fuzzes every play by its own description with all checks of Schemathesis: what the description allows is accepted, what it does not is
 * refused, answers are as described. The same cases each time; with FETTLE_FUZZ_SECONDS random ones, for so long in each play.
 */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { PLAY_NAMES } from '../../../src/service/plays.ts'
import { pythonMissing, pythonWith } from '../../system/examples/python.ts'
import { send, startService, temporaryFolder } from '../../unit/service/kit.ts'

const HERE = import.meta.dirname
const { FETTLE_FUZZ_SECONDS: SECONDS } = process.env
const AMOUNT =
  SECONDS === undefined
    ? ['--generation-deterministic', '--max-examples', '12']
    : ['--max-time', SECONDS, '--generation-database', 'none']

const execute = promisify(execFile)

describe.skipIf(pythonMissing !== null)('fuzzing', () => {
  test.each(PLAY_NAMES)('finds nothing in %s', async play => {
    const bin = await pythonWith('test/contract/fuzz/requirements.txt')
    const service = await startService({ play })
    const { username, password, url } = service
    const { token } = (await send(`${url}/authenticate`, 'POST', { username, password })).body
    const args = [
      ...['--config-file', join(HERE, 'schemathesis.toml'), 'run', `${url}/openapi.json`, '--checks', 'all'],
      ...['--header', `Authorization: Bearer ${token}`, ...AMOUNT],
    ]
    const { code, stdout, stderr } = await execute(join(bin, 'schemathesis'), args, {
      // It writes a folder.
      cwd: await temporaryFolder(),
      env: { ...process.env, PYTHONPATH: HERE, PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}` },
      maxBuffer: 2 ** 28,
    }).then(
      done => ({ ...done, code: 0 }),
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    )
    expect(code, stdout + stderr).toBe(0)
    // It has fuzzed.
    expect(Number(/(\d+) generated, \1 passed/.exec(stdout)?.[1] ?? 0), stdout).toBeGreaterThan(100)
  })
})
