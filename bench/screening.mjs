/**
 * Measures the searches of screening lists: recall by kind of change, alerts per 1,000 innocents, searches per CPU-second.
 *
 *   npm run bench -- screening --list names.csv [--list more.csv] --persons innocents.csv --organisations register.csv [--split dev] [--every 8] [--misses] [--json]
 *     [--innocents 4] [--sdn sdn.csv] [--un UN_consolidated.xml] [--peers] [--python python3] [--watchman FOLDER]
 *
 * A list's columns are entity,type,kind,name,split (`kind` primary or an alias; Low is a weak alias). Innocents' are full_name or name, and
 * split; rows without one belong to dev when the hash of their name is even. All names are listed; those of the split are asked.
 * `--sdn`, `--un`: the lists with their dates of birth and nationalities, for alerts of innocents whose date or country is searched for too;
 * the UN's persons are searched under their Arabic names.
 * `--peers`: the algorithms of nomenklatura (which yente runs), installed from PyPI, and of watchman, built with go from the source in
 * FOLDER, score the same questions at their documented thresholds. Each is given the right entry and the 20 entries with the most trigrams
 * in common, so that its recall is of its algorithm and its speed without its index. `--innocents 4`: every fourth of them.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { normaliseCountry } from '../build/normalise/country.js'
import { MUTATIONS } from '../build/screening-proof/mutations.js'
import { importList } from '../build/service/screening/index.js'
import { Screener } from '../build/service/screening/screener.js'
import { randomNumbers, readCsv } from './lib/matching-data.mjs'
import { readFacts } from './lib/screening-facts.mjs'
import { askPeers } from './lib/screening-peers.mjs'

const { values } = parseArgs({
  options: {
    list: { type: 'string', multiple: true, default: [] },
    persons: { type: 'string' },
    organisations: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    json: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    innocents: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    python: { type: 'string', default: 'python3' },
    watchman: { type: 'string' },
    sdn: { type: 'string' },
    un: { type: 'string' },
  },
})
const THRESHOLDS = [75, 85]
const facts = readFacts(values)

const hashed = name => (createHash('sha256').update(name).digest()[0] % 2 === 0 ? 'dev' : 'train')
const inSplit = row => (row.split ?? hashed(row.full_name ?? row.name)) === values.split

function readEntries() {
  const entries = new Map()
  for (const row of values.list.flatMap(file => readCsv(file))) {
    const entry = entries.get(row.entity) ?? { type: '', names: [], split: row.split }
    if (row.type !== '') entry.type = row.type
    entry.names.push({ name: row.name, kind: row.kind })
    entries.set(row.entity, entry)
  }
  return [...entries].map(([id, entry]) => ({ id, ...entry })).filter(({ type }) => type === 'individual' || type === 'entity')
}

const cell = text => `"${text.replaceAll('"', '""')}"`

async function openScreener(entries, folder) {
  const file = join(folder, 'list.csv')
  const lines = entries.map(({ id, type, names }) => {
    const primary = names.find(({ kind }) => kind === 'primary') ?? names[0]
    const others = names.filter(name => name !== primary)
    const joined = isWeak =>
      others
        .filter(({ kind }) => (kind === 'Low') === isWeak)
        .map(({ name }) => name)
        .join('|')
    const { born = [], countries = [] } = facts.get(id) ?? {}
    const about = [joined(false), joined(true), 'SAN', born.join('|'), countries.join('|')]
    return [id, type === 'individual' ? 'individual' : 'business', primary.name, ...about].map(cell).join()
  })
  writeFileSync(file, ['id,type,name,aliases,weakAliases,datasets,dateOfBirth,countries', ...lines, ''].join('\n'))
  await importList({ kind: 'csv', file, name: 'measured', dir: join(folder, 'lists'), now: new Date() })
  const screener = new Screener(join(folder, 'lists'))
  await screener.ready()
  await screener.warm()
  return screener
}

const questions = []
const question = (type, name, known) => ({
  ...{ type, name, person: null, threshold: 75, datasets: ['SAN'], countryCodes: [], dateOfBirth: null },
  ...{ isDobRequired: false, gender: null, pepTiers: [], ...known },
})
/** The score of the entry `id`, or the best of an innocent. */
function ask(screener, asked) {
  questions.push(asked)
  const found = screener.search(question(asked.type === 'individual' ? asked.type : 'business', asked.name, asked.known))
  return asked.id === null ? found[0] : found.find(({ entry }) => entry.id === asked.id)
}

/** Of all entries of the split: there are few. */
const listArabic = () =>
  readEntries()
    .filter(({ type, split }) => type === 'individual' && split === values.split)
    .flatMap(({ id }) => (facts.get(id)?.arabic ?? []).map(name => ({ id, name })))

