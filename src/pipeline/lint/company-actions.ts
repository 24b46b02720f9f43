/** Rules of `accept`, `candidates`, `portfolio`, `screen` and `reuse`: each needs an output with the tags that identify companies. */
import { COMPANY_TAGS, TAGS } from '../../contract/index.ts'
import { isAddress, shownPath } from '../schema/addresses.ts'
import { isSamePath, whyNotWritable } from '../schema/paths.ts'
import { enrichmentOf } from '../schema/pipeline.ts'
import { show } from '../source/quote.ts'
import type { SyntaxIssue } from '../source/tree.ts'
import { type Draft, lintIssue, noHeader, type Rule, wrongValue } from './issue.ts'

const NAME_TAGS = ['general.companyName', 'general.legalName'] as const

export const lintCompanyActions: Rule = draft => [
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
]

const lintPortfolio: Rule = ({ fields }) => {
  if (fields.portfolio == null) return []
  const { name, id, reference } = fields.portfolio
  const found: SyntaxIssue[] = []
  if ((name === null) === (id === null))
    found.push(wrongValue(['portfolio'], 'expected either name or id', 'For example: portfolio: Suppliers.'))
  if (fields.portfolio.remove !== undefined && fields.portfolio.sync !== true)
    found.push(
      wrongValue(['portfolio', 'remove'], 'remove compares the portfolio with the list, which sync does', 'Add sync: true.'),
    )
  if (reference?.header != null && fields.input?.header === false)
    found.push(noHeader(['portfolio', 'reference'], reference.header))
  return found
}

const lintEvents: Rule = ({ fields, broken, places }) => {
  if (fields.events == null) return []
  const at = ['events', 'output']
  const file = fields.events.output
  if (fields.portfolio == null && !broken.has('portfolio'))
    return [
      wrongValue(
        ['events'],
        'events are those of a portfolio, and the pipeline has none',
        'Name one: portfolio: { name: Suppliers }.',
      ),
    ]
  const reason = isAddress(file) ? 'is an address: events are written to a file' : whyNotWritable(file, places)
  if (reason !== null) return [lintIssue('FETTLE_PIPELINE_PATH', at, `the path ${show(shownPath(file))} ${reason}`)]
  const { path, unmatched, review } = fields.output ?? {}
  const input = fields.input?.path
  const others = { input, 'output.path': path, 'output.unmatched': unmatched, 'output.review': review }
  const same = Object.entries({ ...others, 'review.decisions': fields.review?.decisions }).find(
    ([, other]) => other != null && isSamePath(other, file),
  )
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
  if (mapped.includes('name') && (mapped.includes('country') || mapped.includes('countryCode'))) return []
  const message = 'a question for candidates has the name and the country of the row, and mappings lacks one of them'
  return [wrongValue(['candidates'], message, 'Map name, and country or countryCode.')]
}

const lintFetch: Rule = ({ fields, broken }) => {
  if (fields.candidates?.fetch == null || broken.has('review') || fields.review?.decisions != null) return []
  const message = 'candidates.fetch fetches companies that decisions accepted, and the pipeline names no decisions'
  return [wrongValue(['candidates', 'fetch'], message, 'Name their file: review: { decisions: decisions/suppliers.csv }.')]
}

const lintReuse: Rule = ({ fields, broken }) =>
  (['screen', 'candidates'] as const).flatMap(key =>
    fields.reuse?.[key] === undefined || fields[key] != null || broken.has(key)
      ? []
      : [wrongValue(['reuse', key], `the pipeline has no ${key}, so nothing of it is used again`, `Leave reuse.${key} out.`)],
  )

const isSameBand = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase()

function lintTags(
  { fields, broken }: Draft,
  key: 'accept' | 'candidates' | 'portfolio' | 'screen' | 'reuse',
  groups: readonly (readonly string[])[],
): SyntaxIssue[] {
  if (fields[key] == null || broken.has('output') || broken.has('enrich')) return []
  const enrichment = enrichmentOf(fields.enrich, fields.output != null)
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
