/** A row beside the companies it may be, as a screen of text: as many columns as the terminal is wide. It reads no key. */
import type { ReviewRow } from '../../../app/index.ts'
import { clip, escapeTerminal, reasonsOf, wordsBeside } from '../../../report/index.ts'

/** How a screen is drawn. */
export interface ScreenStyle {
  readonly width: number
  readonly colour: boolean
}

const LABEL = 11
/** A column narrower than this is no help. */
const NARROWEST = 24
const GAP = 2

const paint = (code: number, text: string, { colour }: ScreenStyle): string => (colour ? `\x1b[${code}m${text}\x1b[0m` : text)
const bold = (text: string, style: ScreenStyle): string => paint(1, text, style)
const dim = (text: string, style: ScreenStyle): string => paint(2, text, style)

/** Foreign text in a cell of so many characters. */
const cell = (text: string, width: number): string => {
  const shown = clip(escapeTerminal(text), width)
  return shown + ' '.repeat(Math.max(0, width - [...shown].length))
}

/** What is said of the choice made, null while the row is open. */
export type Chosen = { readonly kind: 'accept'; readonly company: string } | { readonly kind: 'reject' } | null

/** One row: `at` of `of` rows, from 1. */
export function screenOf(row: ReviewRow, at: number, of: number, chosen: Chosen, style: ScreenStyle): string {
  const { width } = style
  const head = `${at} of ${of} to review · row ${row.row}${row.key === null ? '' : ` · ${row.key}`}`
  const fits = Math.max(1, Math.floor((width - LABEL) / (NARROWEST + GAP)) - 1)
  const beside = row.candidates.slice(0, fits)
  const column = Math.min(44, Math.max(12, Math.floor((width - LABEL) / (beside.length + 1)) - GAP))
  const line = (label: string, own: string, theirs: readonly string[]): string =>
    `${dim(cell(label, LABEL), style)}${[own, ...theirs].join(' '.repeat(GAP))}`.trimEnd()
  const cellsOf = (name: string): string => {
    const own = row.cells[name] ?? ''
    const theirs = beside.map(one => {
      const text = one.fields[name] ?? (name === 'name' ? one.name : '')
      return differing(cell(text === '' ? '–' : text, column), text, own, style)
    })
    return line(name, cell(own === '' ? '–' : own, column), theirs)
  }
  const names = [...new Set(['name', ...Object.keys(row.cells)])].filter(
    name => (row.cells[name] ?? '') !== '' || beside.some(one => (one.fields[name] ?? '') !== ''),
  )
  const title = (n: number): string => `${n + 1}  ${row.candidates[n]!.score?.toFixed(2) ?? '–'}  ${row.candidates[n]!.id}`
  return [
    bold(clip(escapeTerminal(head), width), style),
    '',
    line(
      '',
      cell('your row', column),
      beside.map((_, n) => bold(cell(title(n), column), style)),
    ),
    ...names.map(cellsOf),
    '',
    ...beside.map((one, n) => `${n + 1}  ${reasonsIn(one.why || row.why, width - 3, style)}`),
    ...row.candidates.slice(fits).map((one, n) => clip(escapeTerminal(`${title(fits + n)}  ${one.name}`), width)),
    ...(row.candidates.length === 0 ? ['no company is proposed'] : []),
    '',
    ...(chosen === null
      ? []
      : [bold(chosen.kind === 'accept' ? `✓ ${escapeTerminal(chosen.company)}` : '✗ none of these', style), '']),
    dim(clip(keysOf(row.candidates.length), width), style),
    '',
  ].join('\n')
}

const keysOf = (candidates: number): string =>
  `${candidates === 0 ? '' : candidates === 1 ? 'y accept · ' : `y the best, 1–${candidates} that one · `}n none of these · s skip · b back · u undo · q finish`

/** A cell that says something else than the row is drawn in yellow; without colour the reasons have to do. */
const differing = (drawn: string, text: string, own: string, style: ScreenStyle): string =>
  text !== '' && wordsBeside(text, own).some(({ differs }) => differs) ? paint(33, drawn, style) : drawn

const COLOUR = { for: 32, against: 31, near: 33, plain: 33 } as const

function reasonsIn(why: string, width: number, style: ScreenStyle): string {
  let left = width
  const shown = reasonsOf(why).flatMap(({ text, kind }) => {
    const clean = escapeTerminal(text)
    left -= clean.length + 2
    return left < 0 ? [] : [paint(COLOUR[kind], clean, style)]
  })
  return shown.join(', ')
}
