/**
 * Measures the matching engine on a register and labelled queries: quality per kind at the shipped decision, speed and memory.
 *
 *   npm run build && node bench/matching.mjs --register R.csv --queries Q.csv [--ignore column[,column]] [--split dev] [--json]
 *
 * The queries' columns are qid,name,address1,town,postcode,country,orgNumber,kind,split,expected; an empty `expected` says that
 * the register does not hold the company. Precision counts matches given to such rows as wrong.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { buildIndex, match } from '../dist/service/matching/index.js'

const { values } = parseArgs({
  options: {
    register: { type: 'string' },
    queries: { type: 'string' },
    ignore: { type: 'string', default: '' },
    split: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
if (values.register === undefined || values.queries === undefined) {
  throw new Error('usage: node bench/matching.mjs --register R.csv --queries Q.csv [--ignore columns] [--split dev] [--json]')
}

const read = path => parse(readFileSync(path), { columns: true, bom: true })
const several = text => text.split('|').filter(name => name !== '')
const companies = read(values.register).map(row => ({
  ...row,
  connectId: `${row.country || 'XX'}-X-${row.orgNumber || row.id}`,
  tradingNames: several(row.tradingNames),
  previousNames: several(row.previousNames),
}))
const asked = ['name', 'address1', 'town', 'postcode', 'country', 'orgNumber'].filter(
  column => !values.ignore.split(',').includes(column),
)
const rows = read(values.queries).filter(row => values.split === '' || row.split === values.split)

const built = performance.now()
const index = buildIndex(companies)
const buildSeconds = (performance.now() - built) / 1000
const started = performance.now()
const answers = rows.map(row =>
  match(index, Object.fromEntries(asked.filter(column => row[column] !== '').map(column => [column, row[column]]))),
)
const rowsPerSecond = rows.length / ((performance.now() - started) / 1000)

/** Quality over some of the rows. */
function quality(which) {
  const count = test => which.filter(test).length
  const rightFirst = at => rows[at].expected !== '' && companies[answers[at].candidates[0]?.company]?.id === rows[at].expected
  const known = count(at => rows[at].expected !== '')
  const given = count(at => answers[at].decision === 'matched')
  const right = count(at => answers[at].decision === 'matched' && rightFirst(at))
  const precision = given === 0 ? null : right / given
  const recall = known === 0 ? null : right / known
  return {
    rows: which.length,
    top1: known === 0 ? null : count(rightFirst) / known,
    precision,
    recall,
    f1: precision === null || recall === null || right === 0 ? null : (2 * precision * recall) / (precision + recall),
    reviewShare: count(at => answers[at].decision === 'review') / which.length,
  }
}

const all = rows.map((_, at) => at)
const kinds = Object.fromEntries(
  [...new Set(rows.map(row => row.kind))].sort().map(kind => [kind, quality(all.filter(at => rows[at].kind === kind))]),
)
const result = {
  companies: companies.length,
  ...quality(all),
  rowsPerSecond: Math.round(rowsPerSecond),
  buildSeconds: Number(buildSeconds.toFixed(3)),
  memoryMb: Math.round(process.memoryUsage.rss() / 1024 / 1024),
}

const figure = value => (value === null ? '    –' : value.toFixed(3)).padStart(12)
process.stdout.write(
  `${'kind'.padEnd(18)}${'rows'.padStart(6)}${['top1', 'precision', 'recall', 'f1', 'reviewShare'].map(name => name.padStart(12)).join('')}\n`,
)
for (const [kind, one] of [...Object.entries(kinds), ['overall', result]]) {
  const figures = [one.top1, one.precision, one.recall, one.f1, one.reviewShare].map(figure).join('')
  process.stdout.write(`${kind.padEnd(18)}${String(one.rows).padStart(6)}${figures}\n`)
}
process.stdout.write(`${result.rowsPerSecond} rows/s, built in ${result.buildSeconds} s, ${result.memoryMb} MB\n`)
if (values.json) process.stdout.write(`${JSON.stringify({ ...result, kinds })}\n`)
