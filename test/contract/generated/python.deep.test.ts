/** A Python client that openapi-python-client makes of the description runs a job without an edit by hand. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { pythonMissing, pythonWith } from '../../system/examples/python.ts'
import { send, startService, temporaryFolder } from '../../unit/service/kit.ts'

const call = promisify(execFile)

test.skipIf(pythonMissing !== null)('a generated Python client runs a job', { timeout: 600_000 }, async () => {
  const bin = await pythonWith('test/contract/generated/requirements.txt')
  const { url, username, password } = await startService()
  const cwd = await temporaryFolder()
  const description = join(cwd, 'openapi.json')
  await writeFile(description, JSON.stringify((await send(`${url}/openapi.json`)).body))
  await call(join(bin, 'openapi-python-client'), ['generate', '--path', description, '--output-path', 'made', '--meta', 'none'], {
    cwd,
  })
  const job = join(import.meta.dirname, 'job.py')
  const { stdout } = await call(join(bin, 'python'), [job, url, username, password], { cwd })
  expect(stdout).toMatch(/^1 http\S+\/files\//)
})
