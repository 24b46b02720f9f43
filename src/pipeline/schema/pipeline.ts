/**
 * A pipeline in its one long form: short forms written out, durations in milliseconds, every default filled in. What a person
 * meant, before anything is known of the input.
 */
import { MAPPINGS, type Mapping, type Product, TAGS } from '../../contract/index.ts'
import { canonicalEncoding } from '../../encodings.ts'
import type {
  CheckName,
  InputOptions,
  Plan,
  PlannedCheck,
  PlannedOutput,
  PlannedPortfolio,
  PlannedScreen,
  PlannedService,
} from '../model/types.ts'
import { defaultColumns } from './columns.ts'
import { inputMap, outputMap, type PipelineFields, portfolioMap, serviceMap } from './schema.ts'
import { checkServiceUrl } from './service-url.ts'

/** A column of the input, by header or by zero-based index. */
export type ColumnReference =
  | { readonly header: string; readonly index: null }
  | { readonly header: null; readonly index: number }

/** One mapping as asked for: headers of which the first that exists is taken, or an index. */
export interface MappingRule {
  readonly mapping: Mapping
  /** Empty when an index is given. */
  readonly from: readonly string[]
  readonly index: number | null
  /** The same text in every row, null for a column. */
  readonly value: string | null
  readonly pad: number | null
  readonly trim: boolean
  readonly optional: boolean
}

/** Where the service is, as far as the pipeline says; a null `url` is left to FETTLE_URL. */
type PipelineService =
  | { readonly kind: 'embedded' }
  | (Omit<Extract<PlannedService, { kind: 'remote' }>, 'url'> & { readonly url: string | null })

/** Which tags are asked for. */
interface Enrichment {
  readonly product: Product
  readonly tags: readonly string[]
}

/** A pipeline, whole and free of contradictions. */
export interface Pipeline {
  readonly version: 1
  readonly name: string
  readonly description: string | null
  readonly tags: readonly string[]
  /** Null: FETTLE_URL if set, else embedded. */
  readonly service: PipelineService | null
  readonly input: InputOptions & {
    readonly key: ColumnReference | null
    readonly rows: { readonly min: number | null; readonly max: number | null }
    readonly empty: 'fail' | 'skip'
  }
  readonly mappings: readonly MappingRule[]
  readonly job: { readonly split: number | null; readonly concurrency: number; readonly collapse: boolean }
  readonly enrich: Enrichment | null
  readonly budget: Plan['budget']
  readonly poll: Plan['poll']
  readonly retry: Plan['retry']
  readonly checks: readonly PlannedCheck[]
  readonly output: PlannedOutput | null
  /** Path of the decisions file, null for none. */
  readonly decisions: string | null
  readonly portfolio: (Omit<PlannedPortfolio, 'reference'> & { readonly reference: ColumnReference | null }) | null
  readonly screen: PlannedScreen | null
  readonly report: Plan['report']
}

/** How the pipeline wants its input read. */
export function inputOptionsOf(pipeline: Pipeline): InputOptions {
  const { path, encoding, delimiter, header, quotes, sheet, skip } = pipeline.input
  return { path, encoding, delimiter, header, quotes, sheet, ...(skip === undefined ? {} : { skip }) }
}

/** `input:` in its long form. */
export const longInput = (input: PipelineFields['input']) => (typeof input === 'string' ? inputMap.parse({ path: input }) : input)

/** `output:` in its long form. */
export const longOutput = (output: NonNullable<PipelineFields['output']>) =>
  typeof output === 'string' ? outputMap.parse({ path: output }) : output

/** `service:` in its long form, null for `embedded`. */
export function longService(service: NonNullable<PipelineFields['service']>) {
  if (service === 'embedded') return null
  return typeof service === 'string' ? serviceMap.parse({ url: service }) : service
}

/** `portfolio:` in its long form. */
export const longPortfolio = (portfolio: NonNullable<PipelineFields['portfolio']>) =>
  typeof portfolio === 'string' ? portfolioMap.parse({ name: portfolio }) : portfolio

const columnOf = (reference: string | { readonly index: number } | undefined): ColumnReference | null =>
  reference === undefined
    ? null
    : typeof reference === 'string'
      ? { header: reference, index: null }
      : { header: null, ...reference }

