/** One plan against another of the same pipeline: what moved, in the words of the pipeline file. It judges nothing. */

import type { Plan, PlannedMapping } from '../model/types.ts'
import { show } from '../source/quote.ts'

/** One thing that is not as it was; null where there was, or is, nothing of the kind. */
export interface Change {
  readonly what: string
  readonly was: string | null
  readonly is: string | null
}

/** A share of filled cells that moved by this much is worth a word. */
const MOVED = 0.05

/** What is different between two plans, the input first. */
export function changesOf(now: Plan, then: Plan): Change[] {
  const pairs: [string, string | null, string | null][] = [
    ['service', serviceOf(then), serviceOf(now)],
    ['input.path', show(then.input.path), show(now.input.path)],
    [
      'input',
      then.input.sha256 === now.input.sha256 ? 'same' : 'file of then',
      then.input.sha256 === now.input.sha256 ? 'same' : 'other content',
    ],
    ['rows', String(then.rows), String(now.rows)],
    ['encoding', then.input.encoding, now.input.encoding],
    ['delimiter', show(then.input.delimiter), show(now.input.delimiter)],
    ...headerPairs(now, then),
    ...mappingPairs(now, then),
    ['key', keyOf(then), keyOf(now)],
    ...filledPairs(now, then),
    ['job.collapse', String(then.collapse), String(now.collapse)],
    ['jobs', String(then.parts.length), String(now.parts.length)],
    ['enrich', enrichOf(then), enrichOf(now)],
    ['budget', JSON.stringify(then.budget), JSON.stringify(now.budget)],
    ['checks', checksOf(then), checksOf(now)],
    ['output', then.output && show(then.output.path), now.output && show(now.output.path)],
    ['output.format', then.output?.format ?? null, now.output?.format ?? null],
    ['portfolio', portfolioOf(then), portfolioOf(now)],
    ['screen', screenOf(then), screenOf(now)],
    ['output.columns', then.output?.columns.join(', ') ?? null, now.output?.columns.join(', ') ?? null],
  ]
  return pairs.flatMap(([what, was, is]) => (was === is ? [] : [{ what, was, is }]))
}

type Pairs = [string, string | null, string | null][]

const serviceOf = ({ service }: Plan): string => (service.kind === 'embedded' ? 'embedded' : service.url)
const keyOf = ({ key }: Plan): string | null =>
  key === null ? null : key.header === null ? `column ${key.index + 1}` : show(key.header)
const enrichOf = ({ enrich }: Plan): string | null => (enrich === null ? null : `${enrich.product}, ${enrich.tags.length} tags`)
const portfolioOf = ({ portfolio }: Plan): string | null =>
  portfolio == null
    ? null
    : [portfolio.name ?? portfolio.id, portfolio.reference?.header ?? ''].filter(one => one !== '').join(', ')
const screenOf = ({ screen }: Plan): string | null =>
  screen == null
    ? null
    : [
        screen.datasets.join(' '),
        `from ${screen.threshold}`,
        screen.countries.join(' '),
        screen.budget === null ? '' : `budget ${screen.budget}`,
      ]
        .filter(one => one !== '')
        .join(', ')
const checksOf = ({ checks }: Plan): string =>
  checks
    .map(({ name, warn, fail }) => [name, warn && `warn ${warn.text}`, fail && `fail ${fail.text}`].filter(Boolean).join(' '))
    .join('; ')

/** Columns that came or went. */
function headerPairs({ input: now }: Plan, { input: then }: Plan): Pairs {
  const [is, was] = [now.header ?? [], then.header ?? []]
  return [
    ...was.filter(one => !is.includes(one)).map((one): Pairs[number] => ['column', show(one), null]),
    ...is.filter(one => !was.includes(one)).map((one): Pairs[number] => ['column', null, show(one)]),
  ]
}

const mappingOf = (one: PlannedMapping | undefined): string | null =>
  one === undefined
    ? null
    : [
        one.value === undefined
          ? one.header === null
            ? `column ${one.index + 1}`
            : show(one.header)
          : `${show(one.value)} in every row`,
        one.pad === null ? '' : `pad ${one.pad}`,
        one.trim ? 'trim' : '',
      ]
        .filter(part => part !== '')
        .join(', ')

function mappingPairs(now: Plan, then: Plan): Pairs {
  const names = new Set([...then.mappings, ...now.mappings].map(one => one.mapping))
  const find = (plan: Plan, name: string) => mappingOf(plan.mappings.find(one => one.mapping === name))
  return [...names].map(name => [`mappings.${name}`, find(then, name), find(now, name)])
}

/** Mapped columns that are filled to another degree than they were. */
function filledPairs(now: Plan, then: Plan): Pairs {
  const filled = (plan: Plan, name: string): number | null => {
    const found = plan.profile?.find(one => one.mapping === name)
    return found === undefined || plan.input.rows === 0 ? null : found.filled / plan.input.rows
  }
  const percent = (share: number): string => `${Math.round(share * 100)}% filled`
  return now.mappings.flatMap(({ mapping }): Pairs => {
    const [was, is] = [filled(then, mapping), filled(now, mapping)]
    return was === null || is === null || Math.abs(was - is) < MOVED ? [] : [[mapping, percent(was), percent(is)]]
  })
}
