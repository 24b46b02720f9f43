/**
 * Finds the table among the lines of a file: titles and group rows above its header, sums and remarks below its last row. Works on
 * cells, so that delimited text and sheets are judged alike.
 */
import type { EdgeLine, TableEdges } from '../model/types.ts'
import { show } from '../source/quote.ts'
import { claimsOf, fold } from './claims.ts'

/** Lines to skip at both ends, blank ones included, and the texts of those that are not blank. */
export interface Surroundings {
  readonly head: number
  readonly tail: number
  readonly above: readonly string[]
  readonly below: readonly string[]
}

/** A header is among the first lines. */
const MAX_ABOVE = 25
/** A header names most columns of its table. */
const HEADER_SHARE = 0.6
const KNOWN_LABELS = 2
const SHOWN = 60

const TOTAL_WORDS = '(?:(?:grand|sub|net|gross|page) ?)?totals?|(?:zwischen|gesamt|end)?summe'
const OTHER_TOTALS =
  'insgesamt|gesamt|summa|suma|somme|som|totaal|totale|totales|totaux|razem|celkem|spolu|ukupno|skupaj|osszesen|yhteensa|sum|i alt|kokku|kopa|is viso'
const TOTAL = new RegExp(`^(?:${TOTAL_WORDS})\\b|^(?:${OTHER_TOTALS})$`)
/** A whole label, where the other cells of its line are numbers. */
const TOTAL_LABEL = new RegExp(`^(?:${TOTAL_WORDS}|${OTHER_TOTALS})$`)
/** As `TOTAL_LABEL`, with the amount in the same cell. */
const TOTAL_TEXT = new RegExp(`^(?:${TOTAL_WORDS}|${OTHER_TOTALS})(?: \\d[\\d ]*(?: rows| zeilen)?)?$`)
const REMARK =
  /\b(?:end of|ende|fin de|report|bericht|generated|erstellt|created|exported|export|printed|gedruckt|source|quelle|bron|page|seite|stand|as of|records|rows|zeilen|datensatze|entries|notes?|confidential|vertraulich|copyright|prepared by)\b/
const DATE = '(?:\\d{4} \\d{1,2} \\d{1,2}|\\d{1,2} \\d{1,2} \\d{2,4}|\\d{1,2} \\p{L}{3,9} \\d{4}|\\p{L}{3,9} \\d{1,2} \\d{4})'
const TIME = '(?:[ t][\\dt ]*(?:am|pm|utc|cet|uhr|z)?)?'
/** Whole texts that no company has as its name, unlike most remarks: "Note Printing Australia", "Page Group". */
const CERTAIN_REMARK = new RegExp(
  [
    '^(?:page|seite|pagina) \\d+ (?:(?:of|von|de|van) )?\\d+$',
    '^(?:end of|ende (?:der|des)|fin (?:de la|de|du)) (?:the )?(?:report|list|file|data|table|export|berichts|liste|datei|rapport|fichier)$',
    `^(?:(?:report|list|file|data|export|bericht|liste) )?(?:generated|created|exported|printed|erstellt|gedruckt) (?:on |at |am )?${DATE}${TIME}$`,
    `^(?:stand|as of|as at|date|datum) ${DATE}${TIME}$`,
    '^\\d[\\d ]* (?:rows|zeilen|datensatze)$',
  ].join('|'),
  'u',
)
const LABELLED_WORD = /^(?:source|quelle|bron|rows|records|entries|zeilen|datensätze|stand|as of|date|datum)\s*:\s*\S+$/i

const listFilled = ({ cells }: EdgeLine): string[] => cells.map(cell => cell.trim()).filter(cell => cell !== '')
const isBlank = (line: EdgeLine): boolean => listFilled(line).length === 0
const isLabel = (cell: string): boolean => /\p{L}/u.test(cell) && !/^\S+@\S+$|^https?:|^\d{1,4}[./-]\d/.test(cell)
const linesIn = (lines: readonly EdgeLine[]): number => lines.reduce((sum, edge) => sum + edge.lines, 0)

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** How full a row is. Titles and remarks have one cell; the fuller half of the other lines counts. */
function usualCells({ first, last, isAll }: TableEdges): number {
  const lines = isAll ? first : [...first, ...last]
  const filled = lines.map(line => listFilled(line).length).filter(count => count > 1)
  return median(filled.filter(count => count >= median(filled)))
}

/** A skipped line that looks like a row. */
export interface SkippedRow {
  readonly line: number
  readonly text: string
  /** How many lines are below it, if it may be a row and the lines below the last row were found. */
  readonly below: number | null
}

/** How the table was read. */
export interface TableReading {
  readonly hasHeader: boolean
  /** The lines below the last row were found, and not named by their number. */
  readonly isTailFound: boolean
  readonly rows: number
}

