/** The tags that a run asks for: of a product without a list of tags, those that something reads. */
import { ALWAYS_ASKED, COMPANY_TAGS, DUPLICATE_TAGS, NAME_TAGS, TAGS } from '../../contract/index.ts'
import { columnsOf, namedFields } from '../../decide/table.ts'
import { EVIDENCE_TAGS, isAudited } from '../../model/audit.ts'
import { DIRECTOR_TAGS } from '../../model/directors.ts'
import type { Plan } from './types.ts'

/** What every output, report and comparison of runs is made of. */
const ALWAYS_READ: readonly string[] = [...COMPANY_TAGS, ...NAME_TAGS, ...ALWAYS_ASKED, ...DUPLICATE_TAGS, 'general.bandingDesc']

/**
 * Answers that later runs use, and companies that are fetched, keep all tags of the product: what they lack would be paid for again.
 * Chosen tags are all asked for, with the company's id and name: by them rows have a company, and by names it is theirs.
 */
export function wantedTags(plan: Plan): readonly string[] {
  const { enrich, output, reuse, candidates, decide, tree, screen } = plan
  if (enrich === null) return []
  const isChosen = enrich.tags.length < TAGS[enrich.product].length
  const hasNoName = !NAME_TAGS.some(tag => enrich.tags.includes(tag))
  const hasNoCompany = !COMPANY_TAGS.some(tag => enrich.tags.includes(tag))
  const added = [...(hasNoCompany ? COMPANY_TAGS.slice(0, 1) : []), ...(hasNoName ? NAME_TAGS.slice(0, 1) : [])]
  if (isChosen || output === null || reuse != null || candidates?.fetch != null)
    return [...new Set([...enrich.tags, ...ALWAYS_ASKED, ...added])]
  const decided = [
    ...(decide === undefined ? [] : namedFields(decide.table).flatMap(field => columnsOf(decide.table, field))),
    ...Object.entries(tree?.fields ?? {}).flatMap(([name, { from = name }]) => from),
  ]
  const audited = isAudited(plan) ? Object.values(EVIDENCE_TAGS).flat() : []
  const people = screen?.people === undefined ? [] : DIRECTOR_TAGS
  const read = new Set([...ALWAYS_READ, ...output.columns, ...decided, ...audited, ...people])
  return enrich.tags.filter(tag => read.has(tag))
}
