/**
 * A long list in several remote jobs against the embedded service: once undisturbed, once killed (SIGKILL) in the middle and
 * taken up by `fettle resume`. Prints wall time, peak memory, and whether both gave the same bytes with as many jobs as parts.
 * `npm run bench -- split`, after `npm run build`; `-- --rows 1000000 --jobs 20` is the size that is promised.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    jobs: { type: 'string', default: '20' },
    collapse: { type: 'boolean' },
  },
})
const rows = Number(values.rows)
const jobs = Number(values.jobs)
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const peakPreload = fileURLToPath(new URL('lib/peak.mjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
const register = readFileSync(new URL('../samples/register.csv', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)

/** Companies of the sample register as somebody may have typed them; every third is unknown to it. */
async function writeList(path) {
  const lines = ['id,company,number,town,postcode,country']
  for (let n = 0; n < rows; n++) {
    const [, name = '', , number = ''] = (register[(n * 7919) % 6000] ?? '').split(',')
    const typed = n % 3 === 0 ? `Unheard Of ${n} Ltd` : name.replace(/"/g, '').slice(0, n % 2 === 0 ? 40 : 12)
    lines.push(`${n + 1},"${typed}",${n % 3 === 0 || n % 5 !== 0 ? '' : number},"Town ${n % 900}",,GB`)
  }
  await writeFile(path, `${lines.join('\n')}\n`)
}

const pipeline = name => `name: ${name}
input: list.csv
mappings: { name: company, orgNumber: number, countryCode: country }
job: { split: ${Math.ceil(rows / jobs)}, concurrency: 4${values.collapse ? ', collapse: true' : ''} }
poll: { every: 500ms }
output: { path: out/${name}.csv, columns: ["*", general.connectId, match.outcome, match.score] }
`

const fettle = (args, peak) =>
  spawn(process.execPath, ['--import', peakPreload, main, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, BENCH_PEAK: peak },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
const ended = child => new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))

async function hashOf(path) {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

const events = id =>
  readFileSync(join(folder, 'fettle-runs', id, 'journal.jsonl'), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
const runOf = name => readdirSync(join(folder, 'fettle-runs')).find(id => id.includes(`-${name}-`))

async function measured(label, args) {
  const peak = join(folder, 'peak')
  const start = performance.now()
  const code = await ended(fettle(args, peak))
  const seconds = (performance.now() - start) / 1000
  const mb = Number(readFileSync(peak, 'utf8'))
  console.log(
    `${label.padEnd(28)} exit ${code}  ${seconds.toFixed(0)} s  ${Math.round(rows / seconds)} rows/s  peak ${mb.toFixed(0)} MB`,
  )
  return code
}

try {
  console.log(`${rows} rows in ${jobs} jobs, node ${process.version}, ${cpus().length} CPUs, load ${loadavg()[0].toFixed(1)}`)
  await writeList(join(folder, 'list.csv'))
  for (const name of ['calm', 'killed']) await writeFile(join(folder, `${name}.yml`), pipeline(name))
  await measured('undisturbed', ['run', 'calm.yml', '-q'])
  const child = fettle(['run', 'killed.yml', '-q'], join(folder, 'peak-killed'))
  const gone = ended(child)
  const isHalfDone = () => {
    const id = runOf('killed')
    return id !== undefined && events(id).filter(({ type }) => type === 'match.finished').length >= jobs / 2
  }
  while (child.exitCode === null && !isHalfDone()) await sleep(200)
  child.kill('SIGKILL')
  console.log(`killed with half of the jobs matched: ${await gone}`)
  await measured('resumed', ['resume', '-q'])
  const created = new Set(events(runOf('killed')).flatMap(({ type, id }) => (type === 'job.created' ? [id] : [])))
  const same = (await hashOf(join(folder, 'out/calm.csv'))) === (await hashOf(join(folder, 'out/killed.csv')))
  console.log(`${created.size} jobs; the output is ${same ? 'the same, byte for byte' : 'ANOTHER ONE'}`)
  process.exitCode = same && created.size === jobs ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
