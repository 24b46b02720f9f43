/** Rules between the keys of a pipeline. Each reads only parts that the schema accepts. */
import { ALWAYS_ASKED, COMPANY_TAGS, IDENTIFIERS, type Mapping, NAME_TAGS, TAGS } from '../../contract/index.ts'
import { declarationProblems } from '../../decide/problems.ts'
import { formatFacts, formatOfName, isNameFor, listExtensions, type OutputFormat } from '../../formats/index.ts'
import { EVIDENCE_TAGS } from '../../model/audit.ts'
import { DIRECTOR_TAGS } from '../../model/directors.ts'
import { addressHint, checkServiceUrl, isAddress, isDatabase, shownPath } from '../schema/addresses.ts'
import { addedColumns, wrongColumns, wrongTags } from '../schema/columns.ts'
import type { MappingRule } from '../schema/mapping-schema.ts'
import { isSamePath, type OutputPlaces, whyNotReadable, whyNotWritable } from '../schema/paths.ts'
import { chooseEnrichment, hasThresholds } from '../schema/pipeline.ts'
import type { PipelineFields } from '../schema/schema.ts'
import { formatDuration } from '../source/durations.ts'
import { show } from '../source/quote.ts'
import type { Path, SyntaxIssue } from '../source/tree.ts'

export function lint(draft: Draft): SyntaxIssue[] {
  const rules = [lintService, lintInput, lintMappings, lintJob, lintEnrich, lintPoll, lintChecks, lintOutput, lintReview]
  return [...rules, lintCompanyActions].flatMap(rule => [...rule(draft)])
}

const lintService: Rule = ({ fields }) => {
  const { service } = fields
  const checked = service?.kind === 'remote' && service.url !== null ? checkServiceUrl(service.url, service.insecure) : null
  if (checked === null || 'url' in checked) return []
  return [lintIssue(checked.code, ['service', 'url'], `the address ${checked.problem}`, checked.hint)]
}

function* lintInput(draft: Draft) {
  const { fields } = draft
  if (fields.input === undefined) return
  const { path, header, key, rows, sql } = fields.input
  const reason = whyNotReadable(path)
  if (reason !== null)
    yield lintIssue('FETTLE_PIPELINE_PATH', ['input', 'path'], `the path ${show(shownPath(path))} ${reason}`, addressHint(path))
  if (isDatabase(path) !== (sql !== undefined)) {
    const message =
      sql === undefined ? 'a database is read by input.sql, a query' : 'it needs input.url, the address of a database'
    yield wrongValue(['input', 'sql'], message, 'Write input: { sql: select …, url: ${NAME} }.')
  }
  if (rows.min !== null && rows.max !== null && rows.min > rows.max) {
    const message = `min ${rows.min} is more than max ${rows.max}`
    yield wrongValue(['input', 'rows'], message, 'min must not be more than max.')
  }
  if (!header && key?.header != null) yield noHeader(['input', 'key'], key.header)
  yield* lintRejects(draft)
}

const lintRejects: Rule = ({ fields, broken, places }) => {
  if (fields.input?.rejects == null) return []
  const { file } = fields.input.rejects
  const at = ['input', 'rejects', 'file']
  if (fields.output == null && !broken.has('output')) {
    const message = 'rows that cannot be read are written with the output, and the pipeline has none'
    return [wrongValue(['input', 'rejects'], message, 'Name an output, or leave input.rejects out.')]
  }
  const reason = isAddress(file) || !/\.csv$/i.test(file) ? 'is not a file that ends in .csv' : whyNotWritable(file, places)
  if (reason !== null) return [lintIssue('FETTLE_PIPELINE_PATH', at, `the path ${show(shownPath(file))} ${reason}`)]
  const more = { 'events.output': fields.events?.output, 'review.decisions': fields.review?.decisions }
  return lintTaken(fields, at, file, more)
}

export const canMatchOn = (mappings: readonly Mapping[]): boolean =>
  ['name', ...IDENTIFIERS].some(mapping => mappings.includes(mapping as Mapping))

export const mapsCountry = (mappings: readonly Mapping[]): boolean =>
  mappings.includes('country') || mappings.includes('countryCode')

