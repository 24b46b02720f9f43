/**
 * Measures the matching engine on a register and labelled queries: quality per kind at the shipped decision, the curve, speed and
 * memory. Needs `npm run build`.
 *
 *   npm run bench -- matching --register R.csv --queries Q.csv [--ignore column[,column]] [--split dev] [--json] [--floor top1=.96,recall=.9]
 *   npm run bench -- matching --register R.csv --queries Q.csv --peers [--peer-rows 300]
 *                                        the npm libraries people would pick, on the same rows (so many, spread over all)
 *   npm run bench -- matching --register R.csv --queries Q.csv --split dev --misses [--list]   rows not answered right, by cause
 *   npm run bench -- matching --data FOLDER --split dev                    all labelled sets: by place and number, with most rows absent, calibration
 *   npm run bench -- matching --data FOLDER --split dev --precision          what a wished precision of .95, .98 and .99 gives
 *   npm run bench -- matching --data FOLDER --split dev --learned            what twenty decisions of a review teach about the others
 *   npm run bench -- matching --names cases.csv                            labelled pairs of names, beside their logicV2 column
 *
 * The queries' columns are qid,name,address1,town,postcode,country,orgNumber,kind,split,expected; an empty `expected` says that
 * the register does not hold the company. A match given to such a row counts as false. `--floor` ends with 1 below its figures.
 */
import { parseArgs } from 'node:util'
import { selectCandidates } from '../build/service/matching/blocking/candidates.js'
import { buildIndex, match } from '../build/service/matching/index.js'
import { prepareQuery } from '../build/service/matching/query.js'
import { bestCut, companyOf, figure, quality, qualityAt, queryOf, readCsv } from './lib/matching-data.mjs'
import { measureLearned } from './lib/matching-learned.mjs'
import { printMisses } from './lib/matching-misses.mjs'
import { measureNames } from './lib/matching-names.mjs'
import { measurePeers } from './lib/matching-peers.mjs'
import { measurePrecision } from './lib/matching-precision.mjs'
import { measureSets } from './lib/matching-sets.mjs'

const USAGE =
  'usage: npm run bench -- matching --register R.csv --queries Q.csv [--ignore columns] [--split dev] [--peers [--peer-rows 300]] [--misses [--list]] [--json] [--floor name=least,…]\n' +
  '   or: npm run bench -- matching --data FOLDER [--split dev] [--precision | --learned] [--json]\n' +
  '   or: npm run bench -- matching --names cases.csv [--json] [--floor f1=least]'
/** Speed is taken over at least this long, after one pass to warm up: a thousand rows alone measure the compiler. */
const LEAST_MS = 1500

const { values } = parseArgs({
  options: {
    register: { type: 'string' },
    queries: { type: 'string' },
    names: { type: 'string' },
    data: { type: 'string' },
    ignore: { type: 'string', default: '' },
    split: { type: 'string', default: '' },
    peers: { type: 'boolean', default: false },
    'peer-rows': { type: 'string', default: '300' },
    misses: { type: 'boolean', default: false },
    precision: { type: 'boolean', default: false },
    learned: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    floor: { type: 'string', default: '' },
  },
})
const print = line => process.stdout.write(`${line}\n`)

/** Builds, asks, times. */
function measure(companies, rows, ignored) {
  const started = performance.now()
  const index = buildIndex(companies)
  const buildSeconds = (performance.now() - started) / 1000
  const queries = rows.map(row => queryOf(row, ignored))
  const answers = rows.map(({ expected }, at) => {
    const found = match(index, queries[at])
    const first = companies[found.candidates[0]?.company]?.id
    const held =
      expected === '' || selectCandidates(index, prepareQuery(index, queries[at])).some(one => companies[one].id === expected)
    return { right: expected === '' ? null : first === expected, held, ...found }
  })
  const timed = performance.now()
  const before = process.cpuUsage()
  let asked = 0
  while (performance.now() - timed < LEAST_MS) {
    for (const query of queries) match(index, query)
    asked += queries.length
  }
  const rowsPerSecond = Math.round(asked / ((performance.now() - timed) / 1000))
  const { user, system } = process.cpuUsage(before)
  const perCpuSecond = Math.round((asked / (user + system)) * 1e6)
  const memoryMb = Math.round(process.memoryUsage.rss() / 1024 / 1024)
  return {
    index,
    queries,
    answers,
    perCpuSecond,
    figures: { rowsPerSecond, buildSeconds: Number(buildSeconds.toFixed(3)), memoryMb },
  }
}

