/** Runs one benchmark: `npm run bench -- NAME [arguments]`. Without a name, lists them. They measure dist/: run `npm run build` first. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { installExtras } from '../scripts/extras.mjs'

const folder = new URL('./', import.meta.url)
const names = readdirSync(folder)
  .filter(name => name.endsWith('.mjs') && name !== 'run.mjs')
  .map(name => name.slice(0, -'.mjs'.length))

const fileOf = name => fileURLToPath(new URL(`${name}.mjs`, folder))

/** The first sentence of a file's head. */
function summary(name) {
  const [, head = ''] = /\/\*\*([\s\S]*?)\*\//.exec(readFileSync(fileOf(name), 'utf8')) ?? []
  return head
    .replace(/\s*\n \* ?/g, ' ')
    .trim()
    .replace(/([.:]) .*/, '$1')
    .replace(/:$/, '.')
}

const [name, ...args] = process.argv.slice(2)
if (names.includes(name)) {
  installExtras('bench', 'optional')
  process.exitCode = spawnSync(process.execPath, [fileOf(name), ...args], { stdio: 'inherit' }).status ?? 1
} else {
  const list = names.map(one => `  ${one.padEnd(10)}${summary(one)}`).join('\n')
  const usage = `npm run bench -- NAME [arguments]\n\n${list}\n`
  if (name === undefined) process.stdout.write(usage)
  else {
    process.stderr.write(`no benchmark is named ${name}\n\n${usage}`)
    process.exitCode = 2
  }
}
