/**
 * Measures the searches of screening lists: recall by kind of change, alerts per 1,000 innocents, searches per CPU-second.
 *
 *   npm run bench -- screening --list names.csv [--list more.csv] --persons innocents.csv --organisations register.csv [--split dev] [--every 8] [--misses] [--json]
 *
 * A list's columns are entity,type,kind,name,split (`kind` primary or an alias; Low is a weak alias). Innocents' are full_name or name, and
 * split; rows without one belong to dev when the hash of their name is even. All names are listed; those of the split are asked.
 */
import { createHash } from 'node:crypto'
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
    persons: { type: 'string' },
    organisations: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    json: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    misses: { type: 'boolean', default: false },
  },
})
const THRESHOLDS = [75, 85]

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
    return [id, type === 'individual' ? 'individual' : 'business', primary.name, joined(false), joined(true), 'SAN']
      .map(cell)
      .join()
  })
  writeFileSync(file, ['id,type,name,aliases,weakAliases,datasets', ...lines, ''].join('\n'))
  await importList({ kind: 'csv', file, name: 'measured', dir: join(folder, 'lists'), now: new Date() })
  const screener = new Screener(join(folder, 'lists'))
  await screener.ready()
  await screener.warm()
  return screener
}

let searches = 0
const question = (type, name) => ({
  ...{ type, name, person: null, threshold: 75, datasets: ['SAN'], countryCodes: [], dateOfBirth: null },
  ...{ isDobRequired: false, gender: null, pepTiers: [] },
})
const ask = (screener, type, name) => {
  searches++
  return screener.search(question(type, name))
}

function measureRecall(screener, entries, isPerson) {
  const type = isPerson ? 'individual' : 'business'
  const random = randomNumbers()
  const found = {}
  for (const { id, names } of entries) {
    for (const { name, kind } of names) {
      for (const [change, mutate] of Object.entries(MUTATIONS)) {
        const asked = mutate(name, random, isPerson)
        if (asked === null) continue
        const label = change === 'unchanged' && kind !== 'primary' ? 'aliases' : change
        const score = ask(screener, type, asked).find(({ entry }) => entry.id === id)?.score ?? 0
        found[label] ??= { asked: 0, hits: THRESHOLDS.map(() => 0) }
        const figures = found[label]
        figures.asked++
        for (const [at, threshold] of THRESHOLDS.entries()) if (score >= threshold) figures.hits[at]++
        if (values.misses && score < 85) process.stderr.write(`${label}\t${score}\t${name}\t${asked}\n`)
      }
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([label, { asked, hits }]) => [label, { asked, recall: hits.map(count => count / asked) }]),
  )
}

function measureAlerts(screener, file, isPerson) {
  const names = readCsv(file)
    .filter(inSplit)
    .map(row => row.full_name ?? row.name)
  const alerts = THRESHOLDS.map(() => 0)
  for (const name of names) {
    const [best] = ask(screener, isPerson ? 'individual' : 'business', name)
    for (const [at, threshold] of THRESHOLDS.entries()) if ((best?.score ?? 0) >= threshold) alerts[at]++
    if (values.misses && (best?.score ?? 0) >= 85) process.stderr.write(`alert\t${best.score}\t${name}\t${best.match}\n`)
  }
  return { asked: names.length, perThousand: alerts.map(count => (count / names.length) * 1000) }
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
  result.searchesPerCpuSecond = searches / ((user + system) / 1e6)
  if (values.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  else {
    for (const kind of ['persons', 'organisations']) {
      const { recall, alerts } = result[kind]
      for (const [label, figures] of Object.entries(recall))
        process.stdout.write(
          `${kind.padEnd(14)} ${label.padEnd(10)} ${String(figures.asked).padStart(6)}  ${figures.recall.map(value => value.toFixed(3)).join('  ')}\n`,
        )
      process.stdout.write(
        `${kind.padEnd(14)} alerts per 1,000 of ${alerts.asked}: ${alerts.perThousand.map(value => value.toFixed(1)).join('  ')}\n`,
      )
    }
    process.stdout.write(`${Math.round(result.searchesPerCpuSecond)} searches per CPU-second\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