function* lintMappings({ fields }: Draft): Generator<SyntaxIssue> {
  if (fields.mappings === undefined) return
  const mappings = fields.mappings.map(rule => rule.mapping)
  for (const rule of fields.mappings) yield* lintRule(rule, fields.input?.header !== false)
  if (!canMatchOn(mappings)) {
    const hint = `Map name or an identifier: ${IDENTIFIERS.join(', ')}.`
    yield lintIssue('FETTLE_PIPELINE_MAPPING', ['mappings'], 'there is nothing to match on', hint)
  } else if (!mapsCountry(mappings)) {
    const message = 'no country column: rows are compared with companies of every country'
    yield { ...lintIssue('FETTLE_PIPELINE_MAPPING', ['mappings'], message, 'Map country or countryCode.'), severity: 'warn' }
  }
}

function lintRule(rule: MappingRule, header: boolean): SyntaxIssue[] {
  const path = ['mappings', rule.mapping]
  if (rule.value !== null) {
    const others = rule.from.length > 0 || rule.index !== null || rule.pad !== null || rule.trim || rule.optional
    return others
      ? [wrongValue(path, 'value excludes the other keys: it is not read from a column', 'Leave the others out.')]
      : []
  }
  if (rule.from.length > 0 === (rule.index !== null)) {
    return [wrongValue(path, 'expected either from or index', 'Write a header, { from: Header } or { index: 0 }.')]
  }
  return !header && rule.from.length > 0 ? [noHeader(path, rule.from[0]!)] : []
}

const lintJob: Rule = ({ fields }) => {
  if (!fields.job?.collapse || fields.output != null) return []
  const message = 'results are copied to all equal rows in an output, and the pipeline has no output'
  return [wrongValue(['job', 'collapse'], message, 'Name an output, or leave job.collapse out.')]
}

function* lintEnrich({ fields, broken }: Draft) {
  const { enrich, output, budget } = fields
  if ((broken.has('enrich') && enrich === undefined) || (broken.has('output') && output == null)) return
  const enrichment = chooseEnrichment(enrich, output != null)
  if (enrichment !== null && output == null) {
    const message = 'without output, paid data would go nowhere'
    yield wrongValue(['enrich'], message, 'Add output, or set enrich: none.')
  }
  if (enrichment === null && output != null) {
    const message = 'with none there are no rows to write: the service returns only counts'
    yield wrongValue(['enrich'], message, 'Leave enrich out (it is basic then), or leave output out.')
  }
  if (enrichment === null && budget?.credits != null) {
    const message = 'nothing is enriched, so no credits are spent'
    yield wrongValue(['budget', 'credits'], message, 'Leave budget.credits out, or set enrich.')
  }
  if (enrichment?.tags != null) {
    const hint = `${enrichment.product} has ${TAGS[enrichment.product].length} tags; without tags: those that the output has are asked for.`
    for (const { index, message } of wrongTags(enrichment.product, enrichment.tags))
      yield wrongValue(['enrich', 'tags', index], message, hint)
  }
  if (enrichment !== null && output != null) {
    const chosen = [...(enrichment.tags ?? TAGS[enrichment.product]), ...ALWAYS_ASKED]
    for (const { index, message, hint } of wrongColumns(output.columns ?? [], chosen, addedColumns(fields)))
      yield wrongValue(['output', 'columns', index], message, hint)
  }
}

function* lintPoll({ fields: { poll } }: Draft) {
  if (poll === undefined) return
  const { everyMs: every, maxMs: max, timeoutMs: timeout } = poll
  if (every > max) {
    const message = `${formatDuration(every)} is more than poll.max, ${formatDuration(max)}`
    yield wrongValue(['poll', 'every'], message, 'every must not be more than max.')
  }
  if (timeout < every) {
    const message = `${formatDuration(timeout)} is less than poll.every, ${formatDuration(every)}`
    yield wrongValue(['poll', 'timeout'], message, 'timeout must not be less than every.')
  }
}

const lintChecks: Rule = ({ fields: { checks, output }, broken }) =>
  (checks ?? []).flatMap(({ name, warn, fail }) => {
    const at = ['checks', name]
    if (warn === null && fail === null) return [wrongValue(at, 'expected warn, fail or both', 'For example: { warn: "< 90%" }.')]
    if (name !== 'review' || output != null || broken.has('output')) return []
    const hint = 'Name an output, or leave checks.review out: without one these rows count as unmatched.'
    return [wrongValue(at, 'rows in review are counted in an output, and the pipeline has no output', hint)]
  })

