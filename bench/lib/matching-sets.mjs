/**
 * All labelled sets in one table: quality as each set is asked by name, by place and by number, quality when most of a list is not in
 * the register, the error of the score by kind of evidence, and speed. Rows that the register lacks are those labelled so and, in
 * addition, every row asked of a register without its company; a list of which a share is absent is made by weighting the two. Each list
 * is matched with the facts that are estimated for it, as a job does. "of best": the recall as a share of what the best cut of the same
 * scores finds at a precision of .97.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { evidenceClassOf } from '../../build/service/matching/decide/decide.js'
import { FEATURES } from '../../build/service/matching/features.js'
import { ALONE, absentEvidence, buildIndex, estimateFacts, match, rowEvidence } from '../../build/service/matching/index.js'
import { bestCut, companyOf, interval, queryOf, randomNumbers, readCsv } from './matching-data.mjs'
import { measureWrongNumbers } from './matching-numbers.mjs'

const PLACE = ['address1', 'town', 'postcode']
/** What each set is asked with. `kind` is the kind of evidence that the score is calibrated for. */
export const VIEWS = [
  { set: 'uk-gpg', view: 'name', ignored: [...PLACE, 'orgNumber'], kind: 'name' },
  { set: 'uk-gpg', view: 'name, address', ignored: ['orgNumber'], kind: 'address' },
  { set: 'uk-gpg', view: 'name, number', ignored: PLACE, kind: 'number' },
  { set: 'uk-gpg', view: 'all', ignored: [], kind: 'number' },
  { set: 'listed', view: 'name', ignored: ['country'], kind: 'name' },
  { set: 'listed', view: 'name, country', ignored: [], kind: 'name' },
  { set: 'sec', view: 'name', ignored: [], kind: 'name' },
  ...['goc', 'ofac', 'wikidata', 'utilities', 'agencies', 'hospitals', 'museums'].map(set => ({
    set,
    view: 'name',
    ignored: [],
    kind: 'unlearned name',
  })),
]
const SETS = [...new Set(VIEWS.map(one => one.set))]
const ABSENT = [0.5, 0.8, 0.95]
const LEAST_MS = 1000
const DRAWS = 100

/** `15–90`: at least and at most so many in a hundred. */
const shareOf = ({ from, to }) => `${Math.round(from * 100)}–${Math.round(to * 100)}`.padStart(12)
const share = (part, whole) => (whole === 0 ? null : part / whole)
const shown = value => (value === null || value === undefined ? '–' : value.toFixed(3).replace(/^0(?=\.)/, '')).padStart(7)

/** Precision, recall, top-1 of weighted answers. */
export function weighed(answers) {
  const sum = test => answers.reduce((total, one) => total + (test(one) ? one.weight : 0), 0)
  const given = sum(one => one.decision === 'matched')
  const right = sum(one => one.decision === 'matched' && one.right === true)
  const known = sum(one => one.right !== null)
  return {
    precision: share(right, given),
    recall: share(right, known),
    top1: share(
      sum(one => one.right === true),
      known,
    ),
  }
}

/** Mean distance of score and truth in ten parts of the scale, by the rows in each. */
function calibrationError(answers) {
  const bins = Array.from({ length: 10 }, () => ({ weight: 0, score: 0, right: 0 }))
  let all = 0
  for (const { score, right, weight } of answers) {
    const bin = bins[Math.min(9, Math.floor(score * 10))]
    bin.weight += weight
    bin.score += weight * score
    bin.right += right === true ? weight : 0
    all += weight
  }
  return bins.reduce((total, bin) => total + Math.abs(bin.score - bin.right), 0) / all
}

/** What the error would be by chance if every score were right: the mean over draws. */
function chanceError(answers) {
  const random = randomNumbers()
  let sum = 0
  for (let round = 0; round < DRAWS; round++)
    sum += calibrationError(answers.map(({ score, weight }) => ({ score, weight, right: random() < score })))
  return sum / DRAWS
}

function speedOf(index, queries) {
  const started = performance.now()
  const before = process.cpuUsage()
  let asked = 0
  while (performance.now() - started < LEAST_MS) {
    for (const query of queries) match(index, query)
    asked += queries.length
  }
  const { user, system } = process.cpuUsage(before)
  return Math.round((asked / (user + system)) * 1e6)
}

/** Rows of a sample, and companies of the register that are asked for with them taken out of it. */
const [ROWS, STRANGERS] = [500, 2000]
/** So many are enough for a list of which this share is found. */
const [FEW_STRANGERS, WELL_FOUND] = [1000, 0.5]

/** The evidence of companies that are asked for with them taken out of the register. */
export const absentRows = (index, queries) =>
  Array.from({ length: Math.min(STRANGERS, index.companies.length) }, (_, at) =>
    absentEvidence(index, queries[at % queries.length], at),
  )

/** The facts of a list as they are estimated from a sample; each row counts as often as its weight asks. */
export function factsOf(list, absent, precision) {
  const all = list.reduce((total, row) => total + row.weight, 0)
  const rows = []
  let due = 0
  for (const row of list) {
    due += (row.weight * Math.min(ROWS, list.length)) / all
    if (due < 0.5) continue
    row.evidence ??= rowEvidence(row.index, row.query)
    for (; due >= 0.5; due--) rows.push(row.evidence)
  }
  const few = absent.slice(0, FEW_STRANGERS)
  const isFound = estimateFacts(rows, few).inRegister.from >= WELL_FOUND
  return estimateFacts(rows, isFound ? few : absent, precision)
}