/** The skipped lines with as many cells as a row that are neither a header nor a total; each that may be a company, if it was found. */
export function skippedRows(edges: TableEdges, { hasHeader, isTailFound, rows }: TableReading): SkippedRow[] {
  const { first, last, skipped } = edges
  const usual = usualCells(edges)
  const isFull = (line: EdgeLine): boolean => listFilled(line).length > Math.max(1, usual * HEADER_SHARE)
  const isNamed = (line: EdgeLine | undefined): boolean => line !== undefined && listFilled(line).every(isLabel)
  // Two lines of labels are a header in two languages; a line of labels above a row is the header of the table.
  const isHeader = hasHeader && isNamed(first[0])
  const listRows = (lines: readonly EdgeLine[], from: number, isFound: boolean, isRow: (line: EdgeLine) => boolean) => {
    let at = from
    return lines.flatMap((line, index): SkippedRow[] => {
      const place = { line: at, text: listTexts([line]).join(), below: isFound ? linesIn(lines.slice(index + 1)) : null }
      at += line.lines
      return isRow(line) ? [place] : []
    })
  }
  const isTotal = (line: EdgeLine): boolean => TOTAL_LABEL.test(fold(listFilled(line)[0] ?? ''))
  const isLost = (line: EdgeLine): boolean => (isTailFound ? !isNoRow(line, last, rows) : isFull(line) && !isTotal(line))
  return [
    ...listRows(skipped.above, 1, false, line => isFull(line) && !(isHeader && isNamed(line))),
    ...listRows(skipped.below, skipped.belowAt, isTailFound, isLost),
  ]
}

/** A line below the last row that no company can be: blank, a total with nothing but its sums, or a certain remark by itself. */
function isNoRow(line: EdgeLine, last: readonly EdgeLine[], rows: number): boolean {
  const [text, ...others] = listFilled(line)
  if (text === undefined) return true
  if (others.length > 0) return isSum(line, last, rows)
  return TOTAL_TEXT.test(fold(text)) || CERTAIN_REMARK.test(fold(text)) || LABELLED_WORD.test(text)
}

/** What surrounds the table of these lines. `keepsTotals`: totals whose sums are not proved by these lines alone stay in the table. */
export function surroundingsOf(edges: TableEdges, hasHeader: boolean, keepsTotals = false): Surroundings {
  const { first, last, isAll } = edges
  const usual = usualCells(edges)
  if (usual < 2) return describeLines([], [])
  const header = hasHeader ? headerAt(first, usual) : 0
  const from = isAll ? header + 1 : 0
  const found = footerAt(last, from, usual)
  const footer = keepsTotals ? passTotals(last, from, found) : found
  return describeLines(first.slice(0, header), last.slice(footer))
}

/** The lines that were skipped, in the form of those that were found. */
export const skippedLines = ({ skipped: { above, below } }: TableEdges): Surroundings => describeLines(above, below)

function describeLines(above: readonly EdgeLine[], below: readonly EdgeLine[]): Surroundings {
  return { head: linesIn(above), tail: linesIn(below), above: listTexts(above), below: listTexts(below) }
}

const listTexts = (lines: readonly EdgeLine[]): string[] =>
  lines
    .filter(line => !isBlank(line))
    .map(line => {
      const cells = listFilled(line)
      const shown = cells.slice(0, 3).map(cell => show(cell.slice(0, SHOWN)))
      return shown.join(', ') + (cells.length > 3 ? ' …' : '')
    })

/** The index of the header; 0 when the first line is one, or when none is found. */
function headerAt(first: readonly EdgeLine[], usual: number): number {
  const isThin = (line: EdgeLine): boolean => listFilled(line).length * 2 <= usual
  const isHeader = (line: EdgeLine): boolean => {
    const cells = listFilled(line)
    const isFull = cells.length >= Math.max(2, Math.ceil(usual * HEADER_SHARE))
    return isFull && cells.every(isLabel) && new Set(cells.map(fold)).size === cells.length
  }
  const knownIn = (line: EdgeLine): number => {
    const cells = listFilled(line).map(fold)
    const different = [...new Set(cells)]
    // Names of groups of columns are repeated where cells were merged; a header repeats one or two.
    const names = different.length * 3 <= cells.length * 2 ? different : cells
    return names.filter(cell => claimsOf(cell).claims.length > 0).length
  }
  for (const [at, line] of first.slice(0, MAX_ABOVE).entries()) {
    if (isBlank(line) || isThin(line)) continue
    if (isHeader(line)) {
      const below = first[at + 1]
      const header = below !== undefined && isHeader(below) && isBelowGroups(below, line) ? at + 1 : at
      // Most lists begin with it: nothing above has to be compared.
      if (at === 0) return header
      const known = knownIn(line)
      const above = first.slice(0, at)
      const knownAbove = Math.max(0, ...above.map(knownIn))
      // A line of unknown labels may be a row: only thin lines above show that it is the header.
      const isSure = known >= KNOWN_LABELS || above.every(row => isBlank(row) || isThin(row))
      return isSure && (known > knownAbove || knownAbove < KNOWN_LABELS) ? header : 0
    }
    // Names of groups of columns are labels, too, and fewer or repeated; any other line is a row.
    if (!listFilled(line).every(isLabel)) return 0
  }
  return 0
}

