/** Compares two plans of a pipeline and names the differences by the keys of the pipeline file. */

import { createHash } from 'node:crypto'
import { counted } from '../../counted.ts'
import { filledRows } from '../../model/list.ts'
import type { Plan, PlannedMapping } from '../model/types.ts'
import { columnsText, columnText } from '../schema/columns.ts'
import { settingName, settingText } from '../schema/keys.ts'
import { formatDuration } from '../source/durations.ts'
import { show } from '../source/quote.ts'
import { wholePlan } from './fingerprint.ts'

/** One difference; null where the plan has no such value. */
export interface Change {
  readonly what: string
  readonly was: string | null
  readonly is: string | null
}

/** A share of filled cells that moved by this much is worth a word. */
const MOVED = 0.05

type Text = string | null

const COMPARED: readonly (readonly [what: string, key: keyof Plan, text: (plan: Plan) => Text])[] = [
  ['register', 'register', registerText],
  ['job.collapse', 'collapse', ({ collapse }) => String(collapse)],
  ['job.companyNumbers', 'companyNumbers', ({ companyNumbers }) => companyNumbers ?? null],
  ['matching.precision', 'precision', ({ precision }) => precision?.toString() ?? null],
  ['jobs', 'parts', ({ parts }) => String(parts.length)],
  ['enrich', 'enrich', ({ enrich }) => enrich && `${enrich.product}, ${enrich.tags.length} tags`],
  ['budget', 'budget', ({ budget }) => JSON.stringify(budget)],
  ['checks', 'checks', checksText],
  ['output', 'output', ({ output }) => output && show(output.path)],
  ['output.format', 'output', ({ output }) => output?.format ?? null],
  ['output.mode', 'output', ({ output }) => output?.table?.mode ?? null],
  ['output.key', 'output', ({ output }) => output?.table?.key.join(', ') ?? null],
  ['output.onFail', 'output', ({ output }) => output && (output.onFail ?? 'keep')],
  ['input.rejects', 'output', ({ output }) => output?.rejects ?? null],
  ['portfolio', 'portfolio', portfolioText],
  ['events', 'events', ({ events }) => (events == null ? null : listText([show(events.output), events.mark ? 'mark' : null]))],
  ['screen', 'screen', screenText],
  ['dedupe', 'dedupe', ({ dedupe }) => dedupe?.keep ?? null],
  ['decide', 'decide', decideText],
  ['tree', 'decide', treeText],
  ['after', 'after', ({ after }) => after ?? null],
  ['output.columns', 'output', ({ output }) => output && columnsText(output)],
]

/** Keys with their own comparison below, and keys whose change is not reported. */
const OTHER_KEYS: readonly (keyof Plan)[] = [
  ...(['service', 'input', 'rows', 'mappings', 'profile', 'contract', 'key'] as const),
  ...(['version', 'name', 'description', 'tags', 'file', 'limit', 'shard', 'merged', 'sent', 'concurrency'] as const),
  ...(['preparation', 'poll', 'retry', 'retention', 'decisions', 'undone', 'report', 'issues', 'fingerprint'] as const),
  'decideOn',
]

/** Rows with an earlier answer differ from run to run: the plans are compared as if all rows were sent. */
export function comparePlans(present: Plan, earlier: Plan): Change[] {
  const [now, then] = [present, earlier].map(wholePlan) as [Plan, Plan]
  const compare = (what: string, text: (plan: Plan) => Text): Pairs[number] => [what, text(then), text(now)]
  const pairs: Pairs = [
    compare('service', ({ service }) => (service.kind === 'embedded' ? 'embedded' : service.url)),
    compare('input.path', ({ input }) => show(input.path)),
    compare('input', ({ input }) => `sha256 ${input.sha256.slice(0, 12)}`),
    compare('rows', ({ rows }) => String(rows)),
    compare('encoding', ({ input }) => input.encoding),
    compare('delimiter', ({ input }) => show(input.delimiter)),
    ...headerPairs(now, then),
    ...mappingPairs(now, then),
    compare('key', ({ key }) => key && columnText(key)),
    ...filledPairs(now, then),
    ...COMPARED.map(([what, , text]) => compare(what, text)),
    ...settingPairs(now, then),
  ]
  return pairs.flatMap(([what, was, is]) => (was === is ? [] : [{ what, was, is }]))
}

