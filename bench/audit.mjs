/**
 * Audits planted answers on the labelled sets: the right company of each row, and wrong ones: the engine's second-best candidate, a company
 * whose name begins with the same word, one of the same town, and one of the same name in a different country. Needs `npm run build`.
 *
 *   npm run bench -- audit --data FOLDER [--split dev] [--json]
 *   npm run bench -- audit --data FOLDER --learn        the cuts of `train`, for LEAST and LEADS in src/service/matching/audit.ts
 *
 * Each is audited by its own data, by the register too, and by a register that lacks the right companies. Recall is the share of wrong companies
 * that are doubtful, each kind counting the same; precision is shown where one answer in two, and one in ten, is wrong.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseCompanyName } from '../build/normalise/company-name.js'
import { auditByRegister, auditMatch, findRecords, findRival } from '../build/service/matching/audit.js'
import { isPlaced } from '../build/service/matching/decide/decide.js'
import { AT, samePlace } from '../build/service/matching/features.js'
import { buildIndex, match } from '../build/service/matching/index.js'
import { compareWith } from '../build/service/matching/one-company.js'
import { companyOf, queryOf, randomNumbers, readCsv } from './lib/matching-data.mjs'
import { VIEWS } from './lib/matching-sets.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    learn: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const print = line => process.stdout.write(`${line}\n`)
const KINDS = ['second', 'same word', 'same town', 'abroad']
const WRONG = [0.5, 0.1]
/** Right rows that may be doubted, with a place to compare and by names alone. */
const DOUBTED = { withPlace: 0.04, byName: 0.1 }
/** Least precision on each list where one answer in two is wrong and the register is asked: the cuts that find most are chosen. */
const PRECISION = 0.94
/** The views by which each cut is learned. Aliases, and spellings that people normalised to a group, are no names of a company. */
const LEARNED = {
  withPlace: ['uk-gpg name, address'],
  byName: ['uk-gpg name', 'listed name', 'listed name, country', 'sec name'],
}

const groupBy = (companies, keyOf) => {
  const groups = new Map()
  for (const [at, company] of companies.entries()) {
    const key = keyOf(company)
    if (key === '') continue
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [at])
    else group.push(at)
  }
  return groups
}
const firstWord = ({ name }) => parseCompanyName(name).words[0] ?? ''
const placeOf = ({ town, postcode }) => town.toLowerCase() || postcode.slice(0, 3)

/** Rows of one view with their right company and the planted ones. */
function* plant(set, split) {
  const companies = readCsv(join(values.data, set, 'register.csv')).map(companyOf)
  const rows = readCsv(join(values.data, set, 'queries.csv')).filter(row => row.split === split)
  const places = new Map(companies.map(({ id }, at) => [id, at]))
  const [byWord, byPlace] = [firstWord, placeOf].map(keyOf => groupBy(companies, keyOf))
  const index = buildIndex(companies)
  const expected = new Set(rows.map(row => row.expected))
  const without = buildIndex(companies.filter(({ id }) => !expected.has(id)))
  const random = randomNumbers()
  const pick = (group, own) => {
    const others = (group ?? []).filter(at => at !== own)
    return others.length === 0 ? undefined : companies[others[Math.floor(random() * others.length)]]
  }
  for (const { view, ignored } of VIEWS.filter(one => one.set === set)) {
    for (const row of rows) {
      const own = places.get(row.expected)
      if (own === undefined) continue
      const right = companies[own]
      const query = queryOf(row, ignored)
      const second = match(index, query).candidates.find(({ company }) => company !== own)
      const elsewhere = companies[Math.floor(random() * companies.length)]
      const { address1, address2, town, postcode } = elsewhere
      const abroad = { address1, address2, town, postcode, country: query.country === 'FR' ? 'SE' : 'FR', orgNumber: '' }
      const planted = {
        right,
        second: second && companies[second.company],
        'same word': pick(byWord.get(firstWord(right)), own),
        'same town': pick(byPlace.get(placeOf(right)), own),
        // Without a country in the row it differs in nothing.
        abroad: query.country === undefined ? undefined : { ...right, ...abroad },
      }
      yield { view: `${set} ${view}`, query, planted, index, without }
    }
  }
}

const sets = [...new Set(VIEWS.map(({ set }) => set))].filter(set => values.data && existsSync(join(values.data, set)))
if (sets.length === 0) {
  process.stderr.write('usage: npm run bench -- audit --data FOLDER [--split dev | --learn] [--json]\n')
  process.exit(2)
}

