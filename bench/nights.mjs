/**
 * A list that is sent night after night, with `reuse` and in full, to a service. Each night a hundredth of the rows is new, a
 * hundredth is changed and a two-hundredth is gone; in every third night the run with `reuse` is killed and started again. Prints rows
 * sent, credits (one for each row that is sent and found), time and memory of each night. Ends with 1 when an output is not that of the full night, or a row is asked twice
 * within its age.
 *
 *   npm run build && npm run bench -- nights [--rows 100000] [--nights 30] [--full 1]
 *
 * `--full 5` runs every fifth night, and the first, in full as well.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serve } from '../build/service/index.js'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    nights: { type: 'string', default: '30' },
    full: { type: 'string', default: '1' },
  },
})
const [rows, nights, every] = [Number(values.rows), Number(values.nights), Number(values.full)]
const AGES = { matched: 30, unmatched: 7, review: 7 }
const folder = await mkdtemp(join(tmpdir(), 'fettle-nights-'))
const env = { FETTLE_DATA: join(folder, 'data') }
const child = fileURLToPath(new URL('lib/night.mjs', import.meta.url))

/** The same numbers in each call of the benchmark. */
let seed = 1
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const word = at =>
  [...String(at).padStart(7, '0')].map(digit => ['ha', 'be', 'do', 'fe', 'gi', 'lo', 'ma', 'ne', 'po', 'ru'][digit]).join('')
const nameOf = at => `${word(at)} ${word((at * 7919) % 10_000_000)}`
/** Nine of ten rows are in the register; a changed row has another legal form, and a fifth of them another name. */
const cellsOf = ({ at, version }) => {
  const name = at % 10 === 0 ? `Unheard ${word(at * 3)} ${at}` : nameOf(at)
  if (version === 0) return `${name} Ltd`
  return version % 5 === 0
    ? `${nameOf(at + version)} Ltd`
    : `${name} ${['Limited', 'Holdings', 'LTD.', 'UK'][version % 4]} ${version > 4 ? version : ''}`.trim()
}

let next = rows
const list = Array.from({ length: rows }, (_, at) => ({ at, version: 0 }))
function change() {
  const [few, gone] = [Math.round(rows / 100), Math.round(rows / 200)]
  for (let n = 0; n < few; n++) {
    const at = Math.floor(random() * list.length)
    list[at] = { ...list[at], version: list[at].version + 1 }
  }
  for (let n = 0; n < gone; n++) list.splice(Math.floor(random() * list.length), 1)
  for (let n = 0; n < few; n++) list.push({ at: next++, version: 0 })
}

// Not the score: a run with `reuse` keeps what was fitted to the first list, a full one is fitted to its own.
const COLUMNS = ['*', 'general.connectId', 'general.companyName', 'match.outcome']
const pipelineOf = (name, more, columns) => ({
  name,
  input: { path: 'in.csv', key: 'key' },
  mappings: { name: 'name', countryCode: { value: 'GB' } },
  enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
  report: { rows: 'none' },
  poll: { every: '500ms' },
  ...more,
  output: { path: `${name}.csv`, columns },
})
const FULL = pipelineOf('full', {}, COLUMNS)
const NIGHTLY = pipelineOf(
  'nightly',
  { reuse: Object.fromEntries(Object.entries(AGES).map(([kind, days]) => [kind, `${days}d`])) },
  [...COLUMNS, 'answer.reused'],
)

