/**
 * Rows with a number in either column, made by rule for 16 countries: six that keep VAT number and organisation number apart, and ten whose
 * VAT number holds the organisation number. `expected` is the id of the company that is meant, '' where no company may be matched.
 */
import { stdnum } from 'stdnum'
import type { Company, Query } from '../../../../src/service/matching/index.ts'
import type { HardRow } from './adversarial.ts'
import { company } from './companies.ts'

/** The form of an organisation number (`#` a digit, `?` and `@` a digit and a letter that make the check right), and of a VAT number. */
const COUNTRIES: readonly (readonly [country: string, number: string, vat: string, peer: string])[] = [
  ['GB', '0#######', '######???', 'vat'],
  ['DE', 'HRB #####', '########?', 'vat'],
  ['AT', 'FN ######x', 'U#######?', 'uid'],
  ['NL', '########', '########?B01', 'btw'],
  ['PL', '0000######', '#########?', 'nip'],
  ['IE', '######', '#######@', 'vat'],
  ['BE', '', '0#######??', 'vat'],
  ['DK', '', '#######?', 'cvr'],
  ['FI', '', '#######?', 'ytunnus'],
  ['FR', '', '########?', 'siren'],
  ['NO', '', '9#######?', 'orgnr'],
  ['SE', '', '#########?', 'orgnr'],
  ['IT', '', '#######001?', 'iva'],
  ['ES', '', 'B#######?', 'cif'],
  ['PT', '', '5#######?', 'nif'],
  ['CH', '', 'CHE########?', 'uid'],
]
const PLACES =
  'Marwick Quillon Thornbury Ashdowne Pellworth Hollowell Brimstone Morwenna Kettlewell Oldroyd Farrow Netherby Glenmore Wexcombe Tarrant Vexley'
const TRADES = ['Turbines', 'Bakeries', 'Castings', 'Ferries', 'Drainage']
/** The companies of a country share no word. */
const nameOf = (at: number, of: number): string => `${PLACES.split(' ')[(at + of * 3) % 16]!} ${TRADES[of]!}`

/** The same digits each time; the first is no zero. */
const withDigits = (form: string, seed: number): string => {
  let state = Math.imul(seed + 1, 2654435761) >>> 0
  return form.replace(/#/g, (_, at: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return String(at === 0 ? 1 + ((state >>> 16) % 9) : (state >>> 16) % 10)
  })
}

/** The form with digits, and the first check characters that the library calls right. */
function numberOf(country: string, form: string, name: string, seed: number): string {
  const digits = withDigits(form, seed)
  const open = digits.match(/\?+/)?.[0] ?? ''
  const fill = (text: string): string => digits.replace(open, text)
  const tries = digits.includes('@')
    ? [...'ABCDEFGHIJKLMNOPQRSTUVW'].map(letter => digits.replace('@', letter))
    : Array.from({ length: 10 ** open.length }, (_, at) => fill(String(at).padStart(open.length, '0')))
  const found = tries.find(text => stdnum[country]![name]!.validate(text).isValid)
  return found ?? numberOf(country, form, name, seed + 1)
}

const isApart = (number: string): boolean => number !== ''
/** The prefix of a VAT number; Swiss ones have it. */
const prefixed = (country: string, vat: string): string =>
  ({ CH: vat, FR: `FR44${vat}`, SE: `SE${vat}01` })[country] ?? country + vat

