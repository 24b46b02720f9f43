/**
 * Compares the matching engine with the Python packages that people use for record linkage, on labelled sets. Needs `npm run build` and
 * python3; the first call installs the packages into a virtual environment in the cache folder of the user.
 *
 *   npm run bench -- peers --data FOLDER [--python python3]       FOLDER holds uk-gpg, listed and sec, each with register.csv and queries.csv
 *
 * Each peer is measured on the `dev` queries, with the cut of best F1 on `train`; the engine with its shipped decision, and in a second line
 * with such a cut, by its score alone. In brackets the middle 95 % of 400 resamplings.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { absentEvidence, buildIndex, estimateFacts, match, rowEvidence } from '../build/service/matching/index.js'
import { bestCut, companyOf, interval, quality, queryOf, readCsv } from './lib/matching-data.mjs'

const VIEWS = [
  ['uk-gpg', ['name', 'address1', 'town', 'postcode', 'country']],
  ['uk-gpg', ['name', 'country']],
  ['listed', ['name', 'country']],
  ['sec', ['name']],
]
const ALL = ['name', 'address1', 'town', 'postcode', 'country', 'orgNumber']

const { values } = parseArgs({ options: { data: { type: 'string' }, python: { type: 'string', default: 'python3' } } })
if (values.data === undefined) throw new Error('usage: npm run bench -- peers --data FOLDER [--python python3]')
const own = name => fileURLToPath(new URL(`./peers/${name}`, import.meta.url))

function run(command, args, options = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
    ...options,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}`)
  return String(stdout)
}

/** The Python of the environment in the cache. */
function environment() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fettle-bench', 'peers')
  const python = join(folder, 'bin', 'python')
  if (!existsSync(python)) run(values.python, ['-m', 'venv', folder])
  run(python, ['-m', 'pip', 'install', '--quiet', '--requirement', own('requirements.txt')])
  return python
}

const isRight = ({ expected }, id) => (expected === '' ? null : id === expected)

/** The engine's answers to rows, with the facts that it estimates from them. */
function engineAnswers(companies, rows, columns) {
  const index = buildIndex(companies)
  const ignored = ALL.filter(column => !columns.includes(column))
  const queries = rows.map(row => queryOf(row, ignored))
  const facts = estimateFacts(
    queries.map(query => rowEvidence(index, query)),
    Array.from({ length: Math.min(2000, companies.length) }, (_, at) => absentEvidence(index, queries[at % queries.length], at)),
  )
  const before = process.cpuUsage()
  const found = queries.map(query => match(index, query, undefined, facts))
  const { user, system } = process.cpuUsage(before)
  const answers = found.map(({ decision, score, candidates }, at) => ({
    decision,
    score,
    right: isRight(rows[at], companies[candidates[0]?.company]?.id),
  }))
  return { answers, perSecond: Math.round((rows.length / (user + system)) * 1e6) }
}

const decidedAt = (cut, answers) => answers.map(one => ({ ...one, decision: one.score >= cut ? 'matched' : 'unmatched' }))

const shown = value => (value === null ? '–' : value.toFixed(3).replace(/^0/, ''))

function printLine(peer, answers, perSecond) {
  const one = quality(answers)
  const cells = ['top1', 'precision', 'recall', 'f1'].map(name => {
    const [low, high] = interval(answers, sample => quality(sample)[name])
    return `${shown(one[name])} [${shown(low)}–${shown(high)}]`.padStart(20)
  })
  process.stdout.write(`${peer.padEnd(42)}${cells.join('')}${String(perSecond).padStart(9)}\n`)
}

const python = environment()
for (const [set, columns] of VIEWS) {
  const folder = join(values.data, set)
  const companies = readCsv(join(folder, 'register.csv')).map(companyOf)
  const rows = readCsv(join(folder, 'queries.csv'))
  const dev = rows.filter(row => row.split === 'dev')
  const heads = ['top1', 'precision', 'recall', 'F1'].map(head => head.padStart(20)).join('')
  process.stdout.write(`\n${`${set}, ${columns.join(', ')}`.padEnd(42)}${heads}${'rows/s'.padStart(9)}\n`)
  const { answers, perSecond } = engineAnswers(companies, dev, columns)
  const learned = engineAnswers(
    companies,
    rows.filter(row => row.split === 'train'),
    columns,
  )
  printLine('fettle', answers, perSecond)
  printLine('fettle, its score at a cut', decidedAt(bestCut(learned.answers).cut, answers), perSecond)
  const lines = run(python, [own('peers.py'), folder, columns.join(',')])
    .trim()
    .split('\n')
  for (const { peer, perSecond: speed, answers: found } of lines.map(line => JSON.parse(line))) {
    const scored = split =>
      rows.filter(row => row.split === split).map(row => ({ right: isRight(row, found[row.qid][0]), score: found[row.qid][1] }))
    printLine(peer, decidedAt(bestCut(scored('train')).cut, scored('dev')), speed)
  }
}