/** Whether a header repeats cells of the line above, merged over both lines, and has more: above are names of groups of columns. */
const isBelowGroups = (header: EdgeLine, above: EdgeLine): boolean =>
  listFilled(header).length > listFilled(above).length &&
  header.cells.some((cell, at) => cell.trim() !== '' && cell === above.cells[at])

export const isTotalLabel = (folded: string): boolean => TOTAL_LABEL.test(folded)

/** `1,234.50`, `1.234,50 €`, `1 234` or `12-` as a number; null for any other text. */
export function readAmount(cell: string): number | null {
  const digits = cell
    .replace(/[\s'’\u00a0$£€]/g, '')
    .replace(/(?<=\d)[.,](?=\d{3}(?:[.,]|$))/g, '')
    .replace(/^([^-]+)-$/, '-$1')
  return /^[-+]?\d{1,15}(?:[.,]\d+)?$/.test(digits) ? Number(digits.replace(',', '.')) : null
}

/**
 * A label of a total beside numbers that are each at least the sum of the numbers above it that are known, or at most `maxCount` where
 * there are none. A sum of two lines or less is exact.
 */
function isSum(line: EdgeLine, rows: readonly EdgeLine[], maxCount: number): boolean {
  const [label, ...others] = line.cells.flatMap((cell, at) => (cell.trim() === '' ? [] : [{ at, cell }]))
  if (label === undefined || others.length === 0 || !TOTAL_LABEL.test(fold(label.cell))) return false
  return others.every(({ at, cell }) => {
    const amount = readAmount(cell)
    if (amount === null) return false
    const amounts = rows.map(({ cells }) => readAmount(cells[at] ?? '')).filter(known => known !== null)
    if (amounts.length === 0) return amount <= maxCount
    const over = amount - amounts.reduce((sum, known) => sum + known, 0)
    const rounding = 0.005 * rows.length
    return over >= -rounding && (rows.length > 2 || over <= rounding)
  })
}

/** The index below the last total among the lines from `footer` on that is not proved; `footer` without one. */
function passTotals(last: readonly EdgeLine[], from: number, footer: number): number {
  const rows = last.slice(from, footer)
  const isOpen = (line: EdgeLine): boolean => {
    const [label = '', ...others] = listFilled(line)
    return others.length > 0 && TOTAL_LABEL.test(fold(label)) && !isSum(line, rows, Infinity)
  }
  return Math.max(footer, last.findLastIndex(isOpen) + 1)
}

/** The index of the first line below the table, the number of lines without one. */
function footerAt(last: readonly EdgeLine[], from: number, usual: number): number {
  const width = median(last.map(({ cells }) => cells.length))
  // A line of a sheet has all columns; in a text, one cell where rows have several is not a row.
  const isShort = (line: EdgeLine): boolean => line.cells.length === 1 && width > 1
  const isSure = (line: EdgeLine, at: number): boolean => {
    const cells = listFilled(line)
    const [label = ''] = cells
    if (cells.length === 0) return false
    if (cells.length > usual * HEADER_SHARE) return at - from > 2 && isSum(line, last.slice(from, at), Infinity)
    // "Total Gas Ltd", "GB" is a company: what follows the label of a total are numbers.
    if (TOTAL_LABEL.test(fold(label)) || (TOTAL.test(fold(label)) && cells.slice(1).every(cell => readAmount(cell) !== null)))
      return true
    if (cells.length > 1 || !(usual > 2 || isShort(line))) return false
    return REMARK.test(fold(label)) || (isShort(line) && usual > 2)
  }
  let footer = last.length
  for (let at = last.length - 1; at >= from; at--) {
    const line = last[at]!
    const above = last[at - 1]
    const isAlone = listFilled(line).length === 1 && (usual > 2 || isShort(line))
    const isApart = isAlone && above !== undefined && at > from && (isBlank(above) || isSure(above, at - 1))
    if (isSure(line, at) || isApart) footer = at
    else if (!isBlank(line)) break
  }
  if (footer === last.length) return footer
  // Blank lines between the last row and the first remark are part of neither.
  while (footer > from && isBlank(last[footer - 1]!)) footer--
  return footer
}
