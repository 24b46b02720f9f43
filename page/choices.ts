/** The decisions of the reader, shared by equal rows. Stored by the browser for each run if it allows that, and exported as a decisions file. */
import { DECISION_COLUMNS, type Decision } from '../src/results/decisions/decision.ts'
import type { Row } from './rows.ts'

/** The lines of a file with the choices about a row. */
export interface ChoiceFile {
  readonly name: string
  readonly columns: readonly string[]
  /** It replaces the file of earlier decisions: those that stand are written again. */
  readonly isWhole?: true
  readonly linesOf: (row: Row, choice: Choice, signature: Signature) => readonly Readonly<Record<string, string>>[]
}

interface Signature {
  readonly by: string
  readonly at: string
  readonly expires: string
}

export type Judgment = 'open' | 'accepted' | 'rejected' | 'later'

/** `company` is the id of the accepted candidate. */
export interface Choice {
  readonly kind: 'accept' | 'reject' | 'later' | 'undo'
  readonly company: string
  readonly at: string
}

const JUDGMENT = { accept: 'accepted', reject: 'rejected', later: 'later', undo: 'open' } as const

export class Choices {
  by = ''
  expires = ''
  readonly #key: string
  readonly #rows: readonly Row[]
  readonly #choices = new Map<string, Choice>()
  readonly #file: ChoiceFile
  /** Rows in the order of their choices, for `undoLast`. */
  readonly #made: Row[] = []

  constructor(key: string, rows: readonly Row[], file: ChoiceFile) {
    this.#key = key
    this.#file = file
    this.#rows = rows
    this.#load()
  }

  judgment({ fingerprint, decision }: Row): Judgment {
    const choice = this.#choices.get(fingerprint)
    if (choice !== undefined) return JUDGMENT[choice.kind]
    return decision === null ? 'open' : JUDGMENT[decision.decision]
  }

  /** The id of the accepted company, null for none. */
  company({ fingerprint, decision }: Row): string | null {
    const choice = this.#choices.get(fingerprint)
    if (choice !== undefined) return choice.kind === 'accept' ? choice.company : null
    return decision?.decision === 'accept' ? decision.company : null
  }

  /** Decides about a row and its equals; `undo` removes the decision. */
  choose(row: Row, kind: Choice['kind'], company = ''): void {
    const { fingerprint, decision } = row
    if (kind !== 'undo') this.#made.push(row)
    if (kind === 'undo' && decision === null) this.#choices.delete(fingerprint)
    else this.#choices.set(fingerprint, { kind, company, at: new Date().toISOString() })
    this.save()
  }

  /** The row of the last choice that is not undone, null for none. */
  last(): Row | null {
    let row = this.#made.pop()
    while (row !== undefined && this.judgment(row) === 'open') row = this.#made.pop()
    return row ?? null
  }

  /** Accepts the best company of each row that has one; returns the number of rows. */
  acceptBest(rows: readonly Row[]): number {
    const at = new Date().toISOString()
    const able = rows.filter(({ candidates }) => (candidates[0]?.id ?? '') !== '')
    for (const { fingerprint, candidates } of able)
      this.#choices.set(fingerprint, { kind: 'accept', company: candidates[0]!.id, at })
    this.save()
    return able.length
  }

  /** Number of decided rows. */
  get size(): number {
    return [...this.#choices.values()].filter(({ kind }) => kind !== 'later').length
  }

  get fileName(): string {
    return this.#file.name
  }

  /** The decisions as CSV. */
  file(): string {
    const { columns, linesOf, isWhole } = this.#file
    const done = new Set<string>()
    const lines = this.#rows.flatMap(row => {
      const earlier = isWhole && row.decision !== null ? { at: '', company: '', kind: row.decision.decision } : undefined
      const choice = this.#choices.get(row.fingerprint) ?? earlier
      if (choice === undefined || choice.kind === 'later' || done.has(row.fingerprint)) return []
      done.add(row.fingerprint)
      return linesOf(row, choice, { by: this.by, at: choice.at, expires: this.expires })
    })
    return `${[columns, ...lines.map(line => columns.map(column => line[column] ?? ''))].map(csvLine).join('\n')}\n`
  }

  /** Some browsers store nothing for a page from a file: the choices are lost with the page. */
  save(): void {
    try {
      localStorage.setItem(this.#key, JSON.stringify([this.by, this.expires, [...this.#choices]]))
    } catch {
      // The file can still be downloaded.
    }
  }

  #load(): void {
    try {
      const [by, expires, choices] = JSON.parse(localStorage.getItem(this.#key) ?? '["","",[]]')
      this.by = by
      this.expires = expires
      for (const [fingerprint, choice] of choices) this.#choices.set(fingerprint, choice)
    } catch {
      // Nothing is stored.
    }
  }
}

/** A rejection names every company shown, so that another may be proposed later. */
export const ROW_FILE: ChoiceFile = {
  name: 'decisions.csv',
  columns: DECISION_COLUMNS,
  linesOf({ fingerprint, name, candidates }, { kind, company }, signature): readonly (Decision & Record<string, string>)[] {
    const line = { fingerprint, name, ...signature, company: '', companyName: '' }
    if (kind === 'undo') return [{ ...line, decision: 'undo' }]
    if (kind === 'accept') {
      const companyName = candidates.find(({ id }) => id === company)?.name ?? ''
      return [{ ...line, decision: 'accept', company, companyName }]
    }
    const known = candidates.filter(({ id }) => id !== '')
    if (known.length === 0) return [{ ...line, decision: 'reject' }]
    return known.map(({ id, name }) => ({ ...line, decision: 'reject', company: id, companyName: name }))
  },
}

const csvLine = (cells: readonly string[]): string =>
  cells
    .map(cell => cell.replaceAll('\0', ''))
    .map(cell => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
