/** The columns of the output: the input's own, the enrichment tags chosen, what fettle adds about the match, and their names. */
import { type Product, TAGS } from '../../contract/index.ts'
import { type Issue, issue, type Place } from '../../errors.ts'
import { GROUP_COLUMNS, outputNames } from '../../model/columns.ts'
import { didYouMean } from '../../nearest.ts'
import type { InputFacts, PlannedOutput } from '../model/types.ts'
import { show } from '../source/quote.ts'

/** All columns of the input, in order. */
const ALL_COLUMNS = '*'

const MATCH_COLUMNS = [
  'match.outcome',
  'match.score',
  'match.matchScore',
  'match.why',
  'match.reason',
  'match.candidateId',
  'match.candidateName',
  'match.candidates',
  'match.register',
  'match.otherIds',
  'match.doubt',
] as const

/** What is known of the answer itself. */
const ANSWER_COLUMNS = ['answer.at', 'answer.job', 'answer.reused'] as const

/** What the service and fettle add to a row. */
export const RESULT_COLUMNS: ReadonlySet<string> = new Set([...TAGS.standard, ...MATCH_COLUMNS, ...ANSWER_COLUMNS])

/** `general`, `match` … */
const RESULT_GROUPS: ReadonlySet<string> = new Set(Array.from(RESULT_COLUMNS, name => name.split('.')[0]!))

/** What the decision table of the pipeline decided. */
const DECISION_COLUMNS: readonly string[] = ['decision', 'decision.rule', 'decision.why']

/** What searches found about the company of the row, and what was decided about it. */
const SCREEN_COLUMNS: readonly string[] = [
  ...['screen.state', 'screen.hits', 'screen.cleared', 'screen.confirmed', 'screen.back', 'screen.why'],
]

interface Adding {
  readonly decide?: object | null
  readonly dedupe?: object | null
  readonly audit?: object | true | null
  readonly screen?: object | null
}

/** Columns that exist in the output of some pipelines. */
export const addedColumns = ({ decide, dedupe, audit, screen }: Adding): string[] => [
  ...(audit == null ? [] : ['match.doubt']),
  ...(dedupe == null ? [] : GROUP_COLUMNS),
  ...(decide == null ? [] : DECISION_COLUMNS),
  ...(screen == null ? [] : SCREEN_COLUMNS),
]

const PRODUCTS = Object.keys(TAGS) as Product[]

/** The columns of an output that names none: the input's, the company found, and the match. A list of tags is included. */
export function defaultColumns(product: Product, tags: readonly string[] | null, added: readonly string[] = []): string[] {
  const found = tags ?? ['general.connectId', 'general.companyName'].filter(tag => TAGS[product].includes(tag))
  return [ALL_COLUMNS, ...found, 'match.outcome', 'match.score', 'match.why', ...added]
}

/** The tag of the group, or of any, that ends in the word asked for, such as `contact.contactPhone` for `contact.phone`; else the nearest. */
function tagMeant(tag: string, known: Iterable<string>): string {
  const [group, word = ''] = tag.toLowerCase().split('.')
  const alike = word.length < 4 ? [] : [...known].filter(name => name.toLowerCase().endsWith(word))
  const found = alike.find(name => name.startsWith(`${group}.`)) ?? alike[0]
  return found === undefined ? didYouMean(tag, known) : `; did you mean ${found}?`
}

export function wrongTags(product: Product, tags: readonly string[]) {
  const own = new Set(TAGS[product])
  return tags.flatMap((tag, index) => {
    if (tags.indexOf(tag) < index) return [{ index, message: `${show(tag)} occurs twice` }]
    if (own.has(tag)) return []
    const larger = PRODUCTS.find(product => TAGS[product].includes(tag))
    if (larger !== undefined) return [{ index, message: `${show(tag)} is not a tag of ${product} but of ${larger}` }]
    return [{ index, message: `${show(tag)} is not an enrichment tag${tagMeant(tag, own)}` }]
  })
}

export function wrongColumns(
  columns: readonly { readonly from: string; readonly as: string | null }[],
  chosen: readonly string[],
  added: readonly string[] = [],
): { readonly index: number; readonly message: string; readonly hint?: string }[] {
  const known = new Set<string>([ALL_COLUMNS, ...MATCH_COLUMNS, ...ANSWER_COLUMNS, ...added, ...chosen])
  return columns.flatMap(({ from: column, as }, index) => {
    if (columns.findIndex(({ from }) => from === column) < index) return [{ index, message: `${show(column)} occurs twice` }]
    if (column === ALL_COLUMNS && as !== null)
      return [{ index, message: '"*" means all columns of the input, and cannot have one name' }]
    if (known.has(column)) return []
    const product = PRODUCTS.find(candidate => TAGS[candidate].includes(column))
    if (product !== undefined)
      return [
        {
          index,
          message: `${show(column)} is a tag of ${product}, but enrich does not ask for it`,
          hint: `Set enrich: ${product}.`,
        },
      ]
    // Any other name is a header of the list, which is read later.
    const [group] = column.split('.')
    if (column === group || !RESULT_GROUPS.has(group!)) return []
    return [
      {
        index,
        message: `${show(column)} is neither "*", a chosen tag nor a match column${tagMeant(column, [...known, ...TAGS.standard])}`,
      },
    ]
  })
}

export const columnText = ({ header, index }: { readonly header: string | null; readonly index: number }): string =>
  header === null ? `column ${index + 1}` : show(header)

/** `*, general.connectId as connect_id, all in snake_case` */
export const columnsText = ({ columns, rename = {}, names }: PlannedOutput): string =>
  [
    ...columns.map(name => (rename[name] === undefined ? name : `${name} as ${rename[name]}`)),
    ...(names === undefined ? [] : ['names in snake_case']),
  ].join(', ')

/** Databases ignore case in names, so they are compared without it. */
export function outputNameIssues(output: PlannedOutput | null, facts: InputFacts, at: Place | null): Issue[] {
  if (output?.rename === undefined) return []
  const names = outputNames(output, facts.header ?? []).map(name => name.toLowerCase())
  const given = Object.entries(output.rename)
  return given.flatMap(([from, as]) => {
    if (names.indexOf(as.toLowerCase()) === names.lastIndexOf(as.toLowerCase())) return []
    const message = `output.columns: ${from} as ${show(as)}: another column of the output has this name`
    return [issue('FETTLE_PIPELINE_VALUE', message, { at, hint: 'Choose another name.' })]
  })
}
