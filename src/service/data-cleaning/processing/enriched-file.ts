/**
 * Writes the enriched file as CSV: the columns of the input, the selected tags in list order, then the match columns. Reads upload and
 * results in parallel, one row at a time (contract §14.1). JSON is made of the CSV when a client asks for it: it is several times as large,
 * and few do.
 */

import { createReadStream, existsSync } from 'node:fs'
import { columnName, csvLine, parseRows, readRecords } from '../../csv/csv.ts'
import { type RowResult, type RowSource, readResults } from '../../enrichment/row-results.ts'
import { type DirectorsOf, inListOrder, readFields, readTags, tagValue } from '../../enrichment/tags.ts'
import type { Limits } from '../../limits.ts'
import { scoreMatch } from '../../matching/decide/explain.ts'
import type { Engine } from '../../registers/engine.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { Pace } from './job-pace.ts'

export interface EnrichTask {
  readonly source: string
  readonly hasHeader: boolean
  readonly results: string
  readonly tags: readonly string[]
  readonly csv: string
  /** Whether fettle's own columns are added. */
  readonly matchColumns: boolean
}

/** Of the company, or of the best candidate of a row in review. */
const findSource = ({ outcome, source, candidates }: RowResult): RowSource | undefined =>
  outcome === 'review' ? candidates[0]?.source : source

const formatOtherIds = (source: RowSource | undefined): string => source?.otherIds.join(' | ') ?? ''

const MATCH: Readonly<Record<string, (result: RowResult) => string>> = {
  'match.outcome': result => result.outcome,
  'match.score': result => result.score.toFixed(3),
  'match.matchScore': result => String(scoreMatch(result.score)),
  'match.why': result => result.why,
  'match.reason': result => result.reason,
  'match.candidateId': result => result.candidates[0]?.id ?? '',
  'match.candidateName': result => result.candidates[0]?.name ?? '',
  'match.register': result => findSource(result)?.register ?? '',
  'match.otherIds': result => formatOtherIds(findSource(result)),
}
const CANDIDATES = 'match.candidates'

/** With several registers, a candidate shows its own. */
function registerFields(source: RowSource | undefined, engine: Companies): Record<string, string> {
  if (source === undefined || engine.registers < 2) return {}
  const otherIds = formatOtherIds(source)
  const { register } = source
  return otherIds === '' ? { register } : { register, otherIds }
}

/** The candidates of a row in review as JSON, with the tags the row would get; '' of other rows. */
function candidatesText({ candidates, outcome }: RowResult, tags: readonly string[], engine: Companies): string {
  if (candidates.length === 0 || outcome !== 'review') return ''
  const shown = candidates.map(({ source, ...candidate }) => {
    const company = engine.find(candidate.id)
    if (company === null) return { ...candidate, fields: {}, tags: {} }
    return {
      ...candidate,
      fields: { ...readFields(company), ...registerFields(source, engine) },
      tags: readTags(company, tags, engine.directorsOf),
    }
  })
  return JSON.stringify(shown)
}

type Companies = Pick<Engine, 'find' | 'registers'> & { readonly directorsOf: DirectorsOf }

/** Writes the file and returns the countries of the matched companies, sorted. */
export function enrichFile(task: EnrichTask, engine: Companies, pace: Pace, limits: Limits): Promise<string[]> {
  return writeWhole(task.csv, async write => {
    const results = readResults(task.results)
    try {
      const tags = inListOrder(task.tags)
      const countries = new Set<string>()
      let isHeader = true
      let rows = 0
      for await (const cells of readRecords(task.source, limits)) {
        if (isHeader) {
          isHeader = false
          const header = task.hasHeader ? cells : cells.map((_, index) => columnName(index))
          const all = [...header, ...tags, ...(task.matchColumns ? [...Object.keys(MATCH), CANDIDATES] : [])]
          await write(csvLine(all))
          if (task.hasHeader) continue
        }
        const next = await results.next()
        if (next.done === true) throw new Error(`${rows} results for more rows`)
        const result = next.value
        const company = result.company === null ? null : engine.find(result.company)
        if (company !== null && company.country !== '') countries.add(company.country)
        const own = task.matchColumns
          ? [...Object.values(MATCH).map(read => read(result)), candidatesText(result, tags, engine)]
          : []
        const line = [...cells, ...tags.map(tag => tagValue(tag, result, company, engine.directorsOf)), ...own]
        await write(csvLine(line))
        rows += 1
        await pace()
      }
      return [...countries].sort()
    } finally {
      // Rows end before results do: the file would stay open.
      await results.return(undefined)
    }
  })
}

/** Makes names unique for JSON objects: the second `Name` becomes `Name (2)`. The CSV keeps its header. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map(name => {
    let unique = name
    for (let n = 2; used.has(unique); n++) unique = `${name} (${n})`
    used.add(unique)
    return unique
  })
}

/** Writes an array of one object a row to `json`, unless it is there. */
export async function writeJson(csv: string, json: string, pace: Pace): Promise<void> {
  if (existsSync(json)) return
  await writeWhole(json, async write => {
    let names: string[] | null = null
    let rows = 0
    const options = { bom: false, skip_empty_lines: false, record_delimiter: '\n', relax_column_count: true }
    for await (const cells of parseRows<string[]>(createReadStream(csv), options)) {
      if (names === null) {
        names = uniqueNames(cells)
        await write('[')
        continue
      }
      // fromEntries defines properties: a column called __proto__ is plain data.
      const row = Object.fromEntries(names.map((name, index) => [name, cells[index]]))
      await write(`${rows === 0 ? '' : ','}\n${JSON.stringify(row)}`)
      rows += 1
      await pace()
    }
    await write('\n]\n')
  })
}