/** `mappings:` as rules, in the service's order of names. */
export function mappingRules(mappings: PipelineFields['mappings']): MappingRule[] {
  return MAPPINGS.flatMap(mapping => {
    const given = mappings[mapping]
    if (given === undefined) return []
    const fields = typeof given === 'string' ? { from: given, trim: false, optional: false } : given
    const from = fields.from === undefined ? [] : typeof fields.from === 'string' ? [fields.from] : fields.from
    const { index = null, value = null, pad = null, trim, optional } = fields
    return [{ mapping, from, index, value, pad, trim, optional }]
  })
}

/** What is asked for in the end: absent, it is `basic` when there is an output to write it to. Null for none. */
export function enrichmentOf(
  enrich: PipelineFields['enrich'],
  hasOutput: boolean,
): { product: Product; tags: string[] | undefined } | null {
  if (enrich === undefined) return hasOutput ? { product: 'basic', tags: undefined } : null
  if (enrich === 'none') return null
  return typeof enrich === 'string' ? { product: enrich, tags: undefined } : { product: enrich.product, tags: enrich.tags }
}

/** The long form of fields that the schema and the lint have passed. */
export function normalise(fields: PipelineFields): Pipeline {
  const input = longInput(fields.input)
  const enrichment = enrichmentOf(fields.enrich, fields.output !== undefined)
  return {
    version: fields.version,
    name: fields.name,
    description: fields.description ?? null,
    tags: fields.tags,
    service: normaliseService(fields.service),
    input: {
      path: input.path,
      encoding: input.encoding === 'auto' ? 'auto' : (canonicalEncoding(input.encoding) ?? input.encoding),
      delimiter: input.delimiter,
      header: input.header,
      quotes: input.quotes,
      ...(input.skip === undefined ? {} : { skip: input.skip }),
      sheet: input.sheet ?? null,
      key: columnOf(input.key),
      rows: { min: input.rows?.min ?? null, max: input.rows?.max ?? null },
      empty: input.empty,
    },
    mappings: mappingRules(fields.mappings),
    job: { split: fields.job.split ?? null, concurrency: fields.job.concurrency, collapse: fields.job.collapse },
    enrich: enrichment === null ? null : { product: enrichment.product, tags: enrichment.tags ?? TAGS[enrichment.product] },
    budget: { rows: fields.budget.rows ?? null, credits: fields.budget.credits ?? null },
    poll: { everyMs: fields.poll.every, maxMs: fields.poll.max, timeoutMs: fields.poll.timeout },
    retry: fields.retry,
    checks: (Object.entries(fields.checks) as [CheckName, { warn?: PlannedCheck['warn']; fail?: PlannedCheck['fail'] }][]).map(
      ([name, { warn, fail }]) => ({ name, warn: warn ?? null, fail: fail ?? null }),
    ),
    output: normaliseOutput(fields.output, enrichment),
    decisions: fields.review.decisions ?? null,
    portfolio: normalisePortfolio(fields.portfolio),
    screen: normaliseScreen(fields.screen),
    report: fields.report,
  }
}

function normalisePortfolio(portfolio: PipelineFields['portfolio']): Pipeline['portfolio'] {
  if (portfolio === undefined) return null
  const { name = null, id = null, reference } = longPortfolio(portfolio)
  return { name, id, reference: columnOf(reference) }
}

function normaliseScreen(screen: PipelineFields['screen']): PlannedScreen | null {
  if (screen === undefined) return null
  const { datasets, threshold, countries = [], budget = null } = screen
  return { datasets: [...new Set(datasets)], threshold, countries: [...new Set(countries.map(one => one.toUpperCase()))], budget }
}

function normaliseService(service: PipelineFields['service']): PipelineService | null {
  if (service === undefined) return null
  const fields = longService(service)
  if (fields === null) return { kind: 'embedded' }
  const { url, rate, fileHosts, insecure } = fields
  const checked = url === undefined ? null : checkServiceUrl(url, insecure)
  return {
    kind: 'remote',
    url: checked !== null && 'url' in checked ? checked.url : null,
    rate: rate === undefined ? null : { requests: rate.requests, perMs: rate.per },
    fileHosts,
    insecure,
  }
}

function normaliseOutput(output: PipelineFields['output'], enrichment: ReturnType<typeof enrichmentOf>): PlannedOutput | null {
  if (output === undefined || enrichment === null) return null
  const { path, format, columns, unmatched, review } = longOutput(output)
  return {
    path,
    format,
    columns: columns ?? defaultColumns(enrichment.product, enrichment.tags),
    unmatched: unmatched ?? null,
    review: review ?? null,
  }
}
