/** A plan as a person reads it: what would be read, sent, written and checked. It prints nothing and looks nothing up. */
import { askedTags, OPERATIONS, type OperationName, ROW_NUMBER } from '../../contract/index.ts'
import { stagesOf } from '../../model/stages.ts'
import type { Plan } from '../model/types.ts'
import { formatDuration } from '../schema/durations.ts'
import { inputKindOf, STDIN_NAME } from '../schema/paths.ts'
import { show } from '../source/quote.ts'

/** The plan in sections, one line a fact, ending in a line end. */
export function explainPlan(plan: Plan): string {
  const sections: [string, string[]][] = [
    [`${plan.name}  (${plan.file})`, plan.description === null ? [] : [plan.description]],
    ['service', serviceLines(plan)],
    ['input', inputLines(plan)],
    ['mappings', mappingLines(plan)],
    ['profile', profileLines(plan)],
    ['requests', requestLines(plan)],
    ['outputs', outputLines(plan)],
    ['checks', checkLines(plan)],
    ['limits', limitLines(plan)],
    ['warnings', plan.issues.map(one => `${one.code} ${one.message}`)],
    ['fingerprint', [plan.fingerprint]],
  ]
  return sections
    .filter(([title, lines]) => lines.length > 0 || title.startsWith(plan.name))
    .map(([title, lines]) => [title, ...lines.map(line => `  ${line}`)].join('\n'))
    .join('\n\n')
    .concat('\n')
}

/** Rows of cells, each column as wide as its widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  }
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

function serviceLines({ service }: Plan): string[] {
  if (service.kind === 'embedded') return ['embedded: started for this run on a free port of this machine']
  return [
    service.url,
    ...(service.rate === null
      ? []
      : [`at most ${plural(service.rate.requests, 'request')} in ${formatDuration(service.rate.perMs)}`]),
    ...(service.fileHosts.length === 0 ? [] : [`downloads also from ${service.fileHosts.join(', ')}`]),
    ...(service.insecure ? ['insecure: http:// is allowed'] : []),
  ]
}

function inputLines({ input, rows, key, preparation }: Plan): string[] {
  const { packed } = input
  const unpacked = packed === undefined ? '' : ` of ${packed.as}, ${packed.bytes} unpacked`
  return table([
    [
      'path',
      inputKindOf(input.path) !== 'stdin' ? show(input.path) : `${STDIN_NAME}, kept among the runs until this one is over`,
    ],
    ['size', `${plural(input.bytes, 'byte')}${unpacked}, sha256 ${input.sha256}`],
    ...(packed?.as === 'xlsx' ? [['sheet', show(packed.sheet)]] : []),
    ['rows', rows === input.rows ? String(rows) : `${rows} of ${input.rows}`],
    ['encoding', input.encoding + (input.bom ? ' with byte-order mark' : '')],
    ['delimiter', `${show(input.delimiter)}: ${input.delimiterEvidence}`],
    ['header', input.header === null ? `none, ${plural(input.columns, 'column')}` : plural(input.columns, 'column')],
    ['line ends', input.lineEnd],
    ...(key === null ? [] : [['key', `${key.header === null ? '' : `${show(key.header)}, `}index ${key.index}`]]),
    ['sent', preparation.length === 0 ? 'byte for byte' : `as UTF-8 CSV made from it: ${preparation.join('; ')}`],
  ])
}

function mappingLines({ mappings }: Plan): string[] {
  if (mappings.length === 0) return []
  const rows = mappings.map(one => [
    one.mapping,
    one.value !== undefined ? `${show(one.value)} in every row` : one.header === null ? '-' : show(one.header),
    String(one.index),
    [one.pad === null ? '' : `pad ${one.pad}`, one.trim ? 'trim' : ''].join(' ').trim(),
  ])
  return table([['mapping', 'header', 'index', ''], ...rows])
}

/** What was seen in the columns, as a table; an estimate is marked by `≈`. */
export function profileLines({ profile = [], input: { rows } }: Plan): string[] {
  if (profile.length === 0) return []
  const lines = profile.map(one => [
    one.mapping ?? 'key',
    one.header === null ? `column ${one.index + 1}` : show(one.header),
    String(one.filled),
    share(one.filled, rows),
    `${one.isEstimate ? '≈ ' : ''}${one.distinct}`,
    share(one.distinct, one.filled),
    one.examples.map(show).join(', '),
  ])
  return table([['mapping', 'header', 'filled', '', 'different', '', 'such as'], ...lines])
}

