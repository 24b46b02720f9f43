/**
 * The structural scan alone, in this process: everything that `check` looks at but the cells of mapped columns. Small files are
 * taken several times; prints the rows, and the fastest and the median seconds. `node bench/lib/csv-scan.mjs FILE`
 */
import { inspect } from '../../build/input/index.js'

const path = process.argv[2]
const all = []
const beganAt = performance.now()
let rows = 0
while (all.length === 0 || (performance.now() - beganAt < 1_000 && all.length < 25)) {
  const startedAt = performance.now()
  const { facts, issues } = await inspect({
    path,
    encoding: 'auto',
    delimiter: 'auto',
    header: true,
    quotes: 'strict',
    skip: { head: 0, tail: 0 },
    sheet: null,
  })
  all.push((performance.now() - startedAt) / 1000)
  if (facts === null || issues.length > 0) throw new Error(`the table has issues: ${JSON.stringify(issues)}`)
  rows = facts.rows
}
all.sort((a, b) => a - b)
console.log(JSON.stringify({ rows, seconds: all[0], median: all[Math.floor(all.length / 2)] }))
