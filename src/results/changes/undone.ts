/**
 * Finds decisions that the last good run applied and this one does not, although their row is still in the list. A row that left
 * the list is not undone. Without a key a row with other cells is a new row: it is recognised by its name.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MASK } from '../../model/list.ts'
import type { RowChange } from '../../model/results.ts'
import type { Decision } from '../decisions/decision.ts'
import { type Decisions, requireDecisions } from '../decisions/decisions.ts'
import { APPLIED_FILE } from '../file-names.ts'
import { comparable } from '../row-fingerprint.ts'
import type { JoinedRow, RowSink } from '../row-sink.ts'
import type { RowState, RowStates } from './row-states.ts'

export interface Undone {
  /** Rows with the same key or cells. */
  readonly same: readonly RowChange[]
  /** Rows with the same name and other cells. */
  readonly renewed: readonly RowChange[]
  /** Decisions whose row has another name now, or left the list. */
  readonly unclear: number
}

export class UndoneFinder implements RowSink {
  /** Decisions of the last good run that are still in force, by row. */
  readonly #before: ReadonlyMap<string, Decision>
  readonly #decisions: Decisions
  readonly #names: ReadonlySet<string>
  /** Rows that the last good run had under the names of decided rows: none of them is a decided row with other cells. */
  readonly #known = new Set<string>()
  readonly #isDecided = new Set<string>()
  /** Rows of this list without the decision, by fingerprint, and new ones by name. */
  readonly #open = new Map<string, RowState>()

  private constructor(before: ReadonlyMap<string, Decision>, decisions: Decisions) {
    this.#before = before
    this.#decisions = decisions
    this.#names = new Set([...before.values()].map(({ name }) => comparable(name)).filter(name => name !== '' && name !== MASK))
  }

  /** Null where the run in `workDir` applied no decision that is still in force. Throws FETTLE_DECISIONS. */
  static async open(workDir: string, states: RowStates | null, decisions: Decisions): Promise<UndoneFinder | null> {
    const path = join(workDir, APPLIED_FILE)
    const applied = existsSync(path) ? await requireDecisions(path) : []
    const before = new Map(applied.flatMap(line => (decisions.of(line.fingerprint) ? [[line.fingerprint, line] as const] : [])))
    if (before.size === 0) return null
    const finder = new UndoneFinder(before, decisions)
    for await (const { name, question } of states?.rows() ?? [])
      if (finder.#names.has(comparable(name))) finder.#known.add(question)
    return finder
  }

  add({ state, fingerprints, result }: JoinedRow): void {
    if (state === null) return
    const name = comparable(state.name)
    const isNew = this.#names.has(name) && !this.#known.has(state.question)
    for (const id of isNew ? [...fingerprints, name] : fingerprints) {
      if (id !== name && !this.#before.has(id)) continue
      if (result.decided !== null) this.#isDecided.add(id)
      else if (!this.#open.has(id)) this.#open.set(id, state)
    }
  }

  /** `isSameKey`: both runs name their rows by the same column, so that a row whose key is gone left the list. */
  find(isSameKey: boolean): Undone {
    const [same, renewed]: [RowChange[], RowChange[]] = [[], []]
    let unclear = 0
    for (const [id, line] of this.#before) {
      if (this.#isDecided.has(id)) continue
      const state = this.#open.get(id)
      const name = comparable(line.name)
      if (state !== undefined) {
        // A company that was rejected and is proposed no more needs no rejection.
        const { accepted, none } = this.#decisions.of(id)!
        if (accepted !== null || none !== null || state.outcome === 'failed') same.push(undone(line, state, 'answer'))
      } else if (!(isSameKey && id.startsWith('k')) && !this.#isDecided.has(name)) {
        const other = this.#open.get(name)
        if (other === undefined) unclear++
        else renewed.push(undone(line, other, 'list'))
      }
    }
    return { same, renewed, unclear }
  }
}

function undone(line: Decision, { row, key, name, outcome, company }: RowState, cause: RowChange['cause']): RowChange {
  const before =
    line.decision === 'accept'
      ? { outcome: 'manualMatched', company: { id: line.company, name: line.companyName } }
      : { outcome: 'unmatched', company: { id: '', name: '' } }
  return { kind: 'undone', cause, row, key, name, before, after: { outcome, company: { ...company } }, columns: [] }
}
