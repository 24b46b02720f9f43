/** Importing an entry of the package loads modules and nothing else: it reads no file and compiles no WebAssembly. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const entryOf = (name: string): string => fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url))

/** Records reads and compilations that Node does not make itself (its loader, its bundled HTTP client), then imports the entry. */
const PROBE = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const found = []
const isNode = (stack, args) =>
  /node:internal/.test(stack.split('\\n')[2] ?? '') || /^file:.*\\.js$/.test(String(args[0]))
const record = (owner, name, isClass) => {
  const original = owner[name]
  const report = args => {
    const stack = new Error().stack.replace(/\\n[^\\n]*at report[^\\n]*/, '')
    if (!isNode(stack, args)) found.push(name + ' ' + String(args[0]).slice(-99))
  }
  owner[name] = isClass
    ? class extends original { constructor(...args) { report(args); super(...args) } }
    : Object.assign(function (...args) { report(args); return original.apply(this, args) }, original)
}
for (const name of ['readFileSync', 'openSync', 'statSync', 'existsSync', 'readdirSync', 'readFile', 'createReadStream']) record(fs, name)
for (const name of ['readFile', 'open', 'stat', 'readdir']) record(fs.promises, name)
record(WebAssembly, 'Module', true)
for (const name of ['compile', 'instantiate']) record(WebAssembly, name)
syncBuiltinESMExports()
await import(process.argv.at(-1))
console.log(JSON.stringify(found))
`

const probe = (entry: string): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', PROBE, '--', entry], { encoding: 'utf8' }))

test.each(['index', 'client/index', 'service/index'])('%s reads no file and compiles nothing', name => {
  expect(probe(entryOf(name))).toEqual([])
})

test('the probe reports a package that reads and compiles when it is imported', () => {
  expect(probe('node-sqlite3-wasm')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^readFileSync .*\.wasm$/), expect.stringMatching(/^Module /)]),
  )
})