const lintOutput: Rule = ({ fields, places }) => {
  if (fields.output == null) return []
  const { path, unmatched, review, format, table } = fields.output
  const taken: { name: string; path: string }[] = []
  if (isDatabase(path) !== (table !== null) || path.endsWith('#')) {
    const message =
      table === null
        ? 'a database is written to by output.table'
        : 'it needs output.url, the address of a database, and output.table'
    return [wrongValue(['output', 'table'], message, 'Write output: { table: schema.name, url: ${NAME} }.')]
  }
  const wrongTable = table === null ? [] : lintTable(table, format, fields.candidates != null)
  if (wrongTable.length > 0) return wrongTable
  if (fields.input !== undefined) taken.push({ name: 'the input', path: fields.input.path })
  return Object.entries({ path, unmatched, review }).flatMap(([key, file]) => {
    if (file === null) return []
    const at = ['output', key]
    const reason = whyNotWritable(file, places)
    const same = taken.find(other => isSamePath(other.path, file))
    taken.push({ name: at.join('.'), path: file })
    const wrongPath = (why: string, hint?: string) => [
      lintIssue('FETTLE_PIPELINE_PATH', at, `${show(shownPath(file))} ${why}`, hint),
    ]
    if (reason !== null) return wrongPath(reason, addressHint(file) ?? outsideHint(reason))
    if (same !== undefined) return wrongPath(`would overwrite ${same.name}`)
    if (table !== null && key === 'path') return []
    return key === 'path' ? otherFormat(at, file, format) : unknownFormat(at, file, format)
  })
}

function lintTable(
  { mode, key }: { readonly mode: string; readonly key: readonly string[] },
  format: OutputFormat | undefined,
  asksLater: boolean,
): SyntaxIssue[] {
  if (format !== undefined) return [wrongValue(['output', 'format'], 'a table has no format', 'Leave output.format out.')]
  if (mode === 'upsert' && key.length === 0)
    return [wrongValue(['output', 'key'], 'mode: upsert needs the columns that identify a row', 'For example: key: supplier_no.')]
  if (mode !== 'upsert' && key.length > 0)
    return [wrongValue(['output', 'key'], `mode: ${mode} does not compare rows`, 'Leave output.key out, or set mode: upsert.')]
  if (mode !== 'append' || !asksLater) return []
  const message = 'mode: append cannot change rows, and candidates change them after the first writing'
  return [wrongValue(['output', 'mode'], message, 'Use replace or upsert, or leave candidates out.')]
}

const outsideHint = (reason: string): string | undefined =>
  reason.includes('outside')
    ? 'Name the output on the command line for one run, or allow its folder with FETTLE_OUTPUT_ROOT.'
    : undefined

function lintDecisionsFile({ places }: Draft, at: Path, file: string): SyntaxIssue[] {
  const reason = whyNotReadable(file)
  if (reason !== null) return [lintIssue('FETTLE_PIPELINE_PATH', at, `the path ${show(file)} ${reason}`)]
  if (file === '-' || isAddress(file) || !/\.csv$/i.test(file)) {
    const message = `${show(shownPath(file))} does not end in .csv`
    return [lintIssue('FETTLE_PIPELINE_PATH', at, message, 'For example: decisions/suppliers.csv.')]
  }
  const outside = whyNotWritable(file, places)
  return outside === null ? [] : [lintIssue('FETTLE_PIPELINE_PATH', at, `the path ${show(file)} ${outside}`)]
}

const lintReview: Rule = draft => {
  const { fields, broken } = draft
  const file = fields.review?.decisions
  if (file == null) return []
  const at = ['review', 'decisions']
  const problems = lintDecisionsFile(draft, at, file)
  if (problems.length > 0) return problems
  if (fields.output == null) {
    if (broken.has('output')) return []
    return [wrongValue(at, 'decisions change rows of the output, and the pipeline has no output', 'Name an output.')]
  }
  return lintTaken(fields, at, file)
}

/** A file whose content is not what its name states opens wrongly, or not at all. */
function otherFormat(at: Path, file: string, format: OutputFormat | undefined): SyntaxIssue[] {
  if (format === undefined || isNameFor(file, format)) return unknownFormat(at, file, format)
  const named = formatOfName(file)
  const hint = `Name it ${formatFacts(format).extensions[0]}${named === null ? '' : `, or leave output.format out: it follows from the name`}.`
  return [lintIssue('FETTLE_PIPELINE_PATH', at, `${show(shownPath(file))} does not go with output.format: ${format}`, hint)]
}

function unknownFormat(at: Path, file: string, format: OutputFormat | undefined): SyntaxIssue[] {
  if (format !== undefined || formatOfName(file) !== null) return []
  const hint = `Name it ${listExtensions().join(', ')}, or set output.format.`
  return [lintIssue('FETTLE_PIPELINE_PATH', at, `${show(shownPath(file))} has no extension of an output format`, hint)]
}

