/**
 * What people decided about rows: one line for a row and a company. Later lines win over earlier ones, lines whose time is over
 * are passed over. It is given lines and knows no file and no clock.
 */

/** The columns of a decisions file; the first two must be there. */
export const DECISION_COLUMNS = ['fingerprint', 'decision', 'company', 'companyName', 'name', 'by', 'at', 'expires'] as const

/** One line: this row is that company, or is not; without a company a row is none of those it could be. `undo` takes back. */
export interface Decision {
  readonly fingerprint: string
  readonly decision: 'accept' | 'reject' | 'undo'
  readonly company: string
  readonly companyName: string
  /** The row's own name, for whoever reads the file. */
  readonly name: string
  readonly by: string
  /** UTC, with or without a time. */
  readonly at: string
  /** The last day it holds, '' for ever. */
  readonly expires: string
}

/** What holds for one row. */
export interface Verdict {
  /** The company it is. */
  readonly accepted: Decision | null
  /** The companies it is not. */
  readonly rejected: ReadonlyMap<string, Decision>
  /** It is none of those it could be. */
  readonly none: Decision | null
}

const OPEN: Verdict = { accepted: null, rejected: new Map(), none: null }

function after({ accepted, rejected, none }: Verdict, line: Decision): Verdict {
  const { decision, company } = line
  if (decision === 'undo') return OPEN
  if (decision === 'accept')
    return { accepted: line, rejected: new Map([...rejected].filter(([id]) => id !== company)), none: null }
  if (company === '') return { accepted: null, rejected, none: line }
  return {
    accepted: accepted?.company === company ? null : accepted,
    rejected: new Map([...rejected, [company, line]]),
    none,
  }
}

const isDecided = ({ accepted, rejected, none }: Verdict): boolean => accepted !== null || rejected.size > 0 || none !== null

/** The decisions of a file, by row. */
export class Decisions {
  /** Lines whose time is over. */
  readonly expired: number
  readonly #verdicts = new Map<string, Verdict>()

  /** `today` is a UTC day, such as 2026-11-21. */
  constructor(lines: readonly Decision[], today: string) {
    const valid = lines.filter(({ expires }) => expires === '' || expires >= today)
    this.expired = lines.length - valid.length
    for (const line of valid) this.#verdicts.set(line.fingerprint, after(this.of(line.fingerprint) ?? OPEN, line))
    for (const [fingerprint, verdict] of this.#verdicts) if (!isDecided(verdict)) this.#verdicts.delete(fingerprint)
  }

  /** Rows that something was decided about. */
  get rows(): number {
    return this.#verdicts.size
  }

  /** What was decided about a row. */
  of(fingerprint: string): Verdict | undefined {
    return this.#verdicts.get(fingerprint)
  }
}

/** Two lines that cannot both hold: a row can be one company only. The first such pair of each row. */
export function contradictions(lines: readonly Decision[]): (readonly [earlier: number, later: number])[] {
  const accepted = new Map<string, number>()
  const found = new Map<string, readonly [number, number]>()
  for (const [at, { fingerprint, decision, company }] of lines.entries()) {
    const before = accepted.get(fingerprint)
    if (decision === 'accept') {
      if (before !== undefined && lines[before]!.company !== company && !found.has(fingerprint))
        found.set(fingerprint, [before, at])
      accepted.set(fingerprint, at)
    } else if (before !== undefined && (decision === 'undo' || company === '' || company === lines[before]!.company))
      accepted.delete(fingerprint)
  }
  return [...found.values()]
}

/** The lines of a file once others are added: what is decided anew about a row takes the place of all that was. */
export function mergeDecisions(old: readonly Decision[], added: readonly Decision[]): Decision[] {
  const anew = new Set(added.map(({ fingerprint }) => fingerprint))
  const undone = (line: Decision, at: number): boolean =>
    added.slice(at).some(later => later.decision === 'undo' && later.fingerprint === line.fingerprint)
  const hasUndo = added.some(({ decision }) => decision === 'undo')
  return [
    ...old.filter(({ fingerprint }) => !anew.has(fingerprint)),
    ...(hasUndo ? added.filter((line, at) => !undone(line, at)) : added),
  ]
}

/** A line as cells, in the order of DECISION_COLUMNS. */
export const decisionCells = (line: Decision): string[] => DECISION_COLUMNS.map(column => line[column])
