/** Fault P12: no text may abort the process. Run in a child, since an abort cannot be caught. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'

const SRC = new URL('../../../src/', import.meta.url).pathname
const MODULES = new URL('../../../node_modules', import.meta.url).pathname
let folder: string

/** The folders that pipeline/ needs, as JavaScript: Node 20 cannot run the sources themselves. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-nesting-'))
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, rewriteRelativeImportExtensions: true }
  const write = (path: string): void => {
    const { outputText } = ts.transpileModule(readFileSync(join(SRC, path), 'utf8'), {
      compilerOptions: options,
      fileName: `${path}`,
    })
    writeFileSync(join(folder, path.replace(/\.ts$/, '.js')), outputText)
  }
  write('errors.ts')
  write('counted.ts')
  write('encodings.ts')
  write('nearest.ts')
  write('defined.ts')
  for (const part of ['contract', 'errors', 'formats', 'pipeline', 'model', 'decide']) {
    for (const name of readdirSync(join(SRC, part), { recursive: true, encoding: 'utf8' })) {
      mkdirSync(dirname(join(folder, part, name)), { recursive: true })
      if (name.endsWith('.ts')) write(`${part}/${name}`)
      else if (name.endsWith('.json')) copyFileSync(join(SRC, part, name), join(folder, part, name))
    }
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'child.js'),
    `import { parsePipeline } from './pipeline/parse.js'
const options = { file: 'p', env: {}, vars: {}, run: { date: '2026-03-31' } }
const codes = new Set()
const parse = (text, format = 'yaml') => codes.add(parsePipeline(text, { ...options, format }).issues[0]?.code ?? 'none')
// The abort needs a parser that has worked before.
for (let i = 0; i < 5; i++) parse('name: a\\ninput: b\\nmappings: { name: N, country: C }\\n')
const shapes = ['[', '{', '- ', '? ', ': ', '? - ', '- ? ', '{? ', '[? ', '{a: ', '[a: ', '- [', '- - {', '&a ', '&a [', '*a ', '*a : ', '"', "'", '>', '| ', 'a: ', 'a:\\n', '-\\n', ',', ']', '[,', '{,', '!a ', '!!seq [', '? [', '--- [', '\\t', '\\t[']
for (const shape of shapes) {
  for (const prefix of ['', 'name: a\\ntags: ', '- ']) parse(prefix + shape.repeat(Math.floor(200_000 / shape.length)))
}
const steps = (line, count) => Array.from({ length: count }, (_, i) => ' '.repeat(i) + line).join('\\n')
for (const line of ['a:', '-', '?', ':', '- a:', '? a:', '[', 'a: [', 'a: {b:']) parse(steps(line, 600))
parse('['.repeat(200_000), 'json')
parse('{"a":'.repeat(40_000), 'json')
parse('"' + '\\\\n'.repeat(100_000), 'json')
parse('k: v\\n'.repeat(40_000))
parse('a: &a [' + '*a,'.repeat(60_000) + ']')
parse(Array.from({ length: 20_000 }, (_, i) => 'k' + i + ': &a' + i + ' x').join('\\n').slice(0, 260_000))
console.log([...codes].sort().join(' '))
`,
  )
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('hostile nesting is reported within seconds and never aborts the process', () => {
  const started = performance.now()
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'child.js')], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' })
  expect(stdout.trim().split(' ')).toContain('FETTLE_PIPELINE_DEPTH')
  expect(performance.now() - started).toBeLessThan(20_000)
})
