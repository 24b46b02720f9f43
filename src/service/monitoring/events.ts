/**
 * The table of rules, and the events that they create: from a change of a company and the active rules of its portfolios, and from an import, as
 * rules without parameters would report them if a portfolio had every company. The rules 101, 102, 105 and 1703 are documented (contract §7.2),
 * and report every change without parameters; the numbers from 900000 on are this service's own, and in no range of the vendor's.
 */
import { COUNTRIES } from '../../normalise/country.ts'
import { isActiveStatus } from '../enrichment/tags.ts'
import { type Difference, differences, type Field, NOTHING } from '../portfolios/company-facts.ts'
import type { ChangeSetInfo } from '../registers/files.ts'
import { type RegisterChange, readChanges } from '../registers/index.ts'
import { factsAfter, readFields } from './changes.ts'
import TABLE from './rules.json' with { type: 'json' }

type Reports = (change: Pick<Difference, 'old' | 'new'>, params: readonly string[]) => boolean

const isUnset = (params: readonly string[]): boolean => params.every(param => param === '')

/** 1 for A to 5 for E, null for any other text. */
function readBand(text: string): number | null {
  const at = 'ABCDE'.indexOf(text.trim().toUpperCase())
  return text.trim().length === 1 && at >= 0 ? at + 1 : null
}

/** `1,000.50` is 1000.5; null for a text that is not a number. */
function readAmount(text: string): number | null {
  const plain = text.replaceAll(/[\s,]/g, '')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null
}

/** `Any` reports every change. Otherwise a drop by this number of bands, or into a band at or below the letter. */
const reportsRating: Reports = ({ old, new: now }, [bands = '', letter = '']) => {
  if (letter === 'Any' || isUnset([bands, letter])) return true
  const [was, is] = [readBand(old), readBand(now)]
  if (was === null || is === null) return true
  const worst = readBand(letter)
  return (bands !== '' && is - was >= Number(bands)) || (worst !== null && is > was && is >= worst)
}

const dropsBy = (was: number, is: number, percent: string): boolean =>
  percent !== '' && is < was && (was - is) * 100 >= Number(percent) * Math.abs(was)

/** `true` reports every change. Otherwise a reduction by this percentage, or below this amount. */
const reportsLimit: Reports = ({ old, new: now }, [any = '', percent = '', least = '']) => {
  if (any === 'true' || isUnset([percent, least])) return true
  const [was, is] = [readAmount(old), readAmount(now)]
  if (was === null || is === null) return true
  return dropsBy(was, is, percent) || (least !== '' && is < Number(least) && is < was)
}

const reportsScore: Reports = ({ old, new: now }, [percent = '']) => {
  if (percent === '') return true
  const [was, is] = [readAmount(old), readAmount(now)]
  return was === null || is === null || dropsBy(was, is, percent)
}

/** A row of the table: `XX` is the country of rules for all companies; `{0}` and `{1}` in a name are replaced by the parameters. */
export interface Rule extends Readonly<Omit<(typeof TABLE)[number], 'field' | 'params'>> {
  readonly field: Field
  readonly params: readonly [RegExp, RegExp, RegExp]
  /** Whether it reports a change to a portfolio that set these parameters. */
  readonly reports: (change: Difference, params: readonly string[]) => boolean
}

/** Rules whose parameters choose the changes; the others report any change of their field. */
const BY_PARAMETERS: Readonly<Record<number, Rule['reports']>> = { 101: reportsRating, 102: reportsLimit, 1703: reportsScore }

const IN_TABLE = TABLE.map(({ params, ...rule }): Rule => {
  const patterns = params.map(pattern => new RegExp(pattern)) as [RegExp, RegExp, RegExp]
  return { ...(rule as Omit<Rule, 'params' | 'reports'>), params: patterns, reports: BY_PARAMETERS[rule.code] ?? (() => true) }
})

/** First number of the national rules. The number of a country follows from its two letters. */
const FIRST_NATIONAL = 910_000

const ceased = (country: string): Rule => ({
  code: FIRST_NATIONAL + Number.parseInt(country, 36),
  ...{ country, type: 2, typeName: 'Status becomes non-active', name: 'Company No Longer Active', field: 'status' },
  ...{ localCode: `${country}-NA`, globalCode: 'ST', summary: 'Company is reported as no longer active' },
  params: [/^$/, /^$/, /^$/],
  reports: ({ old, new: now }) => (old === '' || isActiveStatus(old)) && now !== '' && !isActiveStatus(now),
})

