/**
 * Measures reverse screening: a million names in the changes of a list, next to a full screening of some of them.
 *
 *   npm run bench -- reverse --list names.csv [--list more.csv] --names register.csv [--count 1000000] [--changed 500] [--sample 5000] [--threshold 85]
 *
 * Columns of a list are entity,type,name,kind (see bench/screening.mjs), and a register has `name`. The names that are screened are those of the
 * register and, up to the count, the beginning of one with the end of another, drawn by a seed. Of the changed entries a third is new, a
 * third has another name, a third is gone. `same`: names of the sample that reverse screening leaves out, and whose hits in full are the
 * same before and after. Seconds are of the processor, so that other work counts little.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MUTATIONS } from '../build/screening-proof/mutations.js'
import { importList } from '../build/service/screening/index.js'
import { Screener } from '../build/service/screening/screener.js'
import { randomNumbers, readCsv } from './lib/matching-data.mjs'

const { values } = parseArgs({
  options: {
    list: { type: 'string', multiple: true, default: [] },
    names: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '1000000' },
    changed: { type: 'string', default: '500' },
    sample: { type: 'string', default: '5000' },
    threshold: { type: 'string', default: '85' },
  },
})
const random = randomNumbers()
const pick = items => items[Math.floor(random() * items.length)]

function readEntries() {
  const entries = new Map()
  for (const { entity, type, name } of values.list.flatMap(readCsv)) {
    const entry = entries.get(entity) ?? { type: 'business', names: [] }
    if (type === 'individual') entry.type = type
    entry.names.push(name)
    entries.set(entity, entry)
  }
  return [...entries].map(([id, entry]) => ({ id, ...entry }))
}

/** Names of companies: those of the registers, and new ones of their parts. */
function* makeNames() {
  const real = [...new Set(values.names.flatMap(readCsv).map(({ name }) => name))].filter(name => name !== '')
  const most = Number(values.count)
  yield* real.slice(0, most)
  for (let count = real.length; count < most; count++) {
    const [start, end] = [pick(real).split(' '), pick(real).split(' ')]
    yield [...start.slice(0, Math.ceil(start.length / 2)), ...end.slice(Math.floor(end.length / 2))].join(' ')
  }
}

const cell = text => `"${text.replaceAll('"', '""')}"`
function importEntries(dir, folder, entries) {
  const file = join(folder, 'list.csv')
  const line = ({ id, type, names: [name, ...aliases] }) => [id, type, name, aliases.join('|'), 'SAN'].map(cell).join()
  writeFileSync(file, ['id,type,name,aliases,datasets', ...entries.map(line), ''].join('\n'))
  return importList({ kind: 'csv', file, name: 'measured', dir, now: new Date(), force: true })
}

const question = name => ({
  ...{ type: 'business', name, person: null, threshold: Number(values.threshold), datasets: ['SAN'], countryCodes: [] },
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})
const hitsOf = (screener, name) =>
  JSON.stringify(screener.search(question(name)).map(({ entry, score, match }) => [entry, score, match]))

async function openLists(dir) {
  const screener = new Screener(dir)
  await screener.ready()
  await screener.warm()
  return screener
}

/** Seconds of this process that `work` takes. */
function measure(work) {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return [result, (user + system) / 1e6]
}

const folder = mkdtempSync(join(tmpdir(), 'fettle-reverse-'))
const dir = join(folder, 'lists')
try {
  const entries = readEntries()
  const changed = new Set()
  while (changed.size < Number(values.changed)) changed.add(pick(entries))
  const third = [...changed].map((entry, at) => [entry, at % 3])
  const [added, renamed, gone] = [0, 1, 2].map(kind => new Set(third.filter(([, of]) => of === kind).map(([entry]) => entry)))
  const otherName = entry => MUTATIONS.oneError(entry.names[0], random, entry.type === 'individual') ?? `${entry.names[0]} B`
  await importEntries(
    dir,
    folder,
    entries.filter(entry => !added.has(entry)),
  )
  const before = await openLists(dir)
  const { changes } = await importEntries(
    dir,
    folder,
    entries
      .filter(entry => !gone.has(entry))
      .map(entry => (renamed.has(entry) ? { ...entry, names: [otherName(entry), ...entry.names.slice(1)] } : entry)),
  )
  const now = await openLists(dir)
  const names = [...makeNames()]
  const sample = Array.from({ length: Number(values.sample) }, () => pick(names))
  // What a service has stored for each name: whether it had hits. Here it is known for the sample alone, and assumed for the others.
  const [fullHits, fullSeconds] = measure(() => sample.map(name => hitsOf(now, name)))
  const started = performance.now()
  const reverse = await now.reverse(before.key)
  const indexed = performance.now() - started
  const [open, reverseSeconds] = measure(() => names.filter(name => reverse.concerns(question(name), false)))
  const [, againSeconds] = measure(() => open.map(name => hitsOf(now, name)))
  const concerned = new Set(open)
  let [same, missed] = [0, 0]
  for (const [at, name] of sample.entries()) {
    const hitsBefore = hitsOf(before, name)
    if (concerned.has(name) || reverse.concerns(question(name), hitsBefore !== '[]')) continue
    if (hitsBefore === fullHits[at]) same++
    else missed++
  }
  const seconds = value => `${value.toFixed(1)} s`
  const lines = {
    list: `${entries.length} entries; ${JSON.stringify(changes)}`,
    names: `${names.length}, threshold ${values.threshold}`,
    'index of the changes': `${Math.round(indexed)} ms`,
    'search in the changes': seconds(reverseSeconds),
    'searched again in full': `${open.length} names, ${seconds(againSeconds)}`,
    'reverse screening': seconds(indexed / 1000 + reverseSeconds + againSeconds),
    'full screening': `${seconds((fullSeconds * names.length) / sample.length)}, scaled from ${sample.length} names`,
    same: `${same} of ${same + missed}`,
  }
  for (const [label, line] of Object.entries(lines)) process.stdout.write(`${label.padEnd(24)}${line}\n`)
  if (missed > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