/** `fields` holds every key without an error; `broken` names the keys with one. */
interface Draft {
  readonly fields: Partial<PipelineFields>
  readonly broken: ReadonlySet<string>
  readonly places: OutputPlaces
}

type Rule = (draft: Draft) => SyntaxIssue[]

function lintIssue(code: SyntaxIssue['code'], path: Path, message: string, hint?: string): SyntaxIssue {
  return { code, path, message: `${path.join('.')}: ${message}`, hint }
}

const wrongValue = (path: Path, message: string, hint?: string) => lintIssue('FETTLE_PIPELINE_VALUE', path, message, hint)

function noHeader(path: Path, header: string): SyntaxIssue {
  const message = `the header ${show(header)} is named, but input.header is false`
  return lintIssue('FETTLE_PIPELINE_MAPPING', path, message, 'Use an index: { index: 0 }.')
}

/** Rules of `accept`, `candidates`, `portfolio`, `screen` and `reuse`: each needs an output with the tags that identify companies. */
const lintCompanyActions: Rule = draft => [
  ...lintAccept(draft),
  ...lintTags(draft, 'accept', [COMPANY_TAGS]),
  ...lintCandidates(draft),
  ...lintFetch(draft),
  ...lintTags(draft, 'candidates', [COMPANY_TAGS]),
  ...lintPortfolio(draft),
  ...lintTags(draft, 'portfolio', [COMPANY_TAGS]),
  ...lintEvents(draft),
  ...lintTags(draft, 'screen', [COMPANY_TAGS, NAME_TAGS]),
  ...lintTags(draft, 'reuse', [COMPANY_TAGS]),
  ...lintReuse(draft),
  ...lintAudit(draft),
  ...lintTags(draft, 'decide', draft.fields.decide?.service == null ? [] : [COMPANY_TAGS.slice(0, 1)]),
  ...lintDedupe(draft),
  ...lintDecide(draft),
  ...lintDecided(draft),
  ...lintScreened(draft),
  ...lintHitDecisions(draft),
  ...lintAlerts(draft),
  ...lintPeople(draft),
]

function* lintPortfolio({ fields }: Draft) {
  if (fields.portfolio == null) return
  const { name, id, reference, remove, sync } = fields.portfolio
  if ((name === null) === (id === null))
    yield wrongValue(['portfolio'], 'expected either name or id', 'For example: portfolio: Suppliers.')
  if (remove !== undefined && sync !== true) {
    const message = 'remove compares the portfolio with the list, which sync does'
    yield wrongValue(['portfolio', 'remove'], message, 'Add sync: true.')
  }
  if (reference?.header != null && fields.input?.header === false) yield noHeader(['portfolio', 'reference'], reference.header)
}

const lintEvents: Rule = ({ fields, broken, places }) => {
  if (fields.events == null) return []
  const at = ['events', 'output']
  const file = fields.events.output
  if (fields.portfolio == null && !broken.has('portfolio')) {
    const message = 'events come from a portfolio, and the pipeline has none'
    return [wrongValue(['events'], message, 'Name one: portfolio: { name: Suppliers }.')]
  }
  const reason = isAddress(file) ? 'is an address: events are written to a file' : whyNotWritable(file, places)
  if (reason !== null) return [lintIssue('FETTLE_PIPELINE_PATH', at, `the path ${show(shownPath(file))} ${reason}`)]
  return lintTaken(fields, at, file, { 'review.decisions': fields.review?.decisions })
}

/** A file that another key of the pipeline names. */
function lintTaken(
  { input, output }: Draft['fields'],
  at: Path,
  file: string,
  more: Readonly<Record<string, string | null | undefined>> = {},
): SyntaxIssue[] {
  const { path, unmatched, review } = output ?? {}
  const others = { input: input?.path, 'output.path': path, 'output.unmatched': unmatched, 'output.review': review, ...more }
  const same = Object.entries(others).find(([, other]) => other != null && isSamePath(other, file))
  return same === undefined ? [] : [lintIssue('FETTLE_PIPELINE_PATH', at, `${show(file)} is ${same[0]} already`)]
}

