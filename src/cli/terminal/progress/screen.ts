/**
 * The foot of a terminal that is drawn over: the lines of everything that is going on, and what is said above them. It fits lines
 * to the terminal and knows nothing of what they say.
 */
import stringWidth from 'string-width'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import type { Io } from '../io.ts'

/** Drawn over at most so often; and at least so often, for the clocks in it. */
const REDRAW_MS = 100
const TICK_MS = 1_000

/** Something that is going on: `most` lines at the time `now`. */
export type Part = (now: number, most: number) => readonly string[]

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Text cleaned, in at most so many columns, where a wide character takes two. */
export function fitted(text: string, columns: number): string {
  const line = escapeTerminal(text)
  if (stringWidth(line) <= columns) return line
  let width = 0
  let kept = ''
  for (const { segment } of graphemes.segment(line)) {
    width += stringWidth(segment)
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

const SCREENS = new WeakMap<Io, Screen>()

/** The foot of one terminal, shared by all that is shown there. */
export class Screen {
  readonly #io: Io
  readonly #parts = new Set<Part>()
  #drawn = 0
  #drawnAt = Number.NEGATIVE_INFINITY
  #clock: NodeJS.Timeout | null = null

  /** The screen of a terminal. */
  static of(io: Io): Screen {
    const screen = SCREENS.get(io) ?? new Screen(io)
    SCREENS.set(io, screen)
    return screen
  }

  private constructor(io: Io) {
    this.#io = io
  }

  /** Shows a part below the others. */
  add(part: Part): void {
    this.#parts.add(part)
    this.#clock ??= setInterval(() => this.#draw(), TICK_MS)
    this.#clock.unref()
  }

  /** Takes a part away; the last leaves a fresh line. */
  remove(part: Part): void {
    if (!this.#parts.delete(part)) return
    if (this.#parts.size > 0) this.#draw()
    else {
      if (this.#clock !== null) clearInterval(this.#clock)
      this.#clock = null
      this.#io.draw(this.#erase())
    }
  }

  /** A part has changed. */
  changed(isWorthIt: boolean): void {
    if (this.#parts.size > 0 && (isWorthIt || performance.now() - this.#drawnAt >= REDRAW_MS)) this.#draw()
  }

  /** Says something that stays, above what is drawn over. */
  above(text: string): void {
    this.#io.draw(this.#erase())
    this.#io.say(escapeTerminal(text))
    if (this.#parts.size > 0) this.#draw()
  }

  #draw(): void {
    const now = performance.now()
    const columns = Math.max(10, this.#io.columns() - 1)
    // The line above stays in sight.
    const room = Math.max(1, this.#io.rows() - 2)
    const share = Math.max(1, Math.floor(room / Math.max(1, this.#parts.size)))
    const lines = [...this.#parts].flatMap(part => part(now, share)).slice(0, room)
    this.#drawnAt = now
    this.#io.draw(this.#erase() + lines.map(line => fitted(line, columns)).join('\n'))
    this.#drawn = lines.length
  }

  #erase(): string {
    const above = Math.max(0, this.#drawn - 1)
    this.#drawn = 0
    return `\r\x1b[2K${'\x1b[1A\x1b[2K'.repeat(above)}`
  }
}
