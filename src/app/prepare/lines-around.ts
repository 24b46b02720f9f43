/** Issues about lines around the table of an input: skipped ones are shown, and those that would be taken for companies refused. */
import { counted } from '../../counted.ts'
import { action, type Issue, issue } from '../../errors.ts'
import type { Inspection } from '../../input/table/inspect.ts'
import { type Pipeline, type Surroundings, skippedLines } from '../../pipeline/index.ts'
import { linesAround } from './propose.ts'

const linesOf = (count: number): string => counted(count, 'line')

/** In words; with the texts where reports may hold row content. */
function inWords({ head, tail, above, below }: Surroundings, { rows, mask }: Pipeline['report']): string {
  const shows = rows !== 'none' && mask.length === 0
  const part = (count: number, where: string, texts: readonly string[]): string[] =>
    count === 0 ? [] : [`${linesOf(count)} ${where}${shows && texts.length > 0 ? `: ${texts.join('; ')}` : ''}`]
  return [...part(head, 'above the header', above), ...part(tail, 'below the last row', below)].join('; ')
}

export function surroundingIssues({ input, report }: Pipeline, inspection: Inspection): Issue[] {
  const { facts, edges } = inspection
  if (facts === null || edges === null) return []
  const at = { file: input.path, line: null, column: null }
  const skipped = facts.skipped === undefined ? null : skippedLines(edges)
  const notes =
    skipped === null
      ? []
      : [issue('FETTLE_INPUT_LINES', `skipped ${inWords(skipped, report)}`, { severity: 'info', at, hint: null })]
  const around = linesAround(inspection, input.header)
  if (around === null) return notes
  const head = around.head + (input.skip?.head ?? 0)
  const tail = around.tail + (input.skip?.tail ?? 0)
  // Such lines that cannot be read as rows have to be skipped, and input.skip does not cover all of them.
  const areUnreadable = inspection.issues.some(({ code, action }) => code === 'FETTLE_INPUT_FIELDS' && action !== undefined)
  const found = issue('FETTLE_INPUT_LINES', `${input.path} has lines that are no rows: ${inWords(around, report)}`, {
    // A pipeline with input.skip may mean the rest as rows.
    severity: input.skip === undefined || areUnreadable ? 'error' : 'warn',
    at,
    hint: `Set input.skip: { head: ${head}, tail: ${tail} } (0 reads them as rows), or skip them once.`,
    action: action('run', '--skip-head', String(head), '--skip-tail', String(tail), 'PIPELINE'),
  })
  return [...notes, found]
}
