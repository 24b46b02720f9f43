/**
 * Learns the weights table of the matching engine from the `train` queries of the labelled sets, and nothing else. Deterministic: the
 * same data and engine give the same table. Needs `npm run build`; build again afterwards.
 *
 *   npm run train:matching -- --data FOLDER [--without SET] [--print | --check]     FOLDER holds uk-gpg, listed and sec, each with register.csv and queries.csv
 *
 * The figures it prints are cross-validated on `train` (five folds by company); `--print` leaves the table unchanged, and `--check`
 * ends with 1 where it is not the table that the training gives. `--without` learns the weights from the other sets and leaves thresholds
 * and calibration as they are: after a build, `npm run bench -- matching` shows how the engine does on a set that nothing was learned from.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { companyOf, queryOf, readCsv } from '../bench/lib/matching-data.mjs'
import { FEATURES } from '../build/service/matching/features.js'
import { buildIndex } from '../build/service/matching/index.js'
import { WEIGHTS } from '../build/service/matching/weights.js'
import { calibratedOdds, fitCalibration } from './train-matching-calibration.mjs'
import { choiceOf } from './train-matching-choices.mjs'
import { fitWeights, oddsOf } from './train-matching-model.mjs'
import { chooseThresholds } from './train-matching-thresholds.mjs'

const isSet = { type: 'boolean', default: false }
const { values } = parseArgs({ options: { data: { type: 'string' }, without: { type: 'string' }, print: isSet, check: isSet } })
if (values.data === undefined) {
  process.stderr.write('usage: npm run train:matching -- --data FOLDER [--without SET] [--print | --check]\n')
  process.exit(2)
}

/**
 * What each set is asked with: the columns left out, how much its queries count, and the views that the thresholds are chosen on. The
 * number of a company is never used.
 */
const VIEWS = [
  { set: 'uk-gpg', without: ['orgNumber', 'postcode', 'address1'], weight: 0.5, main: true },
  { set: 'uk-gpg', without: ['orgNumber', 'address1'], weight: 0.5 },
  { set: 'uk-gpg', without: ['orgNumber', 'postcode'], weight: 0.5 },
  { set: 'uk-gpg', without: ['orgNumber'], weight: 1, main: true },
  { set: 'listed', without: [], weight: 1, main: true },
  { set: 'listed', without: ['country'], weight: 0.5, main: true },
  { set: 'sec', without: [], weight: 1, main: true },
].filter(({ set }) => set !== values.without)
const RIDGE = 1
const FOLDS = 5

/** Evidence for never counts against, and the other way round; a feature that is not here keeps its weight. */
const LEARNED = Object.fromEntries(
  [
    [
      '- bias missCompany extraQuery extraCompany legalDiffer countryDiffer postcodeDiffer addressNone placeMatched placeFirst',
      [-12, 0],
    ],
    [
      '+ pairs exact exactRare matched allPaired pairedRare shortened queryPaired firstWord prefix acronym legalAgree exactLegal domainName countryAgree postcodeEqual postcodeAlone placeMiss exactMoved address addressSame',
      [0, 12],
    ],
    ['~ postcodeNear', [-12, 12]],
    // The sets hold few names that differ in a number only; people mind those most.
    ['# numbersDiffer', [-12, -1.5]],
  ].flatMap(([names, bounds]) =>
    names
      .split(' ')
      .slice(1)
      .map(name => [name, bounds]),
  ),
)

/** A number below FOLDS from a company's id, so that all spellings of one company stand in one fold. */
const foldOf = text => {
  let hash = 7
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003
  return hash % FOLDS
}

const siteOf = company =>
  company.website
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/\/.*$/, '')

/**
 * The register without second entries of the companies that are asked for: those of the same website and of no other country. They are
 * receipts and further share classes of one company (`SMITH & NEPHDRN`); an answer that names one is neither right nor wrong.
 */
