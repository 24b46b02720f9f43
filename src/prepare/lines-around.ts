/** Issues about lines around the table of an input: skipped ones are shown, and those that would be taken for companies refused. */
import { counted } from '../counted.ts'
import { action, type Issue, issue } from '../errors.ts'
import type { Inspection } from '../input/table/inspect.ts'
import {
  type Pipeline,
  SectionFinder,
  type Surroundings,
  skippedLines,
  skippedRows,
  surroundingsOf,
  type TableReading,
} from '../pipeline/index.ts'
import type { Section, SectionReader, TableEdges } from '../pipeline/model/types.ts'

/** Finds the lines around a table. Totals that are not proved there stay in it where those inside a list are recognised. */
export const aroundOf =
  ({ sections }: { readonly sections?: 'skip' | 'rows' | undefined }) =>
  (edges: TableEdges, hasHeader: boolean): Surroundings =>
    surroundingsOf(edges, hasHeader, sections === 'skip')

const showsRows = ({ rows, mask }: Pipeline['report']): boolean => rows !== 'none' && mask.length === 0

/** In words; with the texts where reports may hold row content. */
function inWords({ head, tail, above, below }: Surroundings, report: Pipeline['report']): string {
  const shows = showsRows(report)
  const part = (count: number, where: string, texts: readonly string[]): string[] =>
    count === 0 ? [] : [`${counted(count, 'line')} ${where}${shows && texts.length > 0 ? `: ${texts.join('; ')}` : ''}`]
  return [...part(head, 'above the header', above), ...part(tail, 'below the last row', below)].join('; ')
}

/** Lines around the table that are not part of it; null without any. A `sep=` line above them is part of the dialect. */
function findLinesAround(edges: TableEdges, linesBefore: number, input: Pipeline['input']): Surroundings | null {
  const found = aroundOf(input)(edges, input.header)
  const skipped = edges.skipped.above.reduce((sum, { lines }) => sum + lines, 0)
  const around = linesBefore > skipped ? { ...found, head: 0, above: [] } : found
  return around.head + around.tail === 0 ? null : around
}

export function surroundingIssues({ input, report }: Pipeline, { facts, edges, issues }: Inspection): Issue[] {
  if (facts === null) return []
  // Such lines that cannot be read as rows have to be skipped, and input.skip does not cover all of them.
  const areUnreadable = issues.some(({ code, action }) => code === 'FETTLE_INPUT_FIELDS' && action !== undefined)
  return edges.flatMap((table, index) => {
    const at = { file: table.file, line: null, column: null }
    const skipped = skippedLines(table)
    const notes =
      skipped.head + skipped.tail === 0
        ? []
        : [issue('FETTLE_INPUT_LINES', `skipped ${inWords(skipped, report)}`, { severity: 'info', at, hint: null })]
    const { linesBefore = 0, rows } = facts.files?.[index] ?? facts
    const reading = { hasHeader: input.header, isTailFound: input.skip?.tail === 'auto', rows }
    const lost = skippedRowIssues(table, reading, showsRows(report))
    const around = findLinesAround(table, linesBefore, input)
    if (around === null) return [...notes, ...lost]
    const [head, tail] = [around.head + skipped.head, around.tail + skipped.tail]
    const found = issue('FETTLE_INPUT_LINES', `${table.file} has lines that are not rows: ${inWords(around, report)}`, {
      // A pipeline with input.skip may mean the rest as rows.
      severity: input.skip === undefined || areUnreadable ? 'error' : 'warn',
      at,
      hint: `Set input.skip: auto, or input.skip: { head: ${head}, tail: ${tail} } (0 reads them as rows), or skip them once.`,
      action: action('run', '--skip-head', String(head), '--skip-tail', String(tail), 'PIPELINE'),
    })
    return [...notes, ...lost, found]
  })
}

/** The reader of headings and totals inside a list, with what it has to know of names. */
export async function openSectionReader(): Promise<(header: readonly string[] | null) => SectionReader> {
  const { normaliseCountry } = await import('../normalise/country.ts')
  const { parseCompanyName } = await import('../normalise/company-name.ts')
  const known = { countryOf: normaliseCountry, hasLegalForm: (text: string) => parseCompanyName(text).legal !== null }
  return header => new SectionFinder(header, known)
}

const SHOWN_SECTIONS = 10

/** `line 2 "Germany", line 9 "Subtotal" …`; by rows where the lines of several files count. */
export function describeSections(
  sections: readonly Section[],
  lines: ReadonlyMap<number, number>,
  { hasFiles, isShown }: { readonly hasFiles: boolean; readonly isShown: boolean },
): string {
  const shown = sections.slice(0, SHOWN_SECTIONS).map(({ row, text }) => {
    const place = hasFiles ? `row ${row}` : `line ${lines.get(row)}`
    return isShown ? `${place} ${JSON.stringify(text)}` : place
  })
  return shown.join(', ') + (sections.length > SHOWN_SECTIONS ? ' …' : '')
}

/** Rows inside the list that are not companies, and those that look so without proof, which are sent. */
export function sectionIssues({ report }: Pipeline, { facts, sections }: Inspection): Issue[] {
  if (facts === null || sections === undefined) return []
  const { found, doubtful, lines } = sections
  const how = { hasFiles: facts.files !== undefined, isShown: showsRows(report) }
  const at = { file: facts.path, line: null, column: null }
  const notice = (list: readonly Section[], message: string, rest: Partial<Issue>): Issue[] =>
    list.length === 0
      ? []
      : [
          issue(
            'FETTLE_INPUT_LINES',
            `${counted(list.length, 'row')} inside ${facts.path} ${message}: ${describeSections(list, lines, how)}`,
            {
              at,
              count: list.length,
              rows: list.slice(0, 3).map(({ row }) => row),
              ...rest,
            },
          ),
        ]
  return [
    ...notice(found, 'skipped as headings or totals, in their place in the output', { severity: 'info', hint: null }),
    ...notice(doubtful, 'sent that may be headings or totals', {
      severity: doubtful.some(({ isTotal }) => isTotal) ? 'warn' : 'info',
      hint: 'Nothing proves that they are not companies. Remove them from the list if they are headings or totals.',
    }),
  ]
}

/** Skipped lines that look like rows would be in no result. */
export function skippedRowIssues(table: TableEdges, reading: TableReading, isShown: boolean): Issue[] {
  const { tail } = skippedLines(table)
  return skippedRows(table, reading).map(({ line, text, below }) =>
    issue(
      'FETTLE_INPUT_LINES',
      `line ${line} is skipped and ${below === null ? 'looks like' : 'may be'} a row${isShown ? `: ${text}` : ''}`,
      {
        at: { file: table.file, line, column: null },
        hint:
          below === null
            ? 'Set input.skip: auto, which skips by what a line is, or correct the number of lines.'
            : `Set input.skip.tail: ${below} to read it as a row, or input.skip.tail: ${tail} to skip it.`,
      },
    ),
  )
}
