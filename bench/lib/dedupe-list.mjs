/** A list of any size for speed tests of `fettle dedupe`: grown companies, every fifth row a second spelling of an earlier one. Says nothing about quality. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { grow } from './grow.mjs'

const COLUMNS = ['id', 'name', 'country', 'orgNumber', 'address1', 'town', 'postcode', 'website']
const csv = cells => `${cells.map(cell => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\n`

/** The name as another person writes it. */
const SPELLINGS = [
  name => name.toUpperCase(),
  name => name.replace(/\b(limited|ltd|plc|inc|gmbh)\b\.?$/i, '').trim(),
  name => name.replace(/limited$/i, 'Ltd'),
  name => name.replace(/([a-z])\1/i, '$1'),
]

function* rowsOf(companies, count) {
  const grown = grow(companies, count)
  const earlier = []
  for (let n = 0; n < count; n++) {
    if (n % 5 === 4) {
      const model = earlier[(n * 7919) % earlier.length]
      const name = SPELLINGS[n % SPELLINGS.length](model.name)
      yield { ...model, id: n, name, orgNumber: '', address1: n % 2 === 0 ? '' : model.address1 }
      continue
    }
    const company = grown.next().value
    if (earlier.length < 100_000) earlier.push(company)
    yield { ...company, id: n, orgNumber: n % 3 === 0 ? company.orgNumber : '' }
  }
}

function* linesOf(companies, count) {
  yield csv(COLUMNS)
  for (const row of rowsOf(companies, count)) yield csv(COLUMNS.map(column => row[column]))
}

export const writeList = (path, companies, count) => pipeline(Readable.from(linesOf(companies, count)), createWriteStream(path))