/** A share in whole percent, rounded down: what is not all is not 100%. */
const share = (part: number, whole: number): string => (whole === 0 ? '' : `${Math.floor((part / whole) * 100)}%`)

/** How many requests a run makes at least, were nothing repeated: every wait takes one look more, and mostly several. */
export function leastRequests(plan: Plan): number {
  if (plan.rows === 0) return 0
  const ofJob = stagesOf(plan).flatMap(stage => (stage.group === 'companies' ? [] : stage.operations(plan)))
  // One login, and the file itself besides the question where it is.
  return 1 + plan.parts.length * (ofJob.length + (plan.enrich === null ? 0 : 1))
}

/** What is to be said beside a request. */
function noteOf(name: OperationName, { enrich, portfolio, screen }: Plan): string {
  if (name === 'readJob') return 'until done'
  if (name === 'setEnrichments' && enrich !== null) {
    const joining = enrich.tags.includes(ROW_NUMBER) ? '' : `, with ${ROW_NUMBER} to join the rows by`
    return `${enrich.product}, ${plural(askedTags(enrich.tags).length, 'tag')}${joining}`
  }
  if (name === 'createPortfolio') return `${show(portfolio?.name ?? '')}, when there is none`
  if (name === 'addCompany') return 'once for each company found'
  if (name === 'listBusinessHits') return 'where there are hits'
  if (name !== 'createBusinessSearch' || screen == null) return ''
  const limit = screen.budget === null ? '' : `, ${plural(screen.budget, 'credit')} at most`
  return `once for each company found, 1 credit each${limit}`
}

function requestLines(plan: Plan): string[] {
  if (plan.rows === 0) return ['none: there are no rows']
  const line = (stage: string, name: OperationName): string[] => {
    const { method, path } = OPERATIONS[name]
    return [stage, name, method, path, noteOf(name, plan)]
  }
  const ofStages = stagesOf(plan).flatMap(({ name, operations }) => operations(plan).map(operation => line(name, operation)))
  return table([line('login', 'authenticate'), ...ofStages])
}

function outputLines({ output, decisions }: Plan): string[] {
  if (output === null) return ['none: the run ends when matched, with the report alone']
  return [
    ...table([
      ['output', `${show(output.path)}, ${output.format}`],
      ...(output.unmatched === null ? [] : [['unmatched', show(output.unmatched)]]),
      ...(output.review === null ? [] : [['review', show(output.review)]]),
      ...(decisions === null ? [] : [['decisions', `${show(decisions)}, applied to it`]]),
    ]),
    `columns: ${output.columns.join(', ')}`,
  ]
}

const checkLines = ({ checks }: Plan): string[] =>
  table(
    checks.flatMap(({ name, warn, fail }) => [
      ...(warn === null ? [] : [[name, 'warn', `when ${warn.text}`]]),
      ...(fail === null ? [] : [[name, 'fail', `when ${fail.text}`]]),
    ]),
  )

function limitLines({ budget, poll, retry, report, sent, parts, concurrency }: Plan): string[] {
  const masked = report.mask.length === 0 ? '' : `, masked: ${report.mask.join(', ')}`
  return [
    ...(parts.length === 1
      ? []
      : [`${sent} rows in ${parts.length} jobs of at most ${parts[0]!.rows}, ${Math.min(concurrency, parts.length)} at a time`]),
    ...(budget.rows === null ? [] : [`at most ${plural(budget.rows, 'row')} sent`]),
    ...(budget.credits === null ? [] : [`at most ${plural(budget.credits, 'credit')} spent`]),
    `looks at the job every ${formatDuration(poll.everyMs)} to ${formatDuration(poll.maxMs)}, for ${formatDuration(poll.timeoutMs)} at most`,
    `each request is tried ${retry.attempts === 1 ? 'once' : `${retry.attempts} times at most`}`,
    `rows in reports: ${report.rows}${masked}`,
  ]
}
