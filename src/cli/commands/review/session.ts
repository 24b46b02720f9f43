/** A review at the terminal, one row after the other, one key each. Every decision is stored at once: a closed terminal loses none. */

import {
  actionOfKey,
  clip,
  escapeTerminal,
  isUnmatched,
  keyLine,
  keyTexts,
  reasonsOf,
  wordsBeside,
} from '../../../report/index.ts'
import type { Decision } from '../../../results/index.ts'
import type { ReviewRow } from '../../../runs/review-rows.ts'
import type { Io } from '../../terminal/io.ts'

export interface Session {
  readonly rows: readonly ReviewRow[]
  readonly listLines: (row: ReviewRow, chosen: NonNullable<Chosen> | null) => readonly Decision[]
  /** The decision of an earlier review, null for none. */
  readonly earlier: (row: ReviewRow) => Chosen
  /** The decisions file has a line about the row. */
  readonly isStored: (row: ReviewRow) => boolean
  readonly search: CompanySearch
  /** Stores the decisions made so far. */
  readonly keep: (lines: readonly Decision[]) => Promise<void>
}

export type Keys = AsyncGenerator<string, void, void>

/** Finds companies for a row by what a person types: an id, or a name and perhaps `, GB`. */
export interface CompanySearch {
  /** What may be typed, or why nothing may. */
  readonly prompt: string
  readonly isPossible: boolean
  find(text: string, row: ReviewRow): Promise<Candidate[]>
}

type Candidate = ReviewRow['candidates'][number]

/** Runs until the last row is decided or `q` is pressed, and shows postponed rows a second time; returns the decisions. */
export async function runReviewSession(io: Io, session: Session): Promise<readonly Decision[]> {
  const { rows, listLines, earlier, isStored, keep } = session
  const chosen = new Map<string, NonNullable<Chosen> | 'undone'>()
  const found = new Map<string, Candidate[]>()
  const keys = readKeys(io)
  const lines = (): Decision[] => {
    const seen = new Map(rows.map(row => [row.fingerprint, row]))
    return [...chosen].flatMap(([fingerprint, choice]) => listLines(seen.get(fingerprint)!, choice === 'undone' ? null : choice))
  }
  const set = async (row: ReviewRow, choice: NonNullable<Chosen> | 'undone'): Promise<void> => {
    chosen.set(row.fingerprint, choice)
    await keep(lines())
  }
  const undo = async (row: ReviewRow): Promise<void> => {
    if (isStored(row)) return set(row, 'undone')
    if (chosen.delete(row.fingerprint)) await keep(lines())
  }
  const known = (row: ReviewRow): Chosen => {
    const choice = chosen.get(row.fingerprint) ?? earlier(row)
    return choice === 'undone' ? null : choice
  }
  /** The rows, then those that were postponed. */
  const shown = [...rows]
  /** Places where a key decided or passed over a row, the last one last. */
  const made: number[] = []
  const postpone = (at: number): void => {
    if (at < rows.length && !shown.includes(rows[at]!, rows.length)) shown.push(rows[at]!)
  }
  const previous = (at: number): number => {
    let to = at - 1
    while (to >= rows.length && known(shown[to]!) !== null) to--
    return Math.max(0, to)
  }
  try {
    for (let at = 0; at < shown.length; ) {
      const row = { ...shown[at]!, candidates: found.get(shown[at]!.fingerprint) ?? shown[at]!.candidates }
      if (at >= rows.length && known(row) !== null) {
        at++
        continue
      }
      const style = { width: Math.min(160, io.columns()), colour: io.colour.err }
      const again = shown.length - rows.length
      const position = at < rows.length ? `${at + 1} of ${rows.length}` : `postponed, ${at - rows.length + 1} of ${again}`
      draw(io, renderScreen(row, position, known(row), style))
      const { value: key } = await keys.next()
      if (key === undefined || key === '\x03' || key === '\x04') break
      const action = actionOfKey(key, 'terminal')
      if (action === 'finish') break
      const candidate = row.candidates[action === 'best' ? 0 : action === 'nth' ? Number(key) - 1 : -1]
      if (candidate !== undefined && candidate.id !== '') {
        await set(row, { kind: 'accept', company: candidate.id, companyName: candidate.name })
        made.push(at++)
      } else if (action === 'none') {
        await set(row, { kind: 'reject' })
        made.push(at++)
      } else if (action === 'undo') {
        if (known(row) === null) at = made.pop() ?? at
        await undo(shown[at]!)
      } else if (action === 'later') {
        postpone(at)
        made.push(at++)
      } else if (action === 'next') at++
      else if (action === 'help') await showKeys(keys, io, 'rows', row.candidates.length)
      else if (action === 'back') at = previous(at)
      else if (action === 'search') {
        const companies = await searchCompanies(keys, io, session.search, shown[at]!)
        if (companies !== null) found.set(row.fingerprint, companies)
      }
    }
    return lines()
  } finally {
    await keys.return()
    io.draw('\x1b[2J\x1b[H')
  }
}

const draw = (io: Io, text: string): void => io.draw(`\x1b[2J\x1b[H${text.replaceAll('\n', '\r\n')}`)

const ENTER = ['\r', '\n']
const ERASE = ['\x7f', '\b']
const CLEAR = '\x15'

