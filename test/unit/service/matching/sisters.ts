/**
 * A register of invented groups and rows about them, made by rule: sisters that differ in one part of the name, asked for when the register
 * has them and when it lacks them, with and without their address.
 */
import type { Company, Query } from '../../../../src/service/matching/index.ts'
import { company } from './companies.ts'

export interface SisterRow {
  readonly rule: string
  readonly query: Query
  /** The id of the company that is meant; '' when the register lacks it. */
  readonly expected: string
}

/** What distinguishes sisters: the name of the group goes to `%`. The first is registered, the second asked for. */
const RULES: readonly (readonly [rule: string, one: string, other: string])[] = [
  ['Roman numerals', '% Infrastructure Fund II LP', '% Infrastructure Fund III LP'],
  ['Roman numerals from one', '% Capital Partners I LP', '% Capital Partners II LP'],
  ['larger Roman numerals', '% Ventures XIV Limited', '% Ventures XVI Limited'],
  ['numbers', '% Lettings No. 1 Limited', '% Lettings No. 2 Limited'],
  ['numbers without a sign', '% Developments 3 Limited', '% Developments 4 Limited'],
  ['years', '% Pension Trust 1987 Limited', '% Pension Trust 1978 Limited'],
  ['number words', '% Storage One Limited', '% Storage Two Limited'],
  ['letters at the end', '% Court Residents B Limited', '% Court Residents C Limited'],
  ['letters of blocks', '% Quay Block A Management Limited', '% Quay Block B Management Limited'],
  ['points of the compass', '% Hauliers North Limited', '% Hauliers South Limited'],
  ['points as adjectives', '% Water Northern Limited', '% Water Eastern Limited'],
  ['double points', '% Housing North West Limited', '% Housing South East Limited'],
  ['countries in brackets', '% Foods (Ireland) Limited', '% Foods (Scotland) Limited'],
  ['countries', '% Bearings Deutschland GmbH', '% Bearings Polska GmbH'],
  ['towns in brackets', '% Motors (Leeds) Limited', '% Motors (Bradford) Limited'],
]
/** Words by which a group names its parts. Two are registered, the third is asked for. */
const PARTS: readonly (readonly [string, string, string])[] = [
  ['% Logistics Limited', '% Property Services Limited', '% Catering Limited'],
  ['% Packaging Limited', '% Components Limited', '% Filters Limited'],
  ['% Homes Limited', '% Care Limited', '% Leisure Limited'],
  ['% Holdings Limited', '% Technology Limited', '% Finance Limited'],
]
/** What one sister has and the other lacks; either may be the one that is registered. */
const ONE_SIDED: readonly (readonly [rule: string, without: string, having: string])[] = [
  ['a town in brackets on one side', '% Wines Limited', '% Wines (Newry) Limited'],
  ['a country in brackets on one side', '% Glass Limited', '% Glass (Ireland) Limited'],
  ['a part in brackets on one side', '% Quarries Limited', '% Quarries (Transport) Limited'],
  ['International on one side', '% Valves Limited', '% Valves International Limited'],
]
const GROUPS = ['Marwick', 'Quillon', 'Thornbury', 'Ashdowne']
const STREETS = ['Quay Road', 'Foundry Lane', 'Mill Street', 'Castle Hill']
const TOWNS = ['Poole', 'Sheffield', 'Lewes', 'Derby']

const inCapitals = (name: string): string => name.toUpperCase().replace('LIMITED', 'LTD.')