function measureRecall(screener, entries, isPerson) {
  const type = isPerson ? 'individual' : 'entity'
  const random = randomNumbers()
  const found = {}
  const count = (label, score) => {
    found[label] ??= { asked: 0, hits: THRESHOLDS.map(() => 0) }
    const figures = found[label]
    figures.asked++
    for (const [at, threshold] of THRESHOLDS.entries()) if (score >= threshold) figures.hits[at]++
  }
  for (const { id, names } of entries) {
    for (const { name, kind } of names) {
      for (const [change, mutate] of Object.entries(MUTATIONS)) {
        const asked = mutate(name, random, isPerson)
        if (asked === null) continue
        const label = change === 'unchanged' && kind !== 'primary' ? 'aliases' : change
        const score = ask(screener, { type, name: asked, id, label })?.score ?? 0
        count(label, score)
        if (values.misses && score < 85) process.stderr.write(`${label}\t${score}\t${name}\t${asked}\n`)
      }
    }
  }
  for (const { id, name } of isPerson ? listArabic() : [])
    count('arabic', ask(screener, { type, name, id, label: 'arabic' })?.score ?? 0)
  return Object.fromEntries(
    Object.entries(found).map(([label, { asked, hits }]) => [label, { asked, recall: hits.map(count => count / asked) }]),
  )
}

function measureAlerts(screener, file, isPerson) {
  const rows = readCsv(file)
    .filter(inSplit)
    .filter((_, at) => at % Number(values.innocents) === 0)
  const names = rows.map(row => row.full_name ?? row.name)
  const alerts = THRESHOLDS.map(() => 0)
  for (const name of names) {
    const best = ask(screener, { type: isPerson ? 'individual' : 'entity', name, id: null, label: 'alerts' })
    for (const [at, threshold] of THRESHOLDS.entries()) if ((best?.score ?? 0) >= threshold) alerts[at]++
    if (values.misses && (best?.score ?? 0) >= 85) process.stderr.write(`alert\t${best.score}\t${name}\t${best.match}\n`)
  }
  const perThousand = alerts.map(count => (count / names.length) * 1000)
  return { asked: names.length, perThousand, ...(facts.size > 0 && isPerson && { known: measureKnown(screener, rows) }) }
}

/** The same with what is known of the innocents, or with less; `filled` of them have it. */
function measureKnown(screener, rows) {
  const kinds = {
    dateOfBirth: ({ date_of_birth: dateOfBirth }) => dateOfBirth && { dateOfBirth },
    initial: ({ full_name: name }) => /\s/.test(name) && { name: MUTATIONS.initial(name, null, true) },
    country: ({ nationality }) => normaliseCountry(nationality ?? '') && { countryCodes: [normaliseCountry(nationality)] },
  }
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, read]) => {
      const filled = rows.flatMap(row => (read(row) ? [{ name: row.full_name, known: read(row) }] : []))
      const best = filled.map(({ name, known }) => screener.search(question('individual', name, known))[0]?.score ?? 0)
      const perThousand = THRESHOLDS.map(threshold => (best.filter(score => score >= threshold).length / filled.length) * 1000)
      return [kind, { filled: filled.length, perThousand }]
    }),
  )
}

/** Recall by change, or alerts per 1,000, at the peer's threshold. */
function printPeer({ peer, threshold, perSecond, scores }) {
  process.stdout.write(`\n${peer}, threshold ${threshold}, ${Math.round(perSecond)} searches per CPU-second\n`)
  const counts = {}
  for (const [at, { type, label }] of questions.entries()) {
    const line = `${type.padEnd(14)} ${label.padEnd(16)}`
    counts[line] ??= { asked: 0, found: 0, isRecall: label !== 'alerts' }
    const count = counts[line]
    count.asked++
    if (scores[at] >= threshold) count.found++
  }
  for (const [label, { asked, found, isRecall }] of Object.entries(counts))
    process.stdout.write(
      `${label} ${String(asked).padStart(6)}  ${isRecall ? (found / asked).toFixed(3) : ((1000 * found) / asked).toFixed(1)}\n`,
    )
}

const folder = mkdtempSync(join(tmpdir(), 'fettle-screening-'))
try {
  const entries = readEntries()
  const screener = await openScreener(entries, folder)
  const before = process.cpuUsage()
  const of = type =>
    entries
      .filter(entry => entry.type === type && entry.split === values.split)
      .filter((_, at) => at % Number(values.every) === 0)
  const result = {
    split: values.split,
    thresholds: THRESHOLDS,
    persons: { recall: measureRecall(screener, of('individual'), true), alerts: measureAlerts(screener, values.persons, true) },
    organisations: {
      recall: measureRecall(screener, of('entity'), false),
      alerts: measureAlerts(screener, values.organisations, false),
    },
  }
  const { user, system } = process.cpuUsage(before)
  result.searchesPerCpuSecond = questions.length / ((user + system) / 1e6)
  if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  else {
    for (const kind of ['persons', 'organisations']) {
      const { recall, alerts } = result[kind]
      for (const [label, figures] of Object.entries(recall))
        process.stdout.write(
          `${kind.padEnd(14)} ${label.padEnd(10)} ${String(figures.asked).padStart(6)}  ${figures.recall.map(value => value.toFixed(3)).join('  ')}\n`,
        )
      for (const [what, { filled, perThousand }] of Object.entries(alerts.known ?? {}))
        process.stdout.write(
          `${kind.padEnd(14)} with ${what}, per 1,000 of ${filled}: ${perThousand.map(value => value.toFixed(1)).join('  ')}\n`,
        )
      process.stdout.write(
        `${kind.padEnd(14)} alerts per 1,000 of ${alerts.asked}: ${alerts.perThousand.map(value => value.toFixed(1)).join('  ')}\n`,
      )
    }
    process.stdout.write(`${Math.round(result.searchesPerCpuSecond)} searches per CPU-second\n`)
  }
  if (values.peers) for (const peer of askPeers(entries, questions, values)) printPeer(peer)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
