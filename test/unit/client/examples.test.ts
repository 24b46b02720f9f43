/** Runs the programs of docs/client.md against a service. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { beforeAll, expect, test } from 'vitest'
import { importRegister } from '../../../src/service/registers/index.ts'
import { serve } from '../../../src/service/serve.ts'
import { temporaryFolder } from '../service/kit.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BLOCKS = [...readFileSync(join(ROOT, 'docs/client.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
  ([, text = '']) => text,
)
/** The first program up to its client, which the others use. */
const [PRELUDE = ''] = /^[\s\S]*?\nconst client = .*\n/.exec(BLOCKS[0] ?? '') ?? []
const PROGRAMS = BLOCKS.map((block, at) => (at === 0 ? block : `${PRELUDE}${block}\nawait client.close()\n`)).map(text =>
  text
    .replaceAll("'fettle/client'", JSON.stringify(join(ROOT, 'dist/client/index.js')))
    .replaceAll("'fettle'", JSON.stringify(join(ROOT, 'dist/index.js'))),
)
const TOLD = [
  /^created\n200 \S+ \d{4}-/,
  /^GB-X-\S+ .*MELLOR.*\n0\n$/i,
  /^\d+\n$/,
  /^FETTLE_FORBIDDEN 403\n$/,
  /^FETTLE_NOT_FOUND 404 /,
]

let env: Record<string, string>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-examples-'))
  const [registerDir, dataDir] = [join(folder, 'registers'), join(folder, 'service')]
  await importRegister({ file: join(ROOT, 'samples/register.csv'), name: 'sample', dir: registerDir, now: new Date(0) })
  const login = { username: 'reader', password: 'of the documents' }
  const service = await serve({ dataDir, registerDir, registers: ['sample'], users: [login] })
  env = { FETTLE_URL: service.url, FETTLE_USERNAME: login.username, FETTLE_PASSWORD: login.password }
  return async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}, 60_000)

test('there are programs', () => expect(PROGRAMS).toHaveLength(TOLD.length))

test.each(PROGRAMS.map((text, at) => [at + 1, text] as const))('program %i runs', async (number, text) => {
  const file = join(await temporaryFolder(), 'program.mjs')
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  writeFileSync(file, outputText)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env })
  expect(stderr).toBe('')
  expect(stdout).toMatch(TOLD[number - 1]!)
})
