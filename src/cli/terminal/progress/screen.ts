/** The redrawn lines at the bottom of a terminal, shared by all displays, and the permanent lines above them. */
import stringWidth from 'fast-string-width'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import type { Io } from '../io.ts'

/** The shortest interval between two redraws, and the longest: elapsed times must advance. */
const REDRAW_MS = 100
const TICK_MS = 1_000

/** Returns up to `most` lines to show at time `now`. */
export type Part = (now: number, most: number) => readonly string[]

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Escapes text and cuts it to `columns`; a wide character takes two. */
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

export class Screen {
  readonly #io: Io
  readonly #parts = new Set<Part>()
  #drawn = 0
  #drawnAt = Number.NEGATIVE_INFINITY
  #clock: NodeJS.Timeout | null = null

  static of(io: Io): Screen {
    const screen = SCREENS.get(io) ?? new Screen(io)
    SCREENS.set(io, screen)
    return screen
  }

  private constructor(io: Io) {
    this.#io = io
  }

  add(part: Part): void {
    this.#parts.add(part)
    this.#clock ??= setInterval(() => this.#draw(), TICK_MS)
    this.#clock.unref()
  }

  /** After the last part the cursor is at the start of an empty line. */
  remove(part: Part): void {
    if (!this.#parts.delete(part)) return
    if (this.#parts.size > 0) this.#draw()
    else {
      if (this.#clock !== null) clearInterval(this.#clock)
      this.#clock = null
      this.#io.draw(this.#erase())
    }
  }

  /** Redraws after a change; a minor change may be skipped. */
  changed(isMajor: boolean): void {
    if (this.#parts.size > 0 && (isMajor || performance.now() - this.#drawnAt >= REDRAW_MS)) this.#draw()
  }

  above(text: string): void {
    this.#io.draw(this.#erase())
    this.#io.err(escapeTerminal(text))
    if (this.#parts.size > 0) this.#draw()
  }

  #draw(): void {
    const now = performance.now()
    const columns = Math.max(10, this.#io.columns() - 1)
    // One permanent line stays visible.
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

const SILENCE_MS = 30_000
const CHECK_MS = 1_000

/** Calls `onSilence` after each 30 seconds without a beat. */
export function heartbeat(onSilence: () => void) {
  let lastAt = performance.now()
  const beat = (): void => {
    lastAt = performance.now()
  }
  const clock = setInterval(() => {
    if (performance.now() - lastAt < SILENCE_MS) return
    beat()
    onSilence()
  }, CHECK_MS)
  clock.unref()
  return { beat, stop: () => clearInterval(clock) }
}
