/**
 * The price of kept runs: `fettle run` in a folder with few finished runs, and in one with many. The runs are copies of one finished run
 * with other ids and times, an hour between them. Prints the processor time (medians of several rounds) for each kind of run, and many divided by few.
 *
 *   npm run build && npm run bench -- history [--runs 5000] [--few 5] [--rounds 5]
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startService } from './lib/service.mjs'
import { median } from './lib/timed.mjs'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    few: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
  },
})
const counts = [Number(values.few), Number(values.runs)]
const at = path => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'fettle-history-'))
const service = await startService(join(folder, 'service'))
const account = { FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password }
const pipeline = more => `name: nightly
input: { path: samples/clean.csv }
mappings: { name: name, orgNumber: orgNumber, country: country }
poll: { every: 500ms, max: 500ms }
output: out/clean.csv
${more}`
const CASES = [
  ['embedded service', pipeline('register: sample\n'), [], {}],
  ['running service', pipeline(''), [], account],
  ['… with budget.month and a run key', pipeline('budget: { month: 1000000 }\n'), ['--run-key', 'night'], account],
  ['… with reuse', pipeline('reuse: { matched: 30d, unmatched: 30d, review: 30d }\n'), [], account],
]

try {
  const rows = CASES.map(measure)
  const width = Math.max(...CASES.map(([name]) => name.length)) + 2
  console.log(`${''.padEnd(width)}${counts.map(count => `${count} runs`.padStart(12)).join('')}${'ratio'.padStart(8)}`)
  for (const { name, ms } of rows)
    console.log(
      `${name.padEnd(width)}${ms.map(one => `${one} ms`.padStart(12)).join('')}${(ms[1] / ms[0]).toFixed(2).padStart(8)}`,
    )
  console.log(JSON.stringify({ node: process.version, rounds: Number(values.rounds), counts, rows }))
} finally {
  service.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Processor time of a run beside few and many others; the rounds of both alternate. */
function measure([name, text, args, env], number) {
  const places = counts.map(count => {
    const place = join(folder, `${number}-${count}`)
    mkdirSync(place)
    cpSync(at('../samples'), join(place, 'samples'), { recursive: true })
    writeFileSync(join(place, 'nightly.yml'), text)
    run(place, args, env)
    keep(join(place, 'fettle-runs'), count)
    return { place, all: [] }
  })
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const { place, all } of places) {
      const ms = run(place, args.length === 0 ? [] : [...args.slice(0, -1), `${args.at(-1)}-${round}`], env)
      if (round > 0) all.push(ms)
    }
  for (const { place } of places) rmSync(place, { recursive: true })
  return { name, ms: places.map(({ all }) => Math.round(median(all))) }
}

function run(place, args, env) {
  const usage = join(folder, 'usage')
  const command = ['--import', at('lib/usage.mjs'), at('../dist/cli/main.js'), 'run', 'nightly.yml', '--new', '-q', ...args]
  const { status, stderr } = spawnSync(process.execPath, command, {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: join(folder, 'data'), BENCH_USAGE: usage, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the run ended with ${status}: ${stderr}`)
  return JSON.parse(readFileSync(usage, 'utf8')).cpuMs
}

/** Copies the run that is there until there are `count`, each an hour before the one after it. */
function keep(runsDir, count) {
  const [id] = readdirSync(runsDir).filter(name => /^2\d{7}T/.test(name))
  const spending = join(runsDir, 'spending.jsonl')
  const lines = readText(spending)
    .split('\n')
    .filter(line => line.includes(id))
  const copies = []
  for (let number = 1; number < count; number++) {
    const earlier = text => text.replace(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, time => shifted(time, number))
    const time = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*/, '$1-$2-$3T$4:$5:$6Z')
    const start = shifted(time, number)
    const copy = `${start.slice(0, 19).replace(/[-:]/g, '')}${id.slice(15, -6)}${number.toString(16).padStart(6, '0')}`
    const renamed = text => earlier(text).replaceAll(id, copy)
    cpSync(join(runsDir, id), join(runsDir, copy), { recursive: true })
    const journal = join(runsDir, copy, 'journal.jsonl')
    writeFileSync(journal, sealed(renamed(readText(journal)).trimEnd().split('\n')))
    const report = join(runsDir, copy, 'report.json')
    writeFileSync(report, renamed(readText(report)))
    copies.unshift(...lines.map(renamed))
  }
  if (copies.length > 0) writeFileSync(spending, `${[...copies, ...lines].join('\n')}\n`)
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function shifted(time, hours) {
  return new Date(Date.parse(time) - hours * 3_600_000).toISOString()
}

/** The lines of a journal with their checksums: each is over the line and the checksum before it. */
function sealed(lines) {
  let head = ''
  return lines
    .map(line => {
      const json = line.replace(/,"sum":"[0-9a-f]{16}"\}$/, '}')
      head = createHash('sha256').update(head).update(json).digest('hex').slice(0, 16)
      return `${json.slice(0, -1)},"sum":"${head}"}\n`
    })
    .join('')
}