const QUALITY = ['top1', 'precision', 'recall', 'f1', 'reviewShare']

function printKinds(rows, answers) {
  print(`${'kind'.padEnd(18)}${'rows'.padStart(6)}${QUALITY.map(name => name.padStart(12)).join('')}`)
  for (const kind of [...new Set(rows.map(row => row.kind))].sort().concat('overall')) {
    const which = answers.filter((_, at) => kind === 'overall' || rows[at].kind === kind)
    const one = quality(which)
    print(`${kind.padEnd(18)}${String(which.length).padStart(6)}${QUALITY.map(name => figure(one[name])).join('')}`)
  }
  const known = answers.filter(one => one.right !== null)
  print(`the right company is among the candidates: ${figure(known.filter(one => one.held).length / known.length).trim()}`)
}

function printCurve(answers) {
  print(
    `\n${'score from'.padEnd(18)}${['precision', 'recall', 'f1'].map(name => name.padStart(12)).join('')}   whatever the margin`,
  )
  for (const cut of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]) {
    const one = qualityAt(answers, cut)
    print(`${String(cut).padEnd(18)}${figure(one.precision)}${figure(one.recall)}${figure(one.f1)}`)
  }
  for (const [name, one] of [
    ['best F1', bestCut(answers)],
    ['precision ≥ .98', bestCut(answers, 0.98)],
    ['precision ≥ .99', bestCut(answers, 0.99)],
  ])
    print(
      `${name.padEnd(18)}${figure(one?.precision)}${figure(one?.recall)}${figure(one?.f1)}   at ${one?.cut.toFixed(3) ?? '–'}`,
    )
  print('')
}

/** Ends with 1 when a figure is below what `--floor` asks for. */
function holdFloor(result) {
  for (const part of values.floor.split(',').filter(text => text !== '')) {
    const [name, least] = part.split('=')
    if (!(name in result) || !(Number(least) >= 0))
      throw new Error(`--floor: ${part} is not name=least; names: ${Object.keys(result).join(', ')}`)
    if ((result[name] ?? 0) >= Number(least)) continue
    process.stderr.write(`floor: ${name} is ${result[name]}, below ${least}\n`)
    process.exitCode = 1
  }
}

let result
if (values.names !== undefined) result = measureNames(readCsv(values.names), print)
else if (values.data !== undefined)
  result = (values.precision ? measurePrecision : values.learned ? measureLearned : measureSets)(values.data, values.split, print)
else if (values.register === undefined || values.queries === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 2
} else {
  const companies = readCsv(values.register).map(companyOf)
  const all = readCsv(values.queries)
  const rows = all.filter(row => values.split === '' || row.split === values.split)
  const { index, queries, answers, perCpuSecond, figures } = measure(companies, rows, values.ignore.split(','))
  print(
    `${companies.length} companies, ${rows.length} queries, ${new Date().toISOString().slice(0, 10)}, node ${process.version}`,
  )
  printKinds(rows, answers)
  printCurve(answers)
  print(
    `${figures.rowsPerSecond} rows/s (${perCpuSecond} a second of processor time), built in ${figures.buildSeconds} s, ${figures.memoryMb} MB`,
  )
  if (values.misses) printMisses(index, companies, rows, queries, answers, values.list, print)
  if (values.peers) await measurePeers(companies, all, rows, answers, Number(values['peer-rows']), print)
  result = { ...quality(answers), ...figures }
}
if (result !== undefined) holdFloor(result)
if (result !== undefined && values.json) print(JSON.stringify(result))
