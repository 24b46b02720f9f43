/** A text with the places of its parts, and its problems as issues. */
import { type ErrorCode, type Issue, issue, type Place } from '../../errors.ts'
import { offsetAt, type Path, type SyntaxIssue, type Tree } from './tree.ts'

/** The place of an offset; null for one that is not known. */
export type PlaceAt = (offset: number | null) => Place

/** A text without its byte-order mark, and the places in it. */
export function placedText(text: string, file: string): { readonly source: string; readonly placeAt: PlaceAt } {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const findSpot = lineFinder(source)
  return { source, placeAt: offset => ({ file, ...(offset === null ? { line: null, column: null } : findSpot(offset)) }) }
}

const MAX_ISSUES = 50

/**
 * Issues in the order of the file; those after the fiftieth become one issue with their count. `code`: for all of them, instead of their
 * own; `origin`: the place of a value that comes from another file.
 */
export function toIssues(
  findings: readonly SyntaxIssue[],
  tree: Tree | null,
  placeAt: PlaceAt,
  { code, origin = () => null }: { readonly code?: ErrorCode; readonly origin?: (path: Path) => Place | null } = {},
): Issue[] {
  const placed = findings.map(finding => ({
    finding,
    offset: 'offset' in finding ? finding.offset : tree === null ? null : offsetAt(tree, finding.path, finding.part),
  }))
  placed.sort((a, b) => (a.offset ?? -1) - (b.offset ?? -1))
  const issues = placed.slice(0, MAX_ISSUES).map(({ finding, offset }) =>
    issue(code ?? finding.code, finding.message, {
      at: ('path' in finding ? origin(finding.path) : null) ?? placeAt(offset),
      hint: finding.hint,
      severity: finding.severity,
    }),
  )
  const rest = placed.slice(MAX_ISSUES)
  if (rest.length === 0) return issues
  const count = { at: placeAt(null), count: rest.length, hint: null }
  return [...issues, issue(code ?? rest[0]!.finding.code, `and ${rest.length} more problems`, count)]
}

/** Turns offsets of `text` into lines and columns from 1; columns count UTF-16 units, as editors do. CR, LF and CRLF each end a line. */
export function lineFinder(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0]
  for (const end of text.matchAll(/\r\n|\r|\n/g)) starts.push(end.index + end[0].length)
  return offset => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}
