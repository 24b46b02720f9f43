/**
 * Compares `fettle dedupe` with Splink and dedupe (PyPI) on lists that people have grouped, or measures its time and memory. Needs
 * `npm run build`; the comparison needs python3, and the first call installs the packages into a virtual environment in the cache folder of the user.
 *
 *   npm run bench -- dedupe --data FOLDER [--python python3] [--peers splink,dedupe]
 *   npm run bench -- dedupe --register R.csv --rows 100000
 *
 * FOLDER holds folders with rows.csv: row, name, cluster, split. Peers have the cut of best pairwise F1 on `train`; figures are of `dev`.
 * `clusters`: F1 of those that are found whole.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeList } from './lib/dedupe-list.mjs'
import { readCsv } from './lib/matching-data.mjs'
import { peerPython, run, script } from './lib/peer-python.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    register: { type: 'string', multiple: true },
    rows: { type: 'string', default: '100000' },
    python: { type: 'string', default: 'python3' },
    peers: { type: 'string', default: 'splink,dedupe' },
  },
})
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const peakPreload = fileURLToPath(new URL('lib/peak.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'fettle-dedupe-'))

/** The cluster of each row by `fettle dedupe`, as shipped. */
function groupNames(names) {
  writeFileSync(join(folder, 'list.csv'), `name\n${names.map(name => `"${name.replaceAll('"', '""')}"\n`).join('')}`)
  rmSync(join(folder, 'out.csv'), { force: true })
  run(process.execPath, [main, 'dedupe', 'list.csv', '--map', 'name=name', '-o', 'out.csv', '--quiet'], { cwd: folder })
  return readCsv(join(folder, 'out.csv')).map(row => row['dup.group'])
}

const countBy = keys => {
  const counts = new Map()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
const pairsIn = keys => [...countBy(keys).values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0)
const harmonic = (a, b) => (a + b === 0 ? 0 : (2 * a * b) / (a + b))

/** Of rows, each with the cluster that is right and the one that was found. */
function measure(rows) {
  const right = rows.map(row => row.right)
  const found = rows.map(row => row.found)
  const both = rows.map(row => `${row.right}\n${row.found}`)
  const [precision, recall] = [pairsIn(both) / (pairsIn(found) || 1), pairsIn(both) / (pairsIn(right) || 1)]
  const [sizes, foundSizes] = [countBy(right), countBy(found)]
  const whole = [...countBy(both)].filter(([key, count]) => {
    const [one, other] = key.split('\n')
    return sizes.get(one) === count && foundSizes.get(other) === count
  }).length
  return {
    precision,
    recall,
    pairs: harmonic(precision, recall),
    clusters: harmonic(whole / foundSizes.size, whole / sizes.size),
  }
}

const shown = value => value.toFixed(3).replace(/^0(?=\.)/, '')

function printLine(peer, seconds, rows) {
  const { precision, recall, pairs, clusters } = measure(rows)
  process.stdout.write(`| ${[peer, ...[precision, recall, pairs, clusters].map(shown), seconds].join(' | ')} |\n`)
}

/** What `fettle dedupe` and its peers find in the lists of a folder. */
function comparePeers(data) {
  const python = peerPython(values.python)
  for (const set of readdirSync(data).filter(name => existsSync(join(data, name, 'rows.csv')))) {
    const path = join(data, set, 'rows.csv')
    const rows = readCsv(path)
    const of = split => rows.filter(row => row.split === split)
    const pair = (half, found) => half.map((row, at) => ({ right: row.cluster, found: String(found[at]) }))
    process.stdout.write(`\n${set}: ${of('train').length} train and ${of('dev').length} dev rows\n\n`)
    process.stdout.write('| | precision | recall | F1 of pairs | F1 of clusters | s |\n|---|---|---|---|---|---|\n')
    const before = performance.now()
    const groups = groupNames(of('dev').map(row => row.name))
    printLine('fettle', ((performance.now() - before) / 1000).toFixed(1), pair(of('dev'), groups))
    for (const name of values.peers.split(',')) {
      let answer
      try {
        answer = run(python, [script('clusters.py'), path, name])
      } catch {
        process.stdout.write(`| ${name} | failed |\n`)
        continue
      }
      const { peer, seconds, train, dev } = JSON.parse(answer.trim().split('\n').at(-1))
      const f1 = cut => measure(pair(of('train'), train[cut])).pairs
      const cut = Object.keys(train).reduce((best, other) => (f1(other) > f1(best) ? other : best))
      printLine(`${peer}, cut ${cut}`, seconds, pair(of('dev'), dev[cut]))
    }
  }
}

/** Time and memory for a list grown from registers. */
async function measureSpeed(registers, count) {
  await writeList(join(folder, 'long.csv'), registers.flatMap(readCsv), count)
  const [load] = loadavg()
  const started = performance.now()
  const args = ['--import', peakPreload, main, 'dedupe', 'long.csv', '-o', 'out.csv', '--quiet', '--json']
  const env = { ...process.env, BENCH_PEAK: join(folder, 'peak') }
  const found = JSON.parse(run(process.execPath, args, { cwd: folder, env }))
  const seconds = (performance.now() - started) / 1000
  const mb = Math.round(Number(readFileSync(join(folder, 'peak'), 'utf8')))
  process.stdout.write(
    `${count} rows, ${found.companies} companies: ${seconds.toFixed(1)} s, ${mb} MB; load before ${load.toFixed(1)}\n`,
  )
}

try {
  if (values.register !== undefined) await measureSpeed(values.register, Number(values.rows))
  else if (values.data !== undefined) comparePeers(values.data)
  else
    throw new Error('usage: npm run bench -- dedupe --data FOLDER [--python python3] [--peers …] | --register R.csv [--rows N]')
} finally {
  rmSync(folder, { recursive: true })
}