/** All rules, international ones first. */
export const RULES: readonly Rule[] = [...IN_TABLE, ...Object.keys(COUNTRIES).sort().map(ceased)]

/** The name of a rule with its parameters, such as `Reduce by 2 Band(s)`; what is not set, or is any change, is left out. */
function nameWith({ name }: Pick<Rule, 'name'>, params: readonly string[]): string {
  const [subject = '', conditions = ''] = name.split(' | ')
  const isSet = (index: string | undefined): boolean => (params[Number(index)] ?? '') !== ''
  const set = conditions
    .split(' OR ')
    .filter(condition => [...condition.matchAll(/\{(\d)\}/g)].every(([, index]) => isSet(index)))
  if (conditions === '' || set.length === 0 || params.includes('Any')) return subject
  return `${subject} | ${set.join(' OR ')}`.replaceAll(/\{(\d)\}/g, (_, index) => params[Number(index)] ?? '')
}

const BY_CODE: ReadonlyMap<number, Rule> = new Map(RULES.map(rule => [rule.code, rule]))

export const findRule = (code: number): Rule | null => BY_CODE.get(code) ?? null

/** The rules of a country, or of `XX`; empty for any other text. */
export const listRules = (country: string): Rule[] => RULES.filter(rule => rule.country === country)

export type ActiveRule = { readonly portfolio: number; readonly code: number; readonly params: readonly string[] }

export interface NewEvent extends Pick<Difference, 'old' | 'new'> {
  readonly rule: Rule
  readonly notices: readonly { readonly portfolio: number; readonly text: string }[]
}

/**
 * A field without an old value is not a change of the company: its register has a new column. An inactive status is an exception,
 * because a missing status means an active company.
 */
const isReportable = ({ field, old, new: now }: Difference): boolean => old !== '' || (field === 'status' && !isActiveStatus(now))

const isAbout = (rule: Rule, { field }: Difference, country: string): boolean =>
  (rule.country === 'XX' || rule.country === country) && rule.field === field

/** The events of a change: one per rule that reports it, with a notice to each portfolio where the rule is active. */
export function listEvents(change: Difference, country: string, active: readonly ActiveRule[]): NewEvent[] {
  if (!isReportable(change)) return []
  const codes = [...new Set(active.map(({ code }) => code))].sort((a, b) => a - b)
  return codes.flatMap(code => {
    const rule = findRule(code)
    if (rule === null || !isAbout(rule, change, country)) return []
    const notices = active
      .filter(active => active.code === code && rule.reports(change, active.params))
      .map(({ portfolio, params }) => ({ portfolio, text: nameWith(rule, params) }))
    return notices.length === 0 ? [] : [{ rule, old: change.old, new: change.new, notices }]
  })
}

export interface ImportEvent extends Difference {
  readonly company: { readonly id: string; readonly name: string; readonly country: string }
  /** The first rule that reports it. */
  readonly rule: { readonly code: number; readonly name: string }
}

function listImportEvents(change: RegisterChange): ImportEvent[] {
  // A portfolio has it only if an earlier import had it.
  if (change.change === 'added') return []
  const { connectId: id, name, country, status } = change
  const before = { ...NOTHING, name, status, ...readFields(change, 'old') }
  return differences(before, factsAfter(before, change))
    .filter(isReportable)
    .flatMap(difference => {
      const rule = RULES.find(candidate => isAbout(candidate, difference, country) && candidate.reports(difference, []))
      if (rule === undefined) return []
      const { field, old, new: now } = difference
      return [{ company: { id, name, country }, field, rule: { code: rule.code, name: nameWith(rule, []) }, old, new: now }]
    })
}

/** The events of each changed company of an import. Throws as readChanges does. */
export async function* importEvents(dir: string, register: string, set: ChangeSetInfo): AsyncGenerator<readonly ImportEvent[]> {
  for await (const change of readChanges(dir, register, set)) {
    const events = listImportEvents(change)
    if (events.length > 0) yield events
  }
}
