/** Words a plan for people: what would be read, sent, written and checked; and as YAML for the run directory. */
import { stringify } from 'yaml'
import { OPERATIONS, type OperationName } from '../../contract/index.ts'
import { counted } from '../../counted.ts'
import { filledRows, whySkipped } from '../../model/list.ts'
import { stagesOf } from '../../model/stages.ts'
import type { Plan } from '../model/types.ts'
import { wantedTags } from '../model/wanted-tags.ts'
import { columnsText, columnText } from '../schema/columns.ts'
import { settingName, settingText } from '../schema/keys.ts'
import { type InputRef, recordedInput, STDIN_NAME } from '../schema/paths.ts'
import { formatDuration } from '../source/durations.ts'
import { show } from '../source/quote.ts'

const SECTIONS: readonly {
  readonly title: string
  readonly keys: readonly (keyof Plan)[]
  readonly lines: (plan: Plan, kind: InputRef['kind']) => readonly string[]
}[] = [
  { title: 'service', keys: ['service', 'register'], lines: serviceLines },
  { title: 'input', keys: ['input', 'rows', 'limit', 'shard', 'merged', 'key', 'preparation'], lines: inputLines },
  { title: 'mappings', keys: ['mappings'], lines: mappingLines },
  { title: 'profile', keys: ['profile'], lines: profileLines },
  { title: 'requests', keys: ['enrich', 'portfolio', 'screen', 'decide'], lines: requestLines },
  { title: 'outputs', keys: ['output', 'decisions'], lines: outputLines },
  { title: 'checks', keys: ['checks', 'audit', 'auditRegister'], lines: checkLines },
  {
    title: 'limits',
    keys: ['budget', 'poll', 'retry', 'report', 'sent', 'parts', 'concurrency', 'collapse'],
    lines: limitLines,
  },
  { title: 'settings', keys: ['version', 'name', 'file', 'description', 'tags'], lines: settingLines },
  { title: 'warnings', keys: ['issues'], lines: ({ issues }) => issues.map(({ code, message }) => `${code} ${message}`) },
  { title: 'fingerprint', keys: ['fingerprint'], lines: ({ fingerprint }) => [fingerprint] },
]

export function explainPlan(plan: Plan, { kind }: Pick<InputRef, 'kind'> = recordedInput(plan.input)): string {
  const head = [`${plan.name}  (${plan.file})`, ...(plan.description === null ? [] : [`  ${plan.description}`])]
  const sections = SECTIONS.map(({ title, lines }) => [title, ...lines(plan, kind).map(line => `  ${line}`)])
  const blocks = [head, ...sections.filter(lines => lines.length > 1)].map(lines => lines.join('\n'))
  return `${blocks.join('\n\n')}\n`
}

function settingLines(plan: Plan): string[] {
  const shown: readonly string[] = SECTIONS.flatMap(({ keys }) => keys)
  return Object.keys(plan).flatMap(key => {
    const text = shown.includes(key) ? null : settingText(plan, key)
    return text === null ? [] : [`${settingName(key)}: ${text}`]
  })
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!))
    return cells.join('  ').trimEnd()
  })
}

function serviceLines({ service, register = [] }: Plan): string[] {
  if (service.kind === 'embedded')
    return ['embedded: started for this run on a free port of this machine', ...register.map(describeRegister)]
  return [
    service.url,
    ...(service.rate === null
      ? []
      : [`at most ${counted(service.rate.requests, 'request')} in ${formatDuration(service.rate.perMs)}`]),
    ...(service.fileHosts.length === 0 ? [] : [`downloads also from ${service.fileHosts.join(', ')}`]),
    ...(service.insecure ? ['insecure: http:// is allowed'] : []),
  ]
}

const describeRegister = ({ name, snapshotDate }: NonNullable<Plan['register']>[number]): string =>
  `register ${name}${snapshotDate === null ? '' : `, snapshot of ${snapshotDate}`}`