const lintAccept: Rule = ({ fields }) => {
  if (fields.accept == null) return []
  const { banding, review, pattern } = fields.accept
  const hint = 'For example: accept: { banding: [A, B], review: [C, D] }.'
  if (banding === null && review.length === 0 && pattern === null)
    return [wrongValue(['accept'], 'expected banding, review or pattern', hint)]
  const twice = (banding ?? []).filter(band => review.some(other => isSameBand(band, other)))
  return twice.map(band => wrongValue(['accept', 'review'], `the band ${show(band)} is in accept.banding too`, hint))
}

const lintCandidates: Rule = ({ fields }) => {
  if (fields.candidates == null || fields.mappings === undefined) return []
  const mapped = fields.mappings.map(rule => rule.mapping)
  if (mapped.includes('name') && mapsCountry(mapped)) return []
  const message = 'a question for candidates has the name and the country of the row, and mappings lacks one of them'
  return [wrongValue(['candidates'], message, 'Map name, and country or countryCode.')]
}

const lintFetch: Rule = ({ fields, broken }) => {
  if (fields.candidates?.fetch == null || broken.has('review') || fields.review?.decisions != null) return []
  const message = 'candidates.fetch fetches companies that decisions accepted, and the pipeline names no decisions'
  return [wrongValue(['candidates', 'fetch'], message, 'Name their file: review: { decisions: decisions/suppliers.csv }.')]
}

const lintDedupe: Rule = ({ fields, broken }) => {
  if (fields.dedupe == null) return []
  const at: Path = ['dedupe']
  if (fields.output == null && !broken.has('output'))
    return [
      wrongValue(at, 'its columns are part of an output, and the pipeline has none', 'Name an output, or leave dedupe out.'),
    ]
  if (fields.mappings === undefined || fields.mappings.some(({ mapping }) => mapping === 'name')) return []
  return [wrongValue(at, 'rows are compared by their names, and mappings has none', 'Map name, or leave dedupe out.')]
}

const NAME_MAPPINGS: readonly Mapping[] = ['name', 'tradingName', 'aliasName', 'previousName']

/** An audit compares names or numbers of row and answer. */
function* lintAudit({ fields, broken }: Draft): Generator<SyntaxIssue> {
  const { audit, checks = [], output, mappings } = fields
  const column = output?.columns?.findIndex(({ from }) => from === 'match.doubt') ?? -1
  const isChecked = checks.some(({ name }) => name === 'doubtful')
  if (audit == null && !isChecked && column === -1) return
  const at = audit != null ? ['audit'] : isChecked ? ['checks', 'doubtful'] : ['output', 'columns', column]
  if (hasThresholds(audit) && isChecked)
    yield wrongValue(at, 'checks.doubtful has thresholds too', 'Leave checks.doubtful out, or write audit: true.')
  if (broken.has('output') || broken.has('enrich')) return
  const enrichment = chooseEnrichment(fields.enrich, output != null)
  if (enrichment === null || output == null) {
    const message = 'rows are compared with the names and numbers of the answers, and nothing is enriched'
    yield wrongValue(at, message, 'Name an output.')
    return
  }
  const isNamed = mappings === undefined || mappings.some(({ mapping }) => NAME_MAPPINGS.includes(mapping))
  const tags = enrichment.tags ?? TAGS[enrichment.product]
  const { orgNumber, otherNumbers, vatNumber } = EVIDENCE_TAGS
  if (isNamed || [...orgNumber, ...otherNumbers, ...vatNumber].some(tag => tags.includes(tag))) return
  const message = 'no name is mapped, and enrich.tags has no number of the company: nothing can be compared'
  yield wrongValue(at, message, `Map name, or add ${orgNumber[0]} to enrich.tags.`)
}

function* lintDecide({ fields }: Draft) {
  if (fields.decide == null) return
  const { table, asOf, service, fields: columns, budget } = fields.decide
  const at = (...path: Path): Path => ['decide', ...path]
  if ((table === null) === (service === null)) {
    const hint = 'For example: decide: decisions/limit.yml, or decide: { service: Supplier check }.'
    yield wrongValue(at(), 'expected either table or service', hint)
  }
  if (service !== null && asOf !== null)
    yield wrongValue(at('asOf'), 'the service decides as of the day of the run', 'Leave decide.asOf out.')
  if (service === null && (budget !== null || Object.keys(columns).length > 0)) {
    const key = budget === null ? 'fields' : 'budget'
    yield wrongValue(at(key), `${key} is for decide.service, and a table is in a file`, `Leave decide.${key} out.`)
  }
  for (const [name, field] of Object.entries(columns))
    for (const { path, message, hint } of declarationProblems(name, field)) yield wrongValue(at(...path), message, hint)
}