/** Answers of all rows of one list with these facts. */
export function answersOf(list, facts) {
  return list.map(({ index, query, expected, weight }) => {
    const found = match(index, query, undefined, facts)
    const best = found.candidates[0]
    const right = expected === '' ? null : best !== undefined && index.companies.id(best.company) === expected
    const vector = best === undefined ? null : FEATURES.map(feature => best.features[feature] ?? 0)
    return { decision: found.decision, score: found.score, right, weight, evidence: vector && evidenceClassOf(vector) }
  })
}

/** Measures every view of every set in the folder and prints a table; returns the figures by `set view`. */
export function measureSets(folder, split, print) {
  const results = {}
  const byKind = {}
  const addTo = (kind, answers) => {
    byKind[kind] = [...(byKind[kind] ?? []), ...answers]
  }
  const numbered = []
  print(
    `${'set'.padEnd(8)}${'asked with'.padEnd(15)}${'rows'.padStart(5)}${'top1'.padStart(7)}${'prec.'.padStart(7)}${'95 %'.padStart(14)}${'recall'.padStart(7)}${'95 %'.padStart(14)}${'of best'.padStart(9)}${'review'.padStart(7)}${'share'.padStart(12)}${ABSENT.map(one => `${one * 100} % absent, share`.padStart(28)).join('')}${'error'.padStart(7)}${'rows/s'.padStart(8)}`,
  )
  for (const set of SETS.filter(name => existsSync(join(folder, name)))) {
    const companies = readCsv(join(folder, set, 'register.csv')).map(companyOf)
    const rows = readCsv(join(folder, set, 'queries.csv')).filter(row => split === '' || row.split === split)
    const expected = new Set(rows.map(row => row.expected))
    const whole = buildIndex(companies)
    const without = buildIndex(companies.filter(company => !expected.has(company.id)))
    for (const { view, ignored, kind } of VIEWS.filter(one => one.set === set)) {
      const labelled = rows.map(row => ({ index: whole, query: queryOf(row, ignored), expected: row.expected, weight: 1 }))
      const present = labelled.filter(row => row.expected !== '')
      const absent = [
        ...labelled.filter(row => row.expected === ''),
        ...present.map(row => ({ ...row, index: without, expected: '' })),
      ]
      const asked = labelled.map(row => row.query)
      const decoys = absentRows(whole, asked)
      const ownFacts = factsOf(labelled, decoys)
      const natural = answersOf(labelled, ownFacts)
      addTo(kind, natural)
      const figures = weighed(natural)
      const lists = ABSENT.map(part => {
        const weightOf = (list, size) => list.map(row => ({ ...row, weight: (size * 1000) / list.length }))
        const list = [...weightOf(present, 1 - part), ...weightOf(absent, part)]
        const facts = factsOf(list, decoys)
        const answers = answersOf(list, facts)
        if (part === 0.5) addTo(`${kind}, half of them absent`, answers)
        return { ...weighed(answers), ...facts.inRegister }
      })
      const best = bestCut(answersOf(labelled, ALONE), 0.97)?.recall
      const ofBest = best === undefined ? null : figures.recall / best
      const review = Math.round((natural.filter(one => one.decision === 'review').length / natural.length) * 1000)
      const error = calibrationError(natural)
      const queries = labelled.map(row => row.query)
      const rowsPerSecond = speedOf(whole, queries)
      const ranges = ['precision', 'recall'].map(name => interval(natural, sample => weighed(sample)[name]))
      const range = ([low, high]) => `${shown(low).trim()}–${shown(high).trim()}`.padStart(14)
      if (view === 'all') numbered.push({ companies, labelled })
      results[`${set} ${view}`] = { ...figures, ofBest, review, lists, error, rowsPerSecond, ...ownFacts.inRegister }
      print(
        `${set.padEnd(8)}${view.padEnd(15)}${String(rows.length).padStart(5)}${shown(figures.top1)}${shown(figures.precision)}${range(ranges[0])}${shown(figures.recall)}${range(ranges[1])}${shown(ofBest).padStart(9)}${String(review).padStart(7)}${shareOf(ownFacts.inRegister)}${lists.map(one => `${shown(one.precision)} ${shown(one.recall)}${shareOf(one)}`.padStart(28)).join('')}${shown(error)}${String(rowsPerSecond).padStart(8)}`,
      )
    }
  }
  const range = ([low, high]) => `${shown(low).trim()}–${shown(high).trim()}`
  print('')
  for (const [kind, answers] of Object.entries(byKind)) {
    const error = shown(calibrationError(answers)).trim()
    const chance = shown(chanceError(answers)).trim()
    print(
      `calibration error, ${answers.length} rows with ${kind}: ${error} (${range(interval(answers, calibrationError))}); ${chance} by chance`,
    )
  }
  for (const [kind, answers] of Object.entries(byKind))
    for (const evidence of ['sameName', 'partName', 'partNameAddress']) {
      const given = answers.filter(one => one.evidence === evidence && one.decision === 'matched')
      if (given.length === 0) continue
      const { precision } = weighed(given)
      const limits = range(interval(given, sample => weighed(sample).precision))
      print(`matched rows with ${kind}, ${evidence}: ${given.length}, precision ${shown(precision).trim()} (${limits})`)
    }
  for (const { companies, labelled } of numbered) measureWrongNumbers(companies, labelled, print)
  return results
}