function withoutSecondEntries(companies, asked) {
  const countries = new Map()
  for (const company of companies) {
    const site = siteOf(company)
    if (asked.has(company.id) && site !== '') countries.set(site, [...(countries.get(site) ?? []), company.country])
  }
  const isSecond = company =>
    !asked.has(company.id) &&
    (countries.get(siteOf(company)) ?? []).some(one => one === '' || company.country === '' || one === company.country)
  return companies.filter(company => !isSecond(company))
}

/**
 * The train queries of a view as choices, half of the weight on rows that the register has. Every row that it has is asked again of a
 * register without the companies that are asked for: it is then a row that the register lacks.
 */
function choicesOf({ set, without, weight }) {
  const rows = readCsv(join(values.data, set, 'queries.csv')).filter(one => one.split === 'train')
  const asked = new Set(rows.map(row => row.expected))
  const companies = withoutSecondEntries(readCsv(join(values.data, set, 'register.csv')).map(companyOf), asked)
  const whole = buildIndex(companies)
  const others = buildIndex(companies.filter(company => !asked.has(company.id)))
  const known = rows.filter(row => row.expected !== '').length
  return rows.flatMap(row => {
    const query = queryOf(row, without)
    const own = {
      known: row.expected !== '',
      weight,
      fold: foldOf(row.expected || row.qid),
      ...choiceOf(whole, query, row.expected),
    }
    const lacking = { known: false, weight: (weight * known) / rows.length }
    return own.known ? [own, { ...own, ...choiceOf(others, query, ''), ...lacking }] : [{ ...own, ...lacking }]
  })
}

const bound = side => FEATURES.map(name => LEARNED[name]?.[side] ?? WEIGHTS[name])
/** What was not found cannot be learned from; it does not teach that nothing is there. */
const learn = choices =>
  fitWeights(
    choices.filter(one => one.right >= 0 || !one.known),
    bound(0),
    bound(1),
    RIDGE,
  )

const views = VIEWS.map(view => ({ ...view, choices: choicesOf(view) }))
const all = views.flatMap(view => view.choices)

// Out-of-fold answers: what the engine would say of rows it has not learned from.
for (let fold = 0; fold < FOLDS; fold++) {
  const weights = learn(all.filter(one => one.fold !== fold))
  for (const one of all.filter(each => each.fold === fold)) one.odds = oddsOf(weights, one)
}
for (const { set, without, choices } of views) {
  const known = choices.filter(one => one.known)
  const first = known.filter(one => one.right >= 0 && one.odds[one.right] === Math.max(...one.odds)).length
  process.stdout.write(
    `${set.padEnd(8)} without ${(without.join(', ') || 'nothing').padEnd(32)} top1 ${(first / known.length).toFixed(3)}\n`,
  )
}

/** Calibration and thresholds, chosen on the out-of-fold answers. */
function chooseStated() {
  const calibration = fitCalibration(views.filter(view => view.main).flatMap(view => view.choices))
  for (const one of all) one.odds = calibratedOdds(one, calibration)
  const { thresholds, lines } = chooseThresholds(views)
  process.stdout.write(`${[...lines, `shortened names: slope ${calibration.slope}, most ${calibration.most}`].join('\n')}\n`)
  return { ...thresholds, ...calibration }
}

const stated = values.without === undefined ? chooseStated() : {}
const weights = learn(all)
const path = fileURLToPath(new URL('../src/service/matching/weights.ts', import.meta.url))
const text = readFileSync(path, 'utf8')
const newValue = name => stated[name] ?? (LEARNED[name] === undefined ? null : weights[FEATURES.indexOf(name)])
const written = text.replace(/^ {2}(\w+): (-?[\d.]+),/gm, (line, name, old) =>
  newValue(name) === null ? line : line.replace(old, String(Number(newValue(name).toFixed(2)) || 0)),
)
for (const name of Object.keys(LEARNED))
  process.stdout.write(`${name.padEnd(16)}${weights[FEATURES.indexOf(name)].toFixed(2).padStart(8)}\n`)
if (values.check && written !== text) {
  process.stderr.write('src/service/matching/weights.ts is not what the training gives: train again, then npm run build\n')
  process.exitCode = 1
}
if (!values.print && !values.check) writeFileSync(path, written)