function makeTable() {
  const companies: Company[] = []
  const rows: SisterRow[] = []
  const add = (name: string, place: Partial<Company>): string => {
    const id = String(10_000_000 + companies.length * 37)
    companies.push(company({ id, orgNumber: id, country: 'GB', name, status: 'Active', ...place }))
    return id
  }
  for (const [at, group] of GROUPS.entries()) {
    for (const [number, [rule, one, other]] of RULES.entries()) {
      // Each rule has groups of its own: one of which the register has one sister, and one of which it has both.
      const [lone, both] = ['son', 'ley'].map(ending => `${group}${'bcdfghjklmnprst'.charAt(number)}${ending}`) as [
        string,
        string,
      ]
      const place = (letter: string) => ({
        address1: `${20 + number} ${STREETS[at]}`,
        town: TOWNS[at]!,
        postcode: `${'ABCD'.charAt(at)}${letter}${number + 1} ${at + 1}QX`,
      })
      const known = place('B')
      add(one.replace('%', lone), known)
      const shared = place('L')
      const first = add(one.replace('%', both), shared)
      const second = add(other.replace('%', both), shared)
      const missing = other.replace('%', lone)
      rows.push(
        { rule: `${rule}: absent, at the address`, query: { name: missing, country: 'GB', ...known }, expected: '' },
        { rule: `${rule}: absent, by name`, query: { name: inCapitals(missing), country: 'GB' }, expected: '' },
        {
          rule: `${rule}: both there, at the address`,
          query: { name: inCapitals(other.replace('%', both)), ...shared },
          expected: second,
        },
        { rule: `${rule}: both there, by name`, query: { name: one.replace('%', both), country: 'GB' }, expected: first },
        {
          rule: `${rule}: the number decides`,
          query: { name: one.replace('%', both), orgNumber: second, country: 'GB', ...shared },
          expected: second,
        },
      )
    }
    for (const [number, [one, other, asked]] of PARTS.entries()) {
      const name = `${group}${'wvxz'.charAt(number)}ane`
      const place = {
        address1: `${60 + number} ${STREETS[at]}`,
        town: TOWNS[at]!,
        postcode: `${'ABCD'.charAt(at)}P${number + 1} 7QX`,
      }
      const first = add(one.replace('%', name), place)
      add(other.replace('%', name), place)
      rows.push(
        { rule: 'parts of a group: absent, at the address', query: { name: asked.replace('%', name), ...place }, expected: '' },
        { rule: 'parts of a group: absent, by name', query: { name: asked.replace('%', name), country: 'GB' }, expected: '' },
        { rule: 'parts of a group: the bare name', query: { name, ...place }, expected: '' },
        { rule: 'parts of a group: there', query: { name: inCapitals(one.replace('%', name)), ...place }, expected: first },
      )
    }
    for (const [number, [rule, without, having]] of ONE_SIDED.entries()) {
      const [short, long, both] = ['dale', 'mere', 'combe'].map(ending => `${group}${'vwx'.charAt(number)}${ending}`) as [
        string,
        string,
        string,
      ]
      const place = {
        address1: `${40 + number} ${STREETS[at]}`,
        town: TOWNS[at]!,
        postcode: `${'ABCD'.charAt(at)}E${number + 1} 3QX`,
      }
      const id = add(without.replace('%', short), place)
      add(having.replace('%', long), {})
      const [first, second] = [without, having].map(name => add(name.replace('%', both), {})) as [string, string]
      rows.push(
        { rule: `${rule}: absent, by name`, query: { name: having.replace('%', short), country: 'GB' }, expected: '' },
        { rule: `${rule}: absent, the other has it`, query: { name: without.replace('%', long), country: 'GB' }, expected: '' },
        { rule: `${rule}: both there, by name`, query: { name: without.replace('%', both), country: 'GB' }, expected: first },
        { rule: `${rule}: both there, by name`, query: { name: having.replace('%', both), country: 'GB' }, expected: second },
        {
          rule: `${rule}: its town agrees`,
          query: { name: having.replace('%', short), country: 'GB', town: place.town },
          expected: id,
        },
        {
          rule: `${rule}: a note behind the name`,
          query: { name: `${without.replace('%', short)} (invoices)`, country: 'GB' },
          expected: id,
        },
      )
    }
    // One company of the group at an address; the row has a word such as Trading.
    const sole = `${group}ford`
    const place = { address1: `90 ${STREETS[at]}`, town: TOWNS[at]!, postcode: `${'ABCD'.charAt(at)}S1 7QX` }
    const id = add(`${sole} Brewery Limited`, place)
    rows.push(
      { rule: 'Trading: absent, at the address', query: { name: `${sole} Brewery Trading Limited`, ...place }, expected: '' },
      {
        rule: 'Properties: absent, at the address',
        query: { name: `${sole} Brewery Properties Limited`, ...place },
        expected: '',
      },
      { rule: 'another name at the address', query: { name: `Netherby ${TOWNS[at]} Opticians Limited`, ...place }, expected: '' },
      { rule: 'the same company', query: { name: `${sole} Brewery Co Ltd`, ...place }, expected: id },
    )
  }
  // One spelling of a number for another.
  for (const [written, registered] of [
    ['Pellworth Fund 2', 'Pellworth Fund II LP'],
    ['Pellworth Fund Three LP', 'Pellworth Fund 3 LP'],
    ['Harrowfield Northwest Ltd', 'Harrowfield North West Limited'],
    ['Harrowfield Germany GmbH', 'Harrowfield Deutschland GmbH'],
    ['Kestrel Bay Scotland Ltd', 'Kestrel Bay (Scotland) Limited'],
    ['A & J Dunmore Roofing', 'AJ Dunmore Roofing Ltd'],
  ] as const)
    rows.push({ rule: 'another spelling', query: { name: written, country: 'GB' }, expected: add(registered, {}) })
  return { companies, rows }
}

export const SISTERS = makeTable()