const lintDecided: Rule = ({ fields, broken }) =>
  (fields.checks ?? []).flatMap(({ name }) =>
    (name === 'declined' || name === 'referred') && fields.decide == null && !broken.has('decide')
      ? [
          wrongValue(
            ['checks', name],
            'no row is decided about: the pipeline has no decide',
            'Name one: decide: decisions/limit.yml.',
          ),
        ]
      : [],
  )

const lintPeople: Rule = ({ fields, broken }) => {
  if (fields.screen?.people === undefined || broken.has('output') || broken.has('enrich')) return []
  const enrichment = chooseEnrichment(fields.enrich, fields.output != null)
  const tags = enrichment === null ? [] : (enrichment.tags ?? TAGS[enrichment.product])
  if (enrichment === null || tags.includes(DIRECTOR_TAGS[0])) return []
  const message = `directors are known by ${DIRECTOR_TAGS[0]}, which the answers will not have`
  const hint =
    enrichment.tags === null
      ? 'Write enrich: standard.'
      : `Add ${DIRECTOR_TAGS.join(' and ')} to enrich.tags, of product: standard.`
  return [wrongValue(['screen', 'people'], message, hint)]
}

const lintAlerts: Rule = ({ fields, places }) => {
  const { monitor, alerts } = fields.screen ?? {}
  if (alerts === undefined) return []
  const at = ['screen', 'alerts']
  if (monitor === undefined) return [wrongValue(at, 'alerts are of searches under monitoring', 'Add monitor: true.')]
  const reason = isAddress(alerts) ? 'is an address: alerts are written to a file' : whyNotWritable(alerts, places)
  if (reason !== null) return [lintIssue('FETTLE_PIPELINE_PATH', at, `the path ${show(shownPath(alerts))} ${reason}`)]
  const { review, events, screen } = fields
  const others = { 'review.decisions': review?.decisions, 'events.output': events?.output, 'screen.decisions': screen?.decisions }
  return lintTaken(fields, at, alerts, others)
}

const lintHitDecisions: Rule = draft => {
  const file = draft.fields.screen?.decisions
  if (file == null) return []
  const at = ['screen', 'decisions']
  const problems = lintDecisionsFile(draft, at, file)
  const { review, events } = draft.fields
  const others = { 'review.decisions': review?.decisions, 'events.output': events?.output }
  return problems.length > 0 ? problems : lintTaken(draft.fields, at, file, others)
}

const lintScreened: Rule = ({ fields, broken }) =>
  (fields.screen != null || broken.has('screen') ? [] : (fields.checks ?? []))
    .filter(({ name }) => name === 'screened' || name === 'hits')
    .map(({ name }) =>
      wrongValue(
        ['checks', name],
        'no company is searched for: the pipeline has no screen',
        'Name one: screen: { datasets: [SAN] }.',
      ),
    )

const lintReuse: Rule = ({ fields, broken }) =>
  (['screen', 'candidates', 'decide'] as const).flatMap(key => {
    const isThere = key === 'decide' ? fields.decide?.service != null : fields[key] != null
    if (fields.reuse?.[key] === undefined || isThere || broken.has(key)) return []
    const message = `the pipeline has no ${key === 'decide' ? 'decide.service' : key}, so nothing of it is used again`
    return [wrongValue(['reuse', key], message, `Leave reuse.${key} out.`)]
  })

const isSameBand = (band: string, other: string): boolean => band.trim().toLowerCase() === other.trim().toLowerCase()

function lintTags(
  { fields, broken }: Draft,
  key: 'accept' | 'candidates' | 'portfolio' | 'screen' | 'reuse' | 'decide',
  groups: readonly (readonly string[])[],
): SyntaxIssue[] {
  if (fields[key] == null || broken.has('output') || broken.has('enrich')) return []
  const enrichment = chooseEnrichment(fields.enrich, fields.output != null)
  if (enrichment === null || fields.output == null) {
    const message = 'companies are identified in an output, and the pipeline has no output'
    return [wrongValue([key], message, `Name an output, or leave ${key} out.`)]
  }
  const tags = enrichment.tags ?? TAGS[enrichment.product]
  return groups.flatMap(group => {
    if (group.some(tag => tags.includes(tag))) return []
    const message = `companies are known by ${group.join(' or ')}, and enrich.tags has neither`
    return [wrongValue([key], message, `Add ${group[0]} to enrich.tags.`)]
  })
}