function makeTable() {
  const companies: Company[] = []
  const rows: HardRow[] = []
  for (const [at, [country, form, vatForm, peer]] of COUNTRIES.entries()) {
    const made = TRADES.map((_, of) => {
      const seed = at * 31 + of * 17 + 2
      const vat = numberOf(country, vatForm, peer, seed)
      const orgNumber = isApart(form) ? withDigits(form, seed + 5) : vat
      const vatNumber = prefixed(country, vat)
      const id = `${country}${of}`
      companies.push(
        company({
          id,
          name: nameOf(at, of),
          country,
          orgNumber,
          ...(isApart(form) ? { vatNumber } : {}),
          status: 'Active',
        }),
      )
      return { id, name: nameOf(at, of), orgNumber, vat, vatNumber }
    })
    for (const [of, own] of made.entries()) {
      const other = made[(of + 1) % made.length]!
      const row = (rule: string, expected: string, query: Query): void =>
        void rows.push({ rule: `${country}: ${rule}`, query, expected })
      const { id, name, orgNumber, vat, vatNumber } = own
      row('VAT number in the column of numbers', id, { name, orgNumber: vatNumber, country })
      row('VAT number there without its prefix', id, { name, orgNumber: vat, country })
      row('VAT number there, no name', id, { orgNumber: vatNumber, country })
      row('VAT number there, no name and no prefix', id, { orgNumber: vat, country })
      row('VAT number there, labelled and with blanks', id, {
        orgNumber: `VAT: ${vatNumber.replace(/(\d{3})(?=\d{3})/g, '$1 ')}`,
        country,
      })
      row('VAT number there, as tax code', id, { taxCode: vatNumber, country })
      row('VAT number in both columns', id, { name, orgNumber: vatNumber, vatNumber, country })
      row('VAT number there, another company has it', '', { name, orgNumber: other.vatNumber, country })
      row('organisation number, no name', id, { orgNumber, country })
      row('organisation number, another company has it', '', { name, orgNumber: other.orgNumber, country })
      row('organisation number in the column of VAT numbers', id, { name, vatNumber: orgNumber, country })
      if (isApart(form)) {
        row('VAT number there, no name and no country', id, { orgNumber: vatNumber })
        // The register has a number whose check digits are wrong; the prefix shows what it is.
        const mistyped = vatNumber.replace(/\d/, digit => String((Number(digit) % 9) + 1))
        companies.push(company({ id: `${id}x`, name: `Sandmoor ${id}x`, country, vatNumber: mistyped }))
        row('VAT number there, wrong in the register too', `${id}x`, { orgNumber: mistyped, country })
        row('its digits alone, no name and no country', '', { orgNumber: vat.replace(/^U/, '') })
        row('VAT number of nobody', '', { orgNumber: prefixed(country, numberOf(country, vatForm, peer, 900 + of)), country })
      }
    }
  }
  let pairs = 0
  // A number that is right as an organisation number of its country, and whose digits are the VAT number of a company elsewhere.
  for (const [at, [country, form, vatForm, peer]] of COUNTRIES.entries()) {
    if (isApart(form) || country === 'CH' || country === 'ES') continue
    for (const [abroad, , abroadForm, abroadPeer] of COUNTRIES.filter(([, number]) => isApart(number))) {
      const number = Array.from({ length: 400 }, (_, of) => numberOf(country, vatForm, peer, at * 1000 + of + 7)).find(
        text => stdnum[abroad]![abroadPeer]!.validate(abroad === 'AT' ? `U${text}` : text).isValid,
      )
      if (number === undefined || /[B@]/.test(abroadForm)) continue
      const own = `${country}-${abroad}`
      const [name, nameAbroad] = [`${PLACES.split(' ')[pairs]!} Foundry`, `${PLACES.split(' ')[(pairs + 8) % 16]!} Pumps`]
      companies.push(
        company({ id: own, name, country, orgNumber: number }),
        company({
          id: `${own}-other`,
          name: nameAbroad,
          country: abroad,
          vatNumber: abroad + (abroad === 'AT' ? `U${number}` : number),
        }),
      )
      pairs += 1
      const row = (rule: string, expected: string, query: Query): void =>
        void rows.push({ rule: `${country} beside ${abroad}: ${rule}`, query: { orgNumber: number, ...query }, expected })
      row('the number alone', own, { country })
      row('the number alone, no country', own, {})
      row('with its name', own, { name, country })
      row('with the name of the other', '', { name: nameAbroad, country })
    }
  }
  // The digits of one number in both columns of one country.
  const polish = numberOf('PL', '#########?', 'nip', 77)
  companies.push(
    company({ id: 'PL-number', name: 'Redcastle Zaklad', country: 'PL', orgNumber: polish }),
    company({ id: 'PL-vat', name: 'Hollowell Zaklad', country: 'PL', orgNumber: '0000123456', vatNumber: `PL${polish}` }),
  )
  rows.push(
    { rule: 'one number of two kinds: alone', query: { orgNumber: polish, country: 'PL' }, expected: 'PL-number' },
    {
      rule: 'one number of two kinds: with a name',
      query: { orgNumber: polish, name: 'Redcastle Zaklad', country: 'PL' },
      expected: 'PL-number',
    },
    {
      rule: 'one number of two kinds: in the column of VAT numbers',
      query: { vatNumber: polish, name: 'Hollowell Zaklad', country: 'PL' },
      expected: 'PL-vat',
    },
  )
  return { companies, rows }
}

export const NUMBERS = makeTable()
