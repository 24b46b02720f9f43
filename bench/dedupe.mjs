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
import { spawnSync } from 'node:child_process'
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