function settingPairs(now: Plan, then: Plan): Pairs {
  const known: readonly string[] = [...OTHER_KEYS, ...COMPARED.map(([, key]) => key)]
  const keys = [...new Set([...Object.keys(then), ...Object.keys(now)])].filter(key => !known.includes(key))
  return keys.map(key => [settingName(key), ...([then, now].map(plan => settingText(plan, key)) as [Text, Text])])
}

type Pairs = [string, string | null, string | null][]

const listText = (parts: readonly (string | number | null | undefined)[], separator = ', '): string =>
  parts.filter(part => part != null && part !== '').join(separator)

function registerText({ register }: Plan): Text {
  const names = register?.map(({ name, snapshotDate, sha256 }) => {
    const digest = sha256 == null ? '' : ` (sha256 ${sha256.slice(0, 12)})`
    return snapshotDate === null ? name : `${name} of ${snapshotDate}${digest}`
  })
  return names === undefined ? null : listText(names)
}

const removalText = ({ max }: { readonly max: number | null }): string =>
  max === null ? 'remove gone' : `remove up to ${Number((max * 100).toFixed(3))}%`

function portfolioText({ portfolio }: Plan): Text {
  if (portfolio == null) return null
  const { name, id, reference, rules, sync, remove } = portfolio
  const removal = remove && removalText(remove)
  return listText([name ?? id, reference?.header, rules && `rules ${JSON.stringify(rules)}`, sync && 'sync', removal])
}

function screenText({ screen }: Plan): Text {
  if (screen == null) return null
  const { datasets, threshold, countries, budget, lists, verify, decisions, people, monitor, alerts } = screen
  const age = lists && `lists up to ${formatDuration(lists.age)} old`
  const proof = verify && `proved: ${[...verify.fail, `sample ${verify.sample}`].join(', ')}`
  return listText([
    datasets.join(' '),
    `from ${threshold}`,
    countries.join(' '),
    budget && `budget ${budget}`,
    age,
    proof,
    decisions,
    people,
    monitor && `monitor, ${removalText(monitor.remove)}`,
    alerts && `alerts ${alerts}`,
  ])
}

function treeText({ tree }: Plan): Text {
  if (tree === undefined) return null
  return listText([`tree ${show(tree.name)}`, JSON.stringify(tree.fields), tree.budget && `budget ${tree.budget}`])
}

function decideText({ decide }: Plan): Text {
  if (decide === undefined) return null
  const digest = createHash('sha256').update(JSON.stringify(decide.table)).digest('hex').slice(0, 12)
  return listText([
    show(decide.path),
    counted(decide.table.rules.length, 'rule'),
    `sha256 ${digest}`,
    decide.asOf && `as of ${decide.asOf}`,
  ])
}

function checksText({ checks }: Plan): Text {
  return checks
    .map(({ name, warn, fail }) => listText([name, warn && `warn ${warn.text}`, fail && `fail ${fail.text}`], ' '))
    .join('; ')
}

function headerPairs({ input: now }: Plan, { input: then }: Plan): Pairs {
  const [is, was] = [now.header ?? [], then.header ?? []]
  return [
    ...was.filter(name => !is.includes(name)).map((row): Pairs[number] => ['column', show(row), null]),
    ...is.filter(name => !was.includes(name)).map((row): Pairs[number] => ['column', null, show(row)]),
  ]
}

function mappingText(mapping: PlannedMapping | undefined): Text {
  if (mapping === undefined) return null
  const source = mapping.value === undefined ? columnText(mapping) : `${show(mapping.value)} in every row`
  return listText([source, mapping.pad && `pad ${mapping.pad}`, mapping.trim && 'trim'])
}

function mappingPairs(now: Plan, then: Plan): Pairs {
  const names = new Set([...then.mappings, ...now.mappings].map(mapping => mapping.mapping))
  const find = (plan: Plan, name: string) => mappingText(plan.mappings.find(mapping => mapping.mapping === name))
  return [...names].map(name => [`mappings.${name}`, find(then, name), find(now, name)])
}

function filledPairs(now: Plan, then: Plan): Pairs {
  const filled = (plan: Plan, name: string): number | null => {
    const found = plan.profile?.find(column => column.mapping === name)
    return found === undefined || filledRows(plan.input) === 0 ? null : found.filled / filledRows(plan.input)
  }
  const percent = (share: number): string => `${Math.round(share * 100)}% filled`
  return now.mappings.flatMap(({ mapping }): Pairs => {
    const [was, is] = [filled(then, mapping), filled(now, mapping)]
    return was === null || is === null || Math.abs(was - is) < MOVED ? [] : [[mapping, percent(was), percent(is)]]
  })
}