function start(pipeline, days) {
  const task = JSON.stringify({ pipeline, cwd: folder, env, runsDir: join(folder, `runs-${pipeline.name}`), days })
  const process_ = spawn(process.execPath, [child, task], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  process_.stdout.on('data', piece => {
    out += piece
  })
  const ended = new Promise(resolve => process_.on('close', (code, signal) => resolve({ code, signal, out })))
  return { kill: () => process_.kill('SIGKILL'), ended }
}

async function night(pipeline, days, killAfter) {
  const first = start(pipeline, days)
  let isKilled = false
  if (killAfter !== null) {
    const stop = new AbortController()
    await Promise.race([first.ended, wait(killAfter, undefined, { signal: stop.signal })])
    stop.abort()
    isKilled = first.kill()
  }
  let { code, signal, out } = await first.ended
  if (signal === 'SIGKILL') ({ code, out } = await start(pipeline, days).ended)
  if (code !== 0) throw new Error(`${pipeline.name} ended ${code}`)
  return { ...JSON.parse(out), isKilled: isKilled && signal === 'SIGKILL' }
}

async function* linesOf(name) {
  const file = await open(join(folder, name))
  yield* file.readLines()
}

/** When each row was answered, and its age. */
const asked = new Map()
let twice = 0
const FOUND = ['matched', 'duplicate', 'manualMatched']
let others = 0
async function check(day, isCompared) {
  const full = isCompared ? linesOf('full.csv') : null
  const fresh = new Map()
  const credits = { own: 0, full: 0 }
  for await (const line of linesOf('nightly.csv')) {
    const cells = line.split(',')
    if (full !== null && `${(await full.next()).value},${cells.at(-1)}` !== line) others++
    const isFound = FOUND.includes(cells[4])
    if (isFound) credits.full++
    if (cells[0] === 'key' || cells.at(-1) !== 'N') continue
    if (isFound) credits.own++
    const question = cells[1]
    const before = asked.get(question)
    if (before !== undefined && day - before.day < before.age) twice++
    fresh.set(question, { day, age: AGES[cells[4]] ?? AGES.matched })
  }
  if (full !== null && !(await full.next()).done) others++
  for (const [question, answer] of fresh) asked.set(question, answer)
  return credits
}

const answers = join(folder, 'runs-nightly', 'answers')
const storeBytes = () =>
  readdirSync(answers, { recursive: true }).reduce((sum, name) => sum + statSync(join(answers, name)).size, 0)
let closing = async () => {}
const print = line => process.stdout.write(`${line}\n`)
const cell = (value, width) => String(value).padStart(width)

try {
  const register = join(folder, 'register.csv')
  const last = rows + Math.ceil((rows * nights) / 100)
  const companies = Array.from({ length: last }, (_, at) => `${at},${nameOf(at)} Limited,GB,${10_000_000 + at}`)
  writeFileSync(register, ['id,name,country,orgNumber', ...companies].join('\n'))
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
  const imported = spawnSync(process.execPath, [main, 'register', 'import', 'csv', register, '--name', 'bench'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (imported.status !== 0) throw new Error(imported.stderr)
  const login = { username: 'bench', password: 'bench password' }
  const rates = { all: { requests: 1000, perMs: 1000 } }
  const service = await serve({
    dataDir: join(folder, 'service'),
    registerDir: join(env.FETTLE_DATA, 'registers'),
    users: [login],
    rates,
  })
  Object.assign(env, { FETTLE_URL: service.url, FETTLE_USERNAME: login.username, FETTLE_PASSWORD: login.password })
  closing = () => service.close()
  print('night    rows    known     sent  credits  in full    s  in full  ratio   MB  in full  store MB')
  const sums = { sent: 0, credits: 0, full: 0, kills: 0, compared: 0 }
  const ratios = []
  let usual = Number.POSITIVE_INFINITY
  for (let day = 0; day < nights; day++) {
    if (day > 0) change()
    writeFileSync(join(folder, 'in.csv'), ['key,name', ...list.map(row => `K${row.at},${cellsOf(row)}`), ''].join('\n'))
    const isCompared = day % every === 0
    const full = isCompared ? await night(FULL, day, null) : null
    const own = await night(NIGHTLY, day, day % 3 === 2 ? Math.round((0.1 + 0.5 * random()) * usual) : null)
    if (day > 0 && !own.isKilled) usual = Math.min(usual, own.seconds * 1000)
    const credits = await check(day, isCompared)
    const { reuse } = own
    sums.sent += reuse.sent
    sums.credits += credits.own
    sums.full += credits.full
    sums.compared += isCompared ? 1 : 0
    sums.kills += own.isKilled ? 1 : 0
    const ratio = full === null || own.isKilled ? null : own.seconds / full.seconds
    if (ratio !== null && day > 0) ratios.push(ratio)
    print(
      `${cell(day + 1, 5)}${cell(list.length, 8)}${cell(reuse.known, 9)}${cell(reuse.sent, 9)}${cell(credits.own, 9)}${cell(credits.full, 9)}${cell(own.isKilled ? 'kill' : own.seconds.toFixed(1), 5)}${cell(full === null ? '–' : full.seconds.toFixed(1), 9)}${cell(ratio === null ? '–' : ratio.toFixed(2), 7)}${cell(own.mb, 5)}${cell(full?.mb ?? '–', 9)}${cell((storeBytes() / 1e6).toFixed(1), 10)}`,
    )
  }
  const middle = ratios.sort((a, b) => a - b)[ratios.length >> 1]
  print(`${sums.sent} rows sent in ${nights} nights, ${sums.credits} credits; ${sums.full} in full`)
  print(
    `time of a night beside a full one: ${middle === undefined ? '–' : middle.toFixed(2)} (median); ${sums.kills} nights killed`,
  )
  print(`${others} rows differ from those of ${sums.compared} full nights; ${twice} questions asked twice within their age`)
  if (others > 0 || twice > 0) process.exitCode = 1
} finally {
  await closing()
  await rm(folder, { recursive: true, force: true })
}
