/** Compiles and runs the programs of docs/library.md and docs/dags.md in a folder with the samples, against the embedded service. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'fettle-programs-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const programsOf = (document: string): string[] =>
  [...readFileSync(join(ROOT, 'docs', document), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text)

const OUTPUTS: Readonly<Record<string, readonly RegExp[]>> = {
  'library.md': [
    /^\d+ rows\n(?:success|warn) 0\.\d+ out\/clean\.csv\n$/,
    /^### \S first-rows: /,
    /^matched GB-X-10967331 name /,
    /^1 matched\n2 unmatched\n$/,
    /^sigint cancelled true\n(?:success|warn)\n$/,
    /^FETTLE_\w+ retryable true true\n$/,
    /^ready 0\n(?:success|warn) true\n$/,
    /^(?:success|warn) \d+\n$/,
    /^started \S+\ncreate true\n[\s\S]*download true\n(?:success|warn)\n$/,
  ],
  'dags.md': [/^7 stages\n$/],
}

const all = Object.entries(OUTPUTS).flatMap(([document, expected]) =>
  programsOf(document).map((text, at) => ({ document, number: at + 1, text, expected: expected[at] })),
)
const END = '\n--- the end of a program ---\n'

/** Every program in a folder of its own, all in one process: it loads fettle once. Resolves with what each printed. */
async function printed(): Promise<string[]> {
  const folders = all.map(({ text }) => {
    const cwd = mkdtempSync(join(home, 'program-'))
    for (const name of ['samples', 'pipelines', 'node_modules']) symlinkSync(join(ROOT, name), join(cwd, name))
    const { outputText } = ts.transpileModule(text.replaceAll("'fettle'", JSON.stringify(join(ROOT, 'dist/index.js'))), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    })
    writeFileSync(join(cwd, 'program.mjs'), outputText)
    return cwd
  })
  const main = join(home, 'main.mjs')
  writeFileSync(
    main,
    `for (const folder of ${JSON.stringify(folders)}) {
      process.chdir(folder)
      await import(folder + '/program.mjs')
      process.stdout.write(${JSON.stringify(END)})
    }`,
  )
  const env = { PATH: process.env.PATH, FETTLE_DATA: join(home, 'data'), FETTLE_REGISTER: 'sample' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main], { cwd: home, env })
  expect(stderr).toBe('')
  return stdout.split(END)
}

test('each program has an expected output', () => expect(all).toHaveLength(Object.values(OUTPUTS).flat().length))

describe('run', () => {
  let outputs: readonly string[]
  beforeAll(async () => {
    outputs = await printed()
  }, 240_000)

  test.each(all.map(({ document, number, expected }, at) => [document, number, at, expected] as const))(
    '%s, program %i',
    (_, _number, at, expected) => expect(outputs[at]).toMatch(expected!),
  )

  test('and print nothing after their end', () => expect(outputs.slice(all.length)).toEqual(['']))
})
