/** Issues about lines around the table of an input: skipped ones are shown, and those that would be taken for companies refused. */
import { counted } from '../counted.ts'
import { action, type Issue, issue } from '../errors.ts'
import type { Inspection } from '../input/table/inspect.ts'
import {
  type Pipeline,
  type Surroundings,
  skippedLines,
  skippedRows,
  surroundingsOf,
  type TableReading,
} from '../pipeline/index.ts'
import type { TableEdges } from '../pipeline/model/types.ts'

const showsRows = ({ rows, mask }: Pipeline['report']): boolean => rows !== 'none' && mask.length === 0

/** In words; with the texts where reports may hold row content. */
function inWords({ head, tail, above, below }: Surroundings, report: Pipeline['report']): string {
  const shows = showsRows(report)
  const part = (count: number, where: string, texts: readonly string[]): string[] =>
    count === 0 ? [] : [`${counted(count, 'line')} ${where}${shows && texts.length > 0 ? `: ${texts.join('; ')}` : ''}`]
  return [...part(head, 'above the header', above), ...part(tail, 'below the last row', below)].join('; ')
}

/** Lines around the table that are not part of it; null without any. A `sep=` line above them is part of the dialect. */
function findLinesAround(edges: TableEdges, linesBefore: number, hasHeader: boolean): Surroundings | null {
  const found = surroundingsOf(edges, hasHeader)
  const skipped = edges.skipped.above.reduce((sum, { lines }) => sum + lines, 0)
  const around = linesBefore > skipped ? { ...found, head: 0, above: [] } : found
  return around.head + around.tail === 0 ? null : around
}

export function surroundingIssues({ input, report }: Pipeline, { facts, edges, issues }: Inspection): Issue[] {
  if (facts === null) return []
  // Such lines that cannot be read as rows have to be skipped, and input.skip does not cover all of them.
  const areUnreadable = issues.some(({ code, action }) => code === 'FETTLE_INPUT_FIELDS' && action !== undefined)
  return edges.flatMap(table => {
    const at = { file: table.file, line: null, column: null }
    const skipped = skippedLines(table)
    const notes =
      skipped.head + skipped.tail === 0
        ? []
        : [issue('FETTLE_INPUT_LINES', `skipped ${inWords(skipped, report)}`, { severity: 'info', at, hint: null })]
    const { linesBefore = 0, rows } = facts.files?.find(({ path }) => path === table.file) ?? facts
    const reading = { hasHeader: input.header, isTailFound: input.skip?.tail === 'auto', rows }
    const lost = skippedRowIssues(table, reading, showsRows(report))
    const around = findLinesAround(table, linesBefore, input.header)
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
