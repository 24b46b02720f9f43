/**
 * How long 20 embedded runs that start at once hold the event loop: the longest turn by the clock, and by the processor time of the main
 * thread. Medians and worst of several rounds, for an idle machine. `npm run bench -- loop`, after `npm run build`; `-- --rounds 5 --runs 20`.
 */
import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './lib/timed.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, runs: { type: 'string', default: '20' } },
})
const at = path => fileURLToPath(new URL(path, import.meta.url))
const program = at('../test/unit/library/many-runs.mjs')
const library = new URL('../dist/index.js', import.meta.url).href

const rounds = Array.from({ length: Number(values.rounds) }, () => {
  const args = ['--expose-gc', program, 'together', values.runs, library]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
})
for (const [name, key] of [
  ['by the clock', 'elapsedMs'],
  ['by processor time', 'mostMs'],
]) {
  const all = rounds.map(one => one[key])
  console.log(`longest turn ${name.padEnd(18)} median ${median(all).toFixed(0)} ms, worst ${Math.max(...all).toFixed(0)} ms`)
}
console.log(`${values.runs} runs at once, ${values.rounds} rounds, load ${loadavg()[0].toFixed(1)}, node ${process.version}`)
