/**
 * Compares the matching engine with the Python packages that people use for record linkage, on labelled sets. Needs `npm run build` and
 * python3; the first call installs the packages into virtual environments in the cache folder of the user.
 *
 *   npm run bench -- names --data FOLDER [--fetch] [--python python3] [--rows 1000] [--sets goc,ofac] [--peers tf-idf,splink]
 *
 * FOLDER holds the sets, or some of them, each with register.csv and queries.csv; `--fetch` writes seven that are published (peers/sets.py).
 * Each peer is measured on the `dev` queries, with the cut of best F1 on `train`; the engine with its shipped decision, and in a second line
 * with such a cut, by its score alone. `at .98`: precision and recall with the cut of a precision of .98 on `train`. In brackets the middle
 * 95 % of 400 resamplings. Rows are a second of processor time, MB the peak of the process. `--rows`: at most so many queries of each split;
 * name_matching takes the most time.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { absentEvidence, buildIndex, estimateFacts, match, rowEvidence } from '../build/service/matching/index.js'
import { bestCut, companyOf, interval, quality, queryOf, readCsv } from './lib/matching-data.mjs'
import { peerPython, run, script } from './lib/peer-python.mjs'

const VIEWS = [
  ['uk-gpg', ['name', 'address1', 'town', 'postcode', 'country']],
  ['uk-gpg', ['name', 'country']],
  ['listed', ['name', 'country']],
  ['sec', ['name']],
  ...['goc', 'ofac', 'wikidata', 'utilities', 'agencies', 'hospitals', 'museums'].map(set => [set, ['name']]),
]
const ALL = ['name', 'address1', 'town', 'postcode', 'country', 'orgNumber']

/** Of the packages that go with no others. */
const REQUIREMENTS = { emm: 'emm-requirements.txt', nomenklatura: 'screening-requirements.txt' }
const PEERS = 'tf-idf fts5 rapidfuzz name_matching recordlinkage trees splink dedupe emm nomenklatura'.split(' ')

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    fetch: { type: 'boolean', default: false },
    python: { type: 'string', default: 'python3' },
    rows: { type: 'string', default: '1000000' },
    peers: { type: 'string', default: PEERS.join(',') },
    sets: { type: 'string' },
  },
})
if (values.data === undefined)
  throw new Error('usage: npm run bench -- names --data FOLDER [--fetch] [--python python3] [--rows 1000] [--sets …] [--peers …]')
if (values.fetch) run(values.python, [script('sets.py'), values.data])
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

const shown = value => (value === null || value === undefined ? '–' : value.toFixed(3).replace(/^0(?=\.)/, ''))

const withRange = (answers, name) => {
  const [low, high] = interval(answers, sample => quality(sample)[name])
  return `${shown(quality(answers)[name])} [${shown(low)}–${shown(high)}]`
}

/** `strict`: the same answers with the cut of a precision of .98; null where no cut has it. */
function printLine(peer, answers, { strict, perSecond, mb }) {
  const cells = ['top1', 'precision', 'recall', 'f1'].map(name => withRange(answers, name))
  const at = strict === null ? '–' : `${shown(quality(strict).precision)}, ${withRange(strict, 'recall')}`
  process.stdout.write(`| ${[peer, ...cells, at, perSecond, mb].join(' | ')} |\n`)
}

/** The cuts chosen on `train`, applied to `dev`. */
function cutLine(peer, { train, dev }, facts) {
  const strict = bestCut(train, 0.98)
  const options = { ...facts, strict: strict === null ? null : decidedAt(strict.cut, dev) }
  printLine(peer, decidedAt(bestCut(train)?.cut ?? 1, dev), options)
}

const names = values.peers.split(',')
const pythons = new Map(names.map(name => [name, peerPython(values.python, REQUIREMENTS[name])]))
for (const [set, columns] of VIEWS) {
  const folder = join(values.data, set)
  if (!existsSync(folder) || (values.sets !== undefined && !values.sets.split(',').includes(set))) continue
  const companies = readCsv(join(folder, 'register.csv')).map(companyOf)
  const all = readCsv(join(folder, 'queries.csv'))
  const rowsOf = split => all.filter(row => row.split === split).slice(0, Number(values.rows))
  const [train, dev] = [rowsOf('train'), rowsOf('dev')]
  process.stdout.write(
    `\n${set}, ${columns.join(', ')}: ${companies.length} companies, ${train.length} train and ${dev.length} dev queries\n\n`,
  )
  process.stdout.write('| | top1 | precision | recall | F1 | at .98 | rows | MB |\n|---|---|---|---|---|---|---|---|\n')
  const own = engineAnswers(companies, dev, columns)
  const learned = engineAnswers(companies, train, columns)
  const mb = Math.round(process.resourceUsage().maxRSS / 1024)
  printLine('fettle', own.answers, { strict: null, perSecond: own.perSecond, mb })
  cutLine('fettle, its score at a cut', { train: learned.answers, dev: own.answers }, { perSecond: own.perSecond, mb })
  for (const [name, python] of pythons) {
    let lines
    try {
      lines = run(python, [script('peers.py'), folder, columns.join(','), values.rows, name])
        .trim()
        .split('\n')
    } catch {
      process.stdout.write(`| ${name} | failed |\n`)
      continue
    }
    for (const { peer, perSecond, mb: megabytes, answers: found } of lines.map(line => JSON.parse(line))) {
      const scored = rows => rows.map(row => ({ right: isRight(row, found[row.qid][0]), score: found[row.qid][1] }))
      cutLine(peer, { train: scored(train), dev: scored(dev) }, { perSecond, mb: megabytes })
    }
  }
}
