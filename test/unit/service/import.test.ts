/** Importing `fettle/service` loads modules and nothing else: it reads no file and compiles no WebAssembly. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ENTRY = fileURLToPath(new URL('../../../dist/service/index.js', import.meta.url))

/** Records reads and compilations that the module loader of Node does not make itself, then imports the entry. */
const PROBE = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const found = []
const isLoader = stack => /node:internal\\/modules/.test(stack.split('\\n')[2] ?? '')
const record = (owner, name, isClass) => {
  const original = owner[name]
  const report = args => isLoader(new Error().stack.replace(/\\n[^\\n]*at report[^\\n]*/, '')) || found.push(name + ' ' + String(args[0]).slice(-99))
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

test('reads no file and compiles nothing', () => {
  expect(probe(ENTRY)).toEqual([])
})

test('the probe reports a package that reads and compiles when it is imported', () => {
  expect(probe('node-sqlite3-wasm')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^readFileSync .*\.wasm$/), expect.stringMatching(/^Module /)]),
  )
})
