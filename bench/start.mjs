/**
 * The price of a start: processor time, peak memory and wall time of whole processes beside a bare node. Medians of several
 * rounds: `--help`, importing the library, and a run of 20 rows with the embedded service and against a running one. `-- --rounds 5`.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startService } from './lib/service.mjs'
import { median } from './lib/timed.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const at = path => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'fettle-start-'))
const service = await startService(join(folder, 'service'))

try {
  for (const name of ['pipelines', 'samples']) cpSync(at(`../${name}`), join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'import.mjs'), `import ${JSON.stringify(at('../dist/index.js'))}`)
  const fettle = (...args) => [at('../dist/cli/main.js'), ...args]
  const run = fettle('run', 'pipelines/minimal.yml', '--new', '--quiet')
  const account = { FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password }
  const cases = [
    ['bare node', ['-e', '0'], {}],
    ['fettle --help', fettle('--help'), {}],
    ["import 'fettle'", ['import.mjs'], {}],
    ['run of 20 rows, embedded service', run, {}],
    ['run of 20 rows, running service', run, account],
  ]
  const measured = new Map(cases.map(([name]) => [name, []]))
  // The first round warms the file cache and the index of the register.
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [name, args, env] of cases) {
      const one = measure(args, env)
      if (round > 0) measured.get(name).push(one)
    }
  report(measured)
} finally {
  service.stop()
  rmSync(folder, { recursive: true, force: true })
}

function measure(args, env) {
  const usage = join(folder, 'usage')
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--import', at('lib/usage.mjs'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: join(folder, 'data'), BENCH_USAGE: usage, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  return { wallMs: performance.now() - startedAt, ...JSON.parse(readFileSync(usage, 'utf8')) }
}

function report(measured) {
  const rows = [...measured].map(([name, all]) => {
    const middle = key => Math.round(median(all.map(one => one[key])))
    return { name, cpuMs: middle('cpuMs'), peakMb: middle('peakMb'), wallMs: middle('wallMs') }
  })
  const [bare] = rows
  console.log(`${''.padEnd(36)}processor  of bare node  peak memory   wall`)
  for (const { name, cpuMs, peakMb, wallMs } of rows)
    console.log(
      `${name.padEnd(36)}${`${cpuMs} ms`.padStart(9)}${(cpuMs / bare.cpuMs).toFixed(1).padStart(14)}${`${peakMb} MB`.padStart(13)}${`${wallMs} ms`.padStart(10)}`,
    )
  console.log(JSON.stringify({ node: process.version, rounds: Number(values.rounds), rows }))
}
