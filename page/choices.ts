/**
 * What the reader decides, row by row; rows that are alike are decided together. Kept by the browser under the run, as far as it
 * lets a page keep anything, and written out as lines of a decisions file. It knows no element.
 */
import { DECISION_COLUMNS, type Decision } from '../src/results/decisions/decisions.ts'
import type { Row } from './rows.ts'

/** How a row stands. */
export type Judgment = 'open' | 'accepted' | 'rejected' | 'later'

/** One choice: `company` is the id of the candidate that was accepted. */
interface Choice {
  readonly kind: 'accept' | 'reject' | 'later' | 'undo'
  readonly company: string
  readonly at: string
}

const JUDGMENT = { accept: 'accepted', reject: 'rejected', later: 'later', undo: 'open' } as const

/** The choices made on this page. */
export class Choices {
  by = ''
  expires = ''
  readonly #key: string
  readonly #rows: readonly Row[]
  readonly #choices = new Map<string, Choice>()

  constructor(run: string, rows: readonly Row[]) {
    this.#key = `fettle review ${run}`
    this.#rows = rows
    this.#load()
  }

  judgment({ fingerprint, decision }: Row): Judgment {
    const choice = this.#choices.get(fingerprint)
    if (choice !== undefined) return JUDGMENT[choice.kind]
    return decision === null ? 'open' : JUDGMENT[decision.decision]
  }

  /** The id of the company that the row was given, null for none. */
  company({ fingerprint, decision }: Row): string | null {
    const choice = this.#choices.get(fingerprint)
    if (choice !== undefined) return choice.kind === 'accept' ? choice.company : null
    return decision?.decision === 'accept' ? decision.company : null
  }

  /** Decides about a row, and those like it; `undo` takes back whatever was decided. */
  choose({ fingerprint, decision }: Row, kind: Choice['kind'], company = ''): void {
    if (kind === 'undo' && decision === null) this.#choices.delete(fingerprint)
    else this.#choices.set(fingerprint, { kind, company, at: new Date().toISOString() })
    this.save()
  }

  /** Decided here and not yet written out are as many rows. */
  get size(): number {
    return [...this.#choices.values()].filter(({ kind }) => kind !== 'later').length
  }

  /** The decisions as a file. What is rejected is every company that was shown, so that another may be proposed later. */
  file(): string {
    const done = new Set<string>()
    const lines = this.#rows.flatMap(row => {
      const choice = this.#choices.get(row.fingerprint)
      if (choice === undefined || choice.kind === 'later' || done.has(row.fingerprint)) return []
      done.add(row.fingerprint)
      return this.#linesOf(row, choice)
    })
    return `${[DECISION_COLUMNS, ...lines.map(line => DECISION_COLUMNS.map(column => line[column]))].map(csvLine).join('\n')}\n`
  }

  /** Keeps the choices; a browser that keeps nothing for a page from a file loses them with the page. */
  save(): void {
    try {
      localStorage.setItem(this.#key, JSON.stringify([this.by, this.expires, [...this.#choices]]))
    } catch {
      // They can be downloaded all the same.
    }
  }

  #linesOf({ fingerprint, name, candidates }: Row, { kind, company, at }: Choice): Decision[] {
    const line = { fingerprint, name, by: this.by, at, expires: this.expires }
    const companyName = candidates.find(({ id }) => id === company)?.name ?? ''
    if (kind === 'undo') return [{ ...line, decision: 'undo', company: '', companyName: '' }]
    if (kind === 'accept') return [{ ...line, decision: 'accept', company, companyName }]
    const known = candidates.filter(({ id }) => id !== '')
    if (known.length === 0) return [{ ...line, decision: 'reject', company: '', companyName: '' }]
    return known.map(({ id, name }) => ({ ...line, decision: 'reject', company: id, companyName: name }))
  }

  #load(): void {
    try {
      const [by, expires, choices] = JSON.parse(localStorage.getItem(this.#key) ?? '["","",[]]')
      this.by = by
      this.expires = expires
      for (const [fingerprint, choice] of choices) this.#choices.set(fingerprint, choice)
    } catch {
      // Nothing was kept.
    }
  }
}

/** A line of CSV, quoted where it must be. */
const csvLine = (cells: readonly string[]): string =>
  cells
    .map(cell => cell.replaceAll('\0', ''))
    .map(cell => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
