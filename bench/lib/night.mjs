/** One night in a process of its own, which the benchmark of nights may kill: reads its task from the arguments, prints its figures. */

import { realClock } from '../../build/client/clock.js'
import { run } from '../../dist/index.js'

const { pipeline, cwd, env, runsDir, days } = JSON.parse(process.argv[2])
const clock = { ...realClock, now: () => realClock.now() + days * 86_400_000 }
const started = performance.now()
const report = await run(pipeline, { cwd, env, runsDir, clock })
const seconds = (performance.now() - started) / 1000
const [{ reuse, inRegister }] = report.results
const { maxRSS } = process.resourceUsage()
process.stdout.write(JSON.stringify({ status: report.status, reuse, inRegister, seconds, mb: Math.round(maxRSS / 1024) }))