function inputLines({ input, rows, skipped, key, preparation }: Plan, kind: InputRef['kind']): string[] {
  const { packed } = input
  const unpacked = packed === undefined ? '' : ` of ${packed.as}, ${packed.bytes} unpacked`
  return table([
    ['path', kind !== 'stdin' ? show(input.path) : `${STDIN_NAME}, stored in the runs directory until this run ends`],
    ...(input.query === undefined ? [] : [['query', `${show(input.query.sql)}, copied once`]]),
    ...(input.files === undefined ? [] : [['files', filesInWords(input.files)]]),
    ['size', `${counted(input.bytes, 'byte')}${unpacked}, sha256 ${input.sha256}`],
    ...(packed?.as === 'xlsx' ? [['sheet', show(packed.sheet)]] : []),
    [
      'rows',
      `${rows === input.rows ? rows : `${rows} of ${input.rows}`}${skipped === undefined ? '' : `, ${skipped} of them ${whySkipped(input)}`}`,
    ],
    ['encoding', input.encoding + (input.bom ? ' with byte-order mark' : '')],
    ['delimiter', `${show(input.delimiter)}: ${input.delimiterEvidence}`],
    ['header', input.header === null ? `none, ${counted(input.columns, 'column')}` : counted(input.columns, 'column')],
    ['line ends', input.lineEnd],
    ...(key === null ? [] : [['key', `${key.header === null ? '' : `${show(key.header)}, `}index ${key.index}`]]),
    ['sent', preparation.length === 0 ? 'byte for byte' : `as UTF-8 CSV made from it: ${preparation.join('; ')}`],
  ])
}

const filesInWords = (files: NonNullable<Plan['input']['files']>): string => {
  const shown = files.slice(0, 3).map(({ path, rows }) => `${show(path)} (${counted(rows, 'row')})`)
  return `${files.length}: ${shown.join(', ')}${files.length > shown.length ? ' …' : ''}`
}

function mappingLines({ mappings }: Plan): string[] {
  if (mappings.length === 0) return []
  const rows = mappings.map(mapping => [
    mapping.mapping,
    mapping.value !== undefined ? `${show(mapping.value)} in every row` : mapping.header === null ? '-' : show(mapping.header),
    String(mapping.index),
    [mapping.pad === null ? '' : `pad ${mapping.pad}`, mapping.trim ? 'trim' : ''].join(' ').trim(),
  ])
  return table([['mapping', 'header', 'index', ''], ...rows])
}

export function profileLines({ profile = [], input }: Plan): string[] {
  const rows = filledRows(input)
  if (profile.length === 0) return []
  const lines = profile.map(column => [
    column.mapping ?? 'key',
    columnText(column),
    String(column.filled),
    share(column.filled, rows),
    `${column.isEstimate ? '≈ ' : ''}${column.distinct}`,
    share(column.distinct, column.filled),
    column.examples.map(text => show(text.replace(/[\r\n]+/g, ' '))).join(', '),
  ])
  return table([['mapping', 'header', 'filled', '', 'different', '', 'such as'], ...lines])
}

/** A share in whole percent, rounded down: what is not all is not 100%. */
const share = (part: number, whole: number): string => (whole === 0 ? '' : `${Math.floor((part / whole) * 100)}%`)

/** The least number of requests of a run, without retries; every wait adds polls. */
export function leastRequests(plan: Plan): number {
  if (plan.sent === 0) return 0
  const ofJob = stagesOf(plan).flatMap(stage => (stage.group === 'companies' ? [] : stage.operations(plan)))
  // One login, and the download of the file after the request for its address.
  return 1 + plan.parts.length * (ofJob.length + (plan.enrich === null ? 0 : 1))
}

const candidatesNote = ({ candidates }: Plan): string =>
  candidates == null
    ? ''
    : `once for each different row in ${candidates.for.join(' and ')}, 1 credit each, ${Math.min(candidates.limit, candidates.budget ?? candidates.limit)} at most`

const treeNote = ({ tree }: Plan): string =>
  `once for each company found and its fields, 1 credit each${tree?.budget == null ? '' : `, ${counted(tree.budget, 'credit')} at most`}`

