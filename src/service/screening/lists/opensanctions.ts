/**
 * Reads OpenSanctions `targets.simple.csv`: one entry per row, several values in a cell separated by `;`. The file has no reason
 * of a listing: it follows from the titles of the entry's lists, unless the import names it.
 */
import { type Entry, type Listing, type ListingCode, makeEntry, makeListing } from '../entry.ts'
import { type ListSource, readCountries, readDate, readDates, readRows, splitValues } from './rows.ts'

/** Listing code by the title of a list, most specific first. */
const BY_TITLE: readonly (readonly [RegExp, ListingCode])[] = [
  [
    /sanction|\bofac\b|\bsdn\b|asset freez|terroris|designat|restrictive measure|embargo|\bsecurity council\b|frozen/i,
    'SAN-CURRENT',
  ],
  [
    /\bpeps?\b|politic|parliament|assembl|senat|congress|deput|legislat|minister|cabinet|president|governor|mayor|judge|position/i,
    'PEP-CURRENT',
  ],
  [/debar|exclu|wanted|interpol|enforcement|disqualif|fraud|warning|violat|crim|arrest|police|fugitive/i, 'ENF'],
  [/state.owned|government.owned|\bsoe\b/i, 'SOE-CURRENT'],
  [/insolven|bankrupt/i, 'INS'],
  [/media|leak|papers\b/i, 'AM'],
]

const findCode = (title: string): ListingCode => BY_TITLE.find(([pattern]) => pattern.test(title))?.[1] ?? 'POI'

/** Type by the FollowTheMoney schema: a person, an unspecific schema, any other. */
const findType = (schema: string): Entry['type'] =>
  schema === 'Person' ? 'individual' : schema === 'LegalEntity' || schema === 'Thing' ? 'either' : 'business'

function makeListings(
  titles: readonly string[],
  sanctions: readonly string[],
  programs: readonly string[],
  from: string,
): Listing[] {
  const regime = sanctions.join('; ')
  const listings = titles.map(title => {
    const code = findCode(title)
    return makeListing(code, {
      body: title,
      from,
      ...(code === 'SAN-CURRENT' ? { regime, measures: programs } : { what: title }),
    })
  })
  // Sanctioned, on lists without a matching title.
  if (sanctions.length + programs.length > 0 && !listings.some(({ code }) => code === 'SAN-CURRENT')) {
    listings.push(makeListing('SAN-CURRENT', { body: titles[0] ?? '', regime, measures: programs, from }))
  }
  return listings
}

/** Reads the entries. `codes` are the listing codes of all entries; when empty, the titles determine them. */
export async function* readOpenSanctions(source: ListSource, codes: readonly ListingCode[]): AsyncGenerator<Entry> {
  for await (const { line, cell } of readRows(source, ['id', 'schema', 'name', 'aliases', 'countries', 'dataset'])) {
    const [id, name, schema] = [cell('id'), cell('name'), cell('schema')]
    if (id === '' || name === '') {
      source.skip({ line, why: id === '' ? 'no id' : 'no name' })
      continue
    }
    const values = (column: string): string[] => splitValues(cell(column), ';')
    const from = readDate(cell('first_seen'))
    const titles = values('dataset')
    const sanctions = values('sanctions')
    const programs = values('program_ids')
    const byTitle = makeListings(titles, sanctions, programs, from)
    const body = titles.join('; ')
    const byCodes = codes.map(code => makeListing(code, { body, from, regime: sanctions.join('; '), measures: programs }))
    yield makeEntry({
      id,
      type: findType(schema),
      name,
      aliases: values('aliases').map(alias => ({ type: 'alias', name: alias })),
      listings: codes.length > 0 ? byCodes : byTitle.length > 0 ? byTitle : [makeListing('POI', { from })],
      countries: readCountries(values('countries')),
      datesOfBirth: readDates(values('birth_date')),
      addresses: values('addresses').map(line1 => ({ line1, line2: '', city: '', postalCode: '', countryCode: '' })),
      identifiers: values('identifiers').map(value => ({ type: 'identifier', value })),
      contacts: [
        ...values('phones').map(value => ({ type: 'telephone', value })),
        ...values('emails').map(value => ({ type: 'email', value })),
      ],
      businessTypes: findType(schema) === 'individual' ? [] : [schema],
      sources: titles.map(title => ({ title, link: `https://www.opensanctions.org/entities/${id}/`, dateAdded: from })),
    })
  }
}
