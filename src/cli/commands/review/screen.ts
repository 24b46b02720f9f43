/** Draws a row beside its candidates as text, in the width of the terminal. */
import type { ReviewRow } from '../../../app/index.ts'
import { clip, escapeTerminal, keyLine, reasonsOf, wordsBeside } from '../../../report/index.ts'

export interface ScreenStyle {
  readonly width: number
  readonly colour: boolean
}

const LABEL = 11
const MIN_COLUMN = 24
const GAP = 2

const paint = (code: number, text: string, { colour }: ScreenStyle): string => (colour ? `\x1b[${code}m${text}\x1b[0m` : text)
const bold = (text: string, style: ScreenStyle): string => paint(1, text, style)
const dim = (text: string, style: ScreenStyle): string => paint(2, text, style)

/** Escapes text and fits it into a cell of `width` characters. */
const cell = (text: string, width: number): string => {
  const shown = clip(escapeTerminal(text), width)
  return shown + ' '.repeat(Math.max(0, width - [...shown].length))
}

/** Null while the row is open; `by` of an earlier review. */
export type Chosen =
  | (({ readonly kind: 'accept'; readonly company: string } | { readonly kind: 'reject' }) & {
      readonly by?: string
    })
  | null

/** Row `at` of `of`, from 1. */
export function screenOf(
  row: ReviewRow,
  { at, of }: { readonly at: number; readonly of: number },
  chosen: Chosen,
  style: ScreenStyle,
): string {
  const { width } = style
  const head = `${at} of ${of} to review · row ${row.row}${row.key === null ? '' : ` · ${row.key}`}`
  const fits = Math.max(1, Math.floor((width - LABEL) / (MIN_COLUMN + GAP)) - 1)
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
  const names = [...new Set(['name', ...Object.keys(row.cells), 'register', 'otherIds'])].filter(
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
    ...(chosen === null ? [] : [bold(clip(escapeTerminal(wordsOf(chosen)), width), style), '']),
    dim(clip(keyLine('terminal', row.candidates.length), width), style),
    '',
  ].join('\n')
}

function wordsOf(chosen: NonNullable<Chosen>): string {
  const by = chosen.by === undefined ? '' : `, decided earlier${chosen.by === '' ? '' : ` by ${chosen.by}`}`
  return `${chosen.kind === 'accept' ? `✓ ${chosen.company}` : '✗ none of these'}${by}`
}

/** Text that differs from the row is yellow; without colour only the reasons show it. */
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
