/** `fettle --help` beside a bare node start: wall milliseconds of whole processes, median of several, and the ratio. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROUNDS = 15
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

const time = args => {
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return performance.now() - startedAt
}
const median = values => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

const bare = []
const help = []
for (let round = 0; round <= ROUNDS; round++) {
  const pair = [time(['-e', '0']), time([main, '--help'])]
  // The first round warms the file cache.
  if (round > 0) {
    bare.push(pair[0])
    help.push(pair[1])
  }
}
const figures = { node: process.version, rounds: ROUNDS, bareMs: Math.round(median(bare)), helpMs: Math.round(median(help)) }
console.log(
  `bare node ${figures.bareMs} ms, fettle --help ${figures.helpMs} ms, ratio ${(median(help) / median(bare)).toFixed(2)} (aim: 3 or less)`,
)
console.log(JSON.stringify({ ...figures, ratio: Number((median(help) / median(bare)).toFixed(2)) }))