function formatNote(name: OperationName, plan: Plan): string {
  const { enrich, portfolio, screen } = plan
  if (name === 'readJob') return 'until done'
  if (name === 'setEnrichments' && enrich !== null) {
    const asked = wantedTags(plan)
    const added = asked.filter(tag => !enrich.tags.includes(tag))
    return `${enrich.product}, ${counted(asked.length, 'tag')}${added.length === 0 ? '' : `, with ${added.join(', ')}`}`
  }
  if (name === 'createPortfolio') return `${show(portfolio?.name ?? '')}, if it does not exist`
  if (name === 'readReport') return 'once for each accepted company that the service does not match, 1 credit each'
  if (name === 'matchCompanies') return candidatesNote(plan)
  if (name === 'runDecision') return treeNote(plan)
  if (name === 'addCompany') return 'once for each company found'
  if (name === 'listBusinessHits' || name === 'listIndividualHits') return 'where there are hits'
  if (name === 'readBusinessHit' || name === 'readIndividualHit')
    return `once for each hit, for the decisions of ${show(screen?.decisions ?? '')}`
  if (name === 'createSchedules') return 'for companies that are not under monitoring'
  if (name === 'deleteSchedule') return 'for companies that left the list'
  if (name === 'createIndividualSearch')
    return 'once for each director, of however many companies, 1 credit each; how many is known once the companies are found'
  if (name !== 'createBusinessSearch' || screen == null) return ''
  const limit = screen.budget === null ? '' : `, ${counted(screen.budget, 'credit')} at most`
  return `once for each company found, 1 credit each${limit}`
}

function requestLines(plan: Plan): string[] {
  if (plan.sent === 0) return ['none: there are no rows to send']
  const line = (stage: string, name: OperationName): string[] => {
    const { method, path } = OPERATIONS[name]
    return [stage, name, method, path, formatNote(name, plan)]
  }
  const ofStages = stagesOf(plan).flatMap(({ name, operations }) => operations(plan).map(operation => line(name, operation)))
  return table([line('login', 'authenticate'), ...ofStages])
}

const tableText = ({ table }: NonNullable<Plan['output']>): string | undefined =>
  table && `${table.mode}${table.key.length === 0 ? '' : ` by ${table.key.map(show).join(', ')}`}, in one transaction`

const KEPT = { filled: 'the row with the most cells', first: 'the first row' } as const

function outputLines({ output, decisions, dedupe }: Plan): string[] {
  if (output === null) return ['none: the run ends when matched, with the report alone']
  return [
    ...table([
      ['output', `${show(output.path)}, ${tableText(output) ?? output.format}`],
      ...(output.unmatched === null ? [] : [['unmatched', show(output.unmatched)]]),
      ...(output.review === null ? [] : [['review', show(output.review)]]),
      ...(output.rejects === undefined ? [] : [['rejects', `${show(output.rejects)}, rows that cannot be read`]]),
      ...(decisions === null ? [] : [['decisions', `${show(decisions)}, applied to it`]]),
    ]),
    `columns: ${columnsText(output)}`,
    ...(dedupe === undefined ? [] : [`dup.*: rows of the list that are one company; kept is ${KEPT[dedupe.keep]}`]),
  ]
}

function checkLines({ checks, audit, auditRegister = [] }: Plan): string[] {
  const compared = auditRegister.map(registered => `, by ${describeRegister(registered)}`).join('')
  return [...(audit === undefined ? [] : [`audit: each match is compared with its row${compared}`]), ...listThresholds(checks)]
}

function listThresholds(checks: Plan['checks']): string[] {
  return table(
    checks.flatMap(({ name, warn, fail }) => [
      ...(warn === null ? [] : [[name, 'warn', `when ${warn.text}`]]),
      ...(fail === null ? [] : [[name, 'fail', `when ${fail.text}`]]),
    ]),
  )
}

function limitLines({ budget, poll, retry, report, sent, parts, concurrency }: Plan): string[] {
  const masked = report.mask.length === 0 ? '' : `, masked: ${report.mask.join(', ')}`
  return [
    ...(parts.length === 1
      ? []
      : [`${sent} rows in ${parts.length} jobs of at most ${parts[0]!.rows}, ${Math.min(concurrency, parts.length)} at a time`]),
    ...(budget.rows === null ? [] : [`at most ${counted(budget.rows, 'row')} sent`]),
    ...(budget.credits === null ? [] : [`at most ${counted(budget.credits, 'credit')} spent`]),
    `polls the job every ${formatDuration(poll.everyMs)} to ${formatDuration(poll.maxMs)}, for ${formatDuration(poll.timeoutMs)} at most`,
    `each request is tried ${retry.attempts === 1 ? 'once' : `${retry.attempts} times at most`}`,
    `rows in reports: ${report.rows}${masked}`,
  ]
}

/** The fingerprint comes first; the profile is left out, since it is not part of the work. */
export function resolvedYaml({ fingerprint, profile, ...plan }: Plan): string {
  const head =
    '# The plan of this run: the pipeline, resolved against its input. Written by fettle for people; it is not read again.\n'
  return head + stringify({ fingerprint, ...plan }, { aliasDuplicateObjects: false, lineWidth: 120 })
}