/** Reads what to search for, until it finds something or nothing is typed; null to keep what is shown. */
async function searchCompanies(keys: Keys, io: Io, search: CompanySearch, row: ReviewRow): Promise<Candidate[] | null> {
  let text = ''
  let note = ''
  for (;;) {
    const own = `row ${row.row}: ${Object.values(row.cells).filter(Boolean).join(' · ')}`
    const width = Math.min(160, io.columns())
    const head = [...wrap(escapeTerminal(own), width), '', ...wrap(search.prompt, width), '', ...wrap(note, width)]
    draw(io, [...head, search.isPossible ? `> ${escapeTerminal(text)}` : 'any key: back to the review'].join('\n'))
    const { value: key } = await keys.next()
    if (key === undefined || key === '\x03' || key === '\x04' || !search.isPossible) return null
    if (ENTER.includes(key)) {
      if (text.trim() === '') return null
      const found = await search.find(text.trim(), row)
      if (found.length > 0) return found
      note = `nothing is found for ${escapeTerminal(text.trim())}`
    } else if (key === CLEAR) text = ''
    else if (ERASE.includes(key)) text = [...text].slice(0, -1).join('')
    else if (key >= ' ') text += key
  }
}

/** Lines of whole words; a longer word has its own line. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** All keys, one a line, until the next one. */
export async function showKeys(keys: Keys, io: Io, about: 'rows' | 'hits', candidates = 5): Promise<void> {
  const lines = ['keys', '', ...keyTexts('terminal', about, candidates).slice(0, -1), '', 'any key: back to the review', '']
  io.draw(`\x1b[2J\x1b[H${lines.join('\r\n')}`)
  await keys.next()
}

/** Keys as they are pressed, one character each; escape sequences are skipped. Ends with the signal or the input. */
export async function* readKeys(io: Io): Keys {
  const stdin = io.stdin()
  const stop = (): void => void stdin.destroy()
  io.signal.addEventListener('abort', stop, { once: true })
  stdin.setRawMode?.(true)
  try {
    for await (const piece of stdin) yield* String(piece).replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?/g, '')
  } catch (error) {
    if (!io.signal.aborted) throw error
  } finally {
    io.signal.removeEventListener('abort', stop)
    stdin.setRawMode?.(false)
    stdin.destroy()
  }
}

export type ScreenStyle = { readonly width: number; readonly colour: boolean }

const LABEL = 11
const MIN_COLUMN = 24
const GAP = 2

const paint = (code: number, text: string, { colour }: ScreenStyle): string => (colour ? `\x1b[${code}m${text}\x1b[0m` : text)
export const bold = (text: string, style: ScreenStyle): string => paint(1, text, style)
export const dim = (text: string, style: ScreenStyle): string => paint(2, text, style)

/** Text that is cut ends with a whole word, unless that would leave less than half of it. */
function clipWords(text: string, width: number): string {
  const shown = clip(text, width)
  const end = shown.lastIndexOf(' ')
  return shown.length < text.length && end > width / 2 ? `${shown.slice(0, end)}…` : shown
}

/** Escapes text and fits it into a cell of `width` characters. */
const cell = (text: string, width: number): string => {
  const shown = clipWords(escapeTerminal(text), width)
  return shown + ' '.repeat(Math.max(0, width - [...shown].length))
}

/** Null while the row is open; `by` of an earlier review. */
export type Chosen =
  | { readonly kind: 'accept'; readonly company: string; readonly companyName?: string; readonly by?: string }
  | { readonly kind: 'reject'; readonly by?: string }
  | null

/** `position`: such as `2 of 10`. */
function renderScreen(row: ReviewRow, position: string, chosen: Chosen, style: ScreenStyle): string {
  const { width } = style
  const head = `${position}${isUnmatched(row) ? ', unmatched' : ' to review'} · row ${row.row}${row.key === null ? '' : ` · ${row.key}`}`
  const fits = Math.max(1, Math.floor((width - LABEL) / (MIN_COLUMN + GAP)) - 1)
  const beside = row.candidates.slice(0, fits)
  const column = Math.min(44, Math.max(12, Math.floor((width - LABEL) / (beside.length + 1)) - GAP))
  const line = (label: string, own: string, theirs: readonly string[]): string =>
    `${dim(cell(label, LABEL), style)}${[own, ...theirs].join(' '.repeat(GAP))}`.trimEnd()
  const renderCells = (name: string): string => {
    const own = row.cells[name] ?? ''
    const theirs = beside.map(candidate => {
      const text = candidate.fields[name] ?? (name === 'name' ? candidate.name : '')
      return differing(cell(text === '' ? '–' : text, column), text, own, style)
    })
    return line(name, cell(own === '' ? '–' : own, column), theirs)
  }
  const names = [...new Set(['name', ...Object.keys(row.cells), 'register', 'otherIds'])].filter(
    name => (row.cells[name] ?? '') !== '' || beside.some(candidate => (candidate.fields[name] ?? '') !== ''),
  )
  const title = (n: number): string => `${n + 1}  ${row.candidates[n]!.score?.toFixed(2) ?? '–'}  ${row.candidates[n]!.id}`
  const titles = beside.map((_, n) => bold(cell(title(n), column), style))
  return [
    bold(clipWords(escapeTerminal(head), width), style),
    '',
    line('', cell('your row', column), titles),
    ...names.map(renderCells),
    '',
    ...beside.map((candidate, n) => `${n + 1}  ${reasonsIn(candidate.why || row.why, width - 3, style)}`),
    ...row.candidates
      .slice(fits)
      .map((candidate, n) => clipWords(escapeTerminal(`${title(fits + n)}  ${candidate.name}`), width)),
    ...(row.candidates.length === 0 ? ['no company is proposed'] : []),
    '',
    ...(chosen === null ? [] : [bold(clipWords(escapeTerminal(describeChoice(chosen)), width), style), '']),
    dim(keyLine(width, 'rows', row.candidates.length), style),
    '',
  ].join('\n')
}

function describeChoice(chosen: NonNullable<Chosen>): string {
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
