/** Lays out the PDF of a hit in sections (contract §6.7). */
import { type PdfSection, pdfOf } from '../http/pdf.ts'
import { datasetsOf, type Entry, type Listing } from './entry.ts'
import type { NameOf } from './search-record.ts'
import type { Hit, Search } from './searches-store.ts'

export interface HitDocument {
  readonly search: Search
  readonly hit: Hit
  readonly entry: Entry
  readonly nameOf: NameOf
  readonly snapshots: readonly number[]
  readonly now: number
}

const at = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const list = (values: readonly string[]): string => values.join(', ')
const rows = (all: readonly (readonly [string, string])[]): [string, string][] =>
  all.filter(([, value]) => value !== '').map(([label, value]) => [label, value])

const listingRows = ({ code, body, regime, reference, origin, measures, what, country, from, to }: Listing): [string, string][] =>
  rows([
    ['Dataset', code],
    ['Listed by', body],
    ['Reference', reference],
    ['Origin', origin],
    ['Regime', regime],
    ['Measures', list(measures)],
    ['Position or category', what],
    ['Country', country],
    ['From', from],
    ['To', to],
  ])

const searchRows = ({ search, nameOf }: HitDocument): [string, string][] =>
  rows([
    ['Name searched', search.name],
    ['Type', search.type],
    ['Threshold', String(search.threshold)],
    ['Datasets', list(search.datasets)],
    ['Countries', list(search.countryCodes)],
    ['Date of birth', search.dateOfBirth ?? ''],
    ['Searched', `${at(search.createdAt)}, by ${nameOf(search.createdBy) ?? ''}`],
    ['Status', search.status],
    ['Risk rating', search.riskRating],
    ['Search', search.id],
  ])

function readings(snapshots: readonly number[]): string {
  const last = snapshots.at(-1)
  if (last === undefined) return 'never'
  return snapshots.length === 1 ? `once, ${at(last)}` : `${snapshots.length} times, last ${at(last)}`
}

const hitRows = ({ hit, entry, nameOf, snapshots }: HitDocument): [string, string][] =>
  rows([
    ['Name on the list', entry.name],
    ['Name that matched', hit.match],
    ['Score', String(hit.score)],
    ['Decision', hit.decision],
    ['Last changed', `${at(hit.modifiedAt)}, by ${nameOf(hit.modifiedBy) ?? ''}`],
    ['Note', hit.note ?? ''],
    ['Record read', readings(snapshots)],
    ['Hit', hit.id],
  ])

const entryRows = (entry: Entry): [string, string][] =>
  rows([
    ['Datasets', list(datasetsOf(entry.listings))],
    ['Countries', list(entry.countries)],
    ['Gender', entry.gender],
    ['Dates of birth', list(entry.datesOfBirth)],
    ['Dates of death', list(entry.datesOfDeath)],
    ['PEP tier', entry.pepTier === null ? '' : String(entry.pepTier)],
    ['Kind', list(entry.businessTypes)],
    ['Description', entry.description],
    ...entry.aliases.map(({ type, name }): [string, string] => [`Also known as (${type})`, name]),
    ...entry.addresses.map(({ line1, line2, city, postalCode, countryCode }): [string, string] => [
      'Address',
      list([line1, line2, postalCode, city, countryCode].filter(part => part !== '')),
    ]),
    ...[...entry.identifiers, ...entry.contacts, ...entry.links].map(({ type, value }): [string, string] => [type, value]),
    ...entry.notes.map((note): [string, string] => ['Note of the list', note]),
    ...entry.sources.map(({ title, link }): [string, string] => ['Source', list([title, link].filter(part => part !== ''))]),
  ])

export function hitPdf(content: HitDocument): Promise<Buffer> {
  const { entry, hit, now } = content
  const sections: PdfSection[] = [
    { heading: 'Search', rows: searchRows(content) },
    { heading: 'Hit', rows: hitRows(content) },
    { heading: `Entry of the list ${hit.list}`, rows: entryRows(entry) },
    ...entry.listings.map(one => ({ heading: `Listed: ${one.code}`, rows: listingRows(one) })),
    { heading: 'This document', rows: [['Made', at(now)]] },
  ]
  return pdfOf(`AML details: ${entry.name}`, sections)
}

/** File name of a hit's PDF, from the name searched and the hit's id: letters, digits and hyphens only. */
export function pdfName(search: Search, hit: Hit): string {
  const plain = search.name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  return `aml-${plain === '' ? search.type : plain}-${hit.id.slice(0, 8)}.pdf`
}
