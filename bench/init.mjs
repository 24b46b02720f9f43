/**
 * `fettle init --yes` on lists it has never seen: labelled queries (qid,name,address1,town,postcode,country,orgNumber,…) under their own
 * headers and under others. Per list and headers: columns with values that have a mapping, those mapped right, those it would ask
 * about, and mapped wrong. The answer is read from the file that was written. `npm run bench -- init FOLDER…`, each with a queries.csv.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'csv-stringify/sync'
import { parse } from 'yaml'
import { readCsv } from './lib/matching-data.mjs'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const OWN = ['qid', 'name', 'address1', 'town', 'postcode', 'country', 'orgNumber', 'kind', 'split', 'expected']
/** What each column is; null where no mapping is right. `expected` is the label: a list in the wild has none. */
const TRUTH = {
  qid: 'key',
  name: 'name',
  address1: 'address1',
  town: 'town',
  postcode: 'postcode',
  country: 'country',
  orgNumber: 'orgNumber',
}
const COLUMNS = OWN.filter(column => column !== 'expected')
const HEADERS = {
  'its own': COLUMNS,
  German: ['Lieferantennr.', 'Firma', 'Straße', 'Ort', 'PLZ', 'Land', 'HRB-Nr.', 'Art', 'Gruppe'],
  French: ['N° fournisseur', 'Raison sociale', 'Adresse', 'Ville', 'Code postal', 'Pays', 'N° SIREN', 'Type', 'Lot'],
  vague: ['Nr', 'Bezeichnung', 'Text', 'Feld', 'Code', 'Region', 'Nummer', 'Typ', 'Wert'],
  'A to I': [...'ABCDEFGHI'],
  misleading: ['name', 'id', 'country', 'postcode', 'town', 'address', 'phone', 'company', 'orgNumber'],
}

/** What init says of a list: the mappings it wrote by column, and those it left as comments. */
function init(folder, header, rows) {
  const file = join(folder, 'list.csv')
  const yaml = join(folder, 'list.yml')
  rmSync(yaml, { force: true })
  writeFileSync(file, stringify([header, ...rows]))
  const began = performance.now()
  const { status } = spawnSync(process.execPath, [main, 'init', 'list.csv', '--yes'], { cwd: folder, stdio: 'ignore' })
  const ms = performance.now() - began
  if (!existsSync(yaml)) return { status, ms, mapped: [], asked: [] }
  const text = readFileSync(yaml, 'utf8')
  const { mappings, input } = parse(text)
  const lines = text.split('\n').filter(line => /^ {2}# \w+: .* # \d+%/.test(line))
  const asked = lines.map(line => parse(line.replace(/^ {2}# /, ''))).flatMap(Object.entries)
  return { status, ms, mapped: Object.entries({ ...mappings, ...(input.key === undefined ? {} : { key: input.key }) }), asked }
}

const folders = process.argv.slice(2)
if (folders.length === 0) throw new Error('Name folders with a queries.csv each.')
const place = mkdtempSync(join(tmpdir(), 'fettle-init-'))
console.log('| list | headers | columns to find | right | asked | not found | wrong | ended |\n|---|---|---|---|---|---|---|---|')
try {
  for (const folder of folders) {
    const records = readCsv(join(folder, 'queries.csv'))
    const rows = records.map(record => COLUMNS.map(column => record[column] ?? ''))
    for (const [name, header] of Object.entries(HEADERS)) {
      const { status, mapped, asked } = init(place, header, rows)
      const truth = new Map(
        COLUMNS.flatMap((column, at) => (rows.some(row => row[at] !== '') ? [[header[at], TRUTH[column] ?? null]] : [])),
      )
      const alike = ([target, said]) => (truth.get(said) ?? '').replace(/\d$/, '') === target.replace(/\d$/, '')
      const right = mapped.filter(alike).length
      const offered = asked.filter(alike).length
      const sought = [...truth.values()].filter(target => target !== null).length
      const wrong = mapped.filter(one => !alike(one)).map(([target, said]) => `${target}: ${said}`)
      const ended = status === 0 ? 'written' : status === 65 ? 'refused' : `exit ${status}`
      console.log(
        `| ${basename(folder)} | ${name} | ${sought} | ${right} | ${offered} | ${sought - right - offered} | ${wrong.join(', ') || 0} | ${ended} |`,
      )
    }
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