/** The log-odds below which this share of the right companies is doubted, each view counting the same. */
function learn() {
  const found = new Map()
  const learned = sets.filter(set =>
    Object.values(LEARNED)
      .flat()
      .some(view => view.startsWith(`${set} `)),
  )
  for (const { view, query, planted } of learned.flatMap(set => [...plant(set, 'train')])) {
    const { logOdds, vector } = compareWith(query, planted.right)
    for (const [family, views] of Object.entries(LEARNED)) {
      if (!views.includes(view) || isPlaced(vector) !== (family === 'withPlace')) continue
      const key = `${family} ${view}`
      found.set(key, [
        ...(found.get(key) ?? []),
        vector[AT.exact] === 1 || samePlace(vector) ? Number.POSITIVE_INFINITY : logOdds,
      ])
    }
  }
  for (const [family, most] of Object.entries(DOUBTED)) {
    const lists = [...found].filter(([key]) => key.startsWith(family)).map(([, list]) => list)
    const doubted = cut =>
      lists.reduce((sum, list) => sum + list.filter(odds => odds < cut).length / list.length, 0) / lists.length
    let cut = 0
    while (doubted(cut) > most) cut -= 0.1
    print(`${family.padEnd(12)}${cut.toFixed(1)}   ${(doubted(cut) * 100).toFixed(1)} % of the right companies doubted`)
  }
}

/** The odds and the lead of another company from which on a match is doubtful. */
function learnLeads() {
  const views = new Map()
  for (const { view, query, planted, index } of sets.flatMap(set => [...plant(set, 'train')])) {
    if (!Object.values(LEARNED).flat().includes(view)) continue
    const ofView = views.get(view) ?? {}
    views.set(view, ofView)
    for (const [kind, company] of Object.entries(planted)) {
      if (company === undefined) continue
      ofView[kind] ??= []
      ofView[kind].push(findRival(index, query, findRecords(index, company), compareWith(query, company).logOdds))
    }
  }
  let best = null
  for (let odds = -1; odds >= -5; odds -= 0.5)
    for (let by = 1; by <= 3; by += 0.5) {
      const share = list =>
        list && list.filter(rival => rival !== null && rival.odds >= odds && rival.lead >= by).length / list.length
      const figures = [...views.values()].map(ofView => {
        const known = KINDS.map(kind => share(ofView[kind])).filter(one => one !== undefined)
        const recall = known.reduce((sum, one) => sum + one, 0) / known.length
        return { recall, precision: recall / (recall + share(ofView.right)) }
      })
      if (figures.some(({ precision }) => precision < PRECISION)) continue
      const recall = figures.reduce((sum, one) => sum + one.recall, 0) / figures.length
      if (best === null || recall > best.recall) best = { odds, by, recall }
    }
  print(`another company: odds ${best.odds}, by ${best.by}; ${best.recall.toFixed(3)} of the wrong companies found`)
}

const AUDITS = {
  'by the answer': ({ query }, company) => auditMatch(query, company),
  'by a register': ({ query, index }, company) => auditByRegister(index, query, company),
  'by a register without the right companies': ({ query, without }, company) => auditByRegister(without, query, company),
}

function measure() {
  const counts = Object.fromEntries(Object.keys(AUDITS).map(name => [name, new Map()]))
  const spent = Object.fromEntries(Object.keys(AUDITS).map(name => [name, 0]))
  let pairs = 0
  for (const set of sets) {
    const rows = [...plant(set, values.split)]
    for (const [name, audit] of Object.entries(AUDITS)) {
      const started = process.cpuUsage()
      for (const row of rows) {
        const ofView = counts[name].get(row.view) ?? {}
        counts[name].set(row.view, ofView)
        for (const [kind, company] of Object.entries(row.planted)) {
          if (company === undefined) continue
          ofView[kind] ??= { rows: 0, agreed: 0, doubtful: 0, 'not comparable': 0 }
          ofView[kind].rows++
          ofView[kind][audit(row, company).verdict]++
        }
      }
      const { user, system } = process.cpuUsage(started)
      spent[name] += user + system
    }
    for (const { planted } of rows) pairs += Object.values(planted).filter(company => company !== undefined).length
  }
  const heads = ['rows', 'doubted', ...WRONG.map(part => `P at ${part}`), 'recall', ...KINDS]
  const figures = {}
  const shown = value => (value === null ? '–' : value.toFixed(3)).padStart(11)
  for (const [name, views] of Object.entries(counts)) {
    print(`${name.padEnd(24)}${heads.map(text => text.padStart(11)).join('')}`)
    figures[name] = {}
    for (const [view, ofView] of views) {
      const share = kind => (ofView[kind] === undefined ? null : ofView[kind].doubtful / ofView[kind].rows)
      const found = KINDS.map(share)
      const known = found.filter(one => one !== null)
      const recall = known.reduce((sum, one) => sum + one, 0) / known.length
      const doubted = share('right')
      const precisions = WRONG.map(part => (recall * part) / (recall * part + doubted * (1 - part)))
      figures[name][view] = { ...ofView, doubted, precisions, recall }
      print(
        `${view.padEnd(24)}${String(ofView.right.rows).padStart(11)}${[doubted, ...precisions, recall, ...found].map(shown).join('')}`,
      )
    }
    print(`${pairs} answers, ${Math.round((pairs / spent[name]) * 1e6)} a second of processor time\n`)
  }
  if (values.json) print(JSON.stringify(figures))
}

if (values.learn) {
  learn()
  learnLeads()
} else measure()
