/**
 * The table of rules and the changes that each one reports. 101, 102, 105 and 1703 are documented; the other numbers are this
 * service's own (contract §7.2, §14.3).
 */

import { COUNTRIES } from '../../normalise/country.ts'
import { isActiveStatus } from '../enrichment/tags.ts'
import type { Difference, Field } from '../portfolios/company-facts.ts'

export interface Rule {
  readonly code: number
  /** `XX` for companies of all countries. */
  readonly country: string
  readonly type: number
  readonly typeName: string
  /** `{0}` and `{1}` are replaced by the parameters. */
  readonly name: string
  /** The monitored field; null for data that registers do not have, such as ratings and credit limits. */
  readonly field: Field | null
  readonly localCode: string
  readonly globalCode: string
  readonly summary: string
  readonly params: readonly [RegExp, RegExp, RegExp]
  readonly reports: (change: Difference) => boolean
}

const NONE = /^$/
const PERCENT = /^(?:|100|[1-9]?\d)$/
const NO_PARAMS = [NONE, NONE, NONE] as const
const always = (): boolean => true

const anyChange = (code: number, field: Field, name: string, localCode: string, globalCode: string): Rule => ({
  ...{ code, country: 'XX', type: 1, typeName: 'Any change', name, field, localCode, globalCode },
  ...{ summary: `${name} Change reported`, params: NO_PARAMS, reports: always },
})

const GLOBAL: readonly Rule[] = [
  {
    ...{ code: 101, country: 'XX', type: 4, typeName: 'Rating band change - 3 input', field: null },
    name: 'International Rating | Reduce by {0} Band(s) OR Less than Band {1}',
    ...{ localCode: 'IR', globalCode: 'IR', summary: 'International Rating Change reported', reports: always },
    params: [/^[1-4]?$/, /^(?:|[A-D]|Any)$/, /^(?:|true|false)$/],
  },
  {
    ...{ code: 102, country: 'XX', type: 3, typeName: 'Limit change - 2 input', field: null, name: 'Credit Limit Change' },
    ...{ localCode: 'CL', globalCode: 'CL', summary: 'Credit Limit Change reported', reports: always },
    params: [/^(?:|true|false)$/, PERCENT, /^\d{0,15}$/],
  },
  anyChange(103, 'status', 'Company Status', 'ST', 'ST'),
  anyChange(104, 'name', 'Company Name', 'NA', 'NA'),
  anyChange(105, 'address', 'Address', 'LI2013', 'AD'),
  anyChange(106, 'legalForm', 'Legal Form', 'LF', 'LF'),
  anyChange(107, 'directors', 'Directors', 'DI', 'DI'),
]

const BELGIAN_SCORE: Rule = {
  ...{
    code: 1703,
    country: 'BE',
    type: 5,
    typeName: 'Percentage drop - 1 input',
    name: 'Credit Score | Reduce by {0}%',
    field: null,
  },
  ...{
    localCode: 'CS',
    globalCode: 'CS',
    summary: 'Credit Score Change reported',
    params: [PERCENT, NONE, NONE],
    reports: always,
  },
}

/** First number of the national rules. The number of a country follows from its two letters. */
const FIRST_NATIONAL = 5000

const ceased = (country: string): Rule => ({
  code: FIRST_NATIONAL + Number.parseInt(country, 36),
  ...{ country, type: 2, typeName: 'Status becomes non-active', name: 'Company No Longer Active', field: 'status' },
  ...{ localCode: `${country}-NA`, globalCode: 'ST', summary: 'Company is reported as no longer active', params: NO_PARAMS },
  reports: ({ old, new: now }) => (old === '' || isActiveStatus(old)) && now !== '' && !isActiveStatus(now),
})

/** All rules, international ones first. */
export const RULES: readonly Rule[] = [...GLOBAL, BELGIAN_SCORE, ...Object.keys(COUNTRIES).sort().map(ceased)]

const BY_CODE: ReadonlyMap<number, Rule> = new Map(RULES.map(rule => [rule.code, rule]))

export const ruleOf = (code: number): Rule | null => BY_CODE.get(code) ?? null

/** The rules of a country, or of `XX`; empty for any other text. */
export const rulesOf = (country: string): Rule[] => RULES.filter(rule => rule.country === country)
