/** The right answers of a list: a column of it, or the decisions of people about its rows. */
import { FettleError, type Issue } from '../errors.ts'
import type { Plan } from '../pipeline/index.ts'
import { resolveKey } from '../pipeline/planning/headers.ts'
import { Decisions, requireDecisions } from '../results/index.ts'
import { fingerprinter, keyFingerprint } from '../results/row-fingerprint.ts'

/** Reads rows. The companies that are right, by their ids; empty for a row that the register does not have, null for an unknown answer. */
export interface Truth {
  /** `the column Company No`, for messages. */
  readonly name: string
  answersOf(inputRow: readonly string[], uploadRow: readonly string[]): readonly string[] | null
}

/** How several companies are written in one cell, as in a register. */
const SEPARATOR = '|'

/** Of an earlier output: rows that it did not decide. */
const UNDECIDED: readonly (string | undefined)[] = ['review', 'failed', 'skipped']

/** Throws FETTLE_INPUT_HEADER for a column that the list does not have, FETTLE_TRUTH for one that is matched by. */
export function truthInColumn({ input, mappings }: Plan, column: string): Truth {
  const [, number] = /^#(\d+)$/.exec(column) ?? []
  const reference = number === undefined ? { header: column, index: null } : { header: null, index: Number(number) - 1 }
  const at = { file: input.path, line: 1, column: null }
  const found = resolveKey(reference, input, { name: '--truth', at })
  if (found.column === undefined) throw errorOf(found.issues[0]!)
  const { index } = found.column
  const mapping = mappings.find(mapping => mapping.index === index)
  if (mapping !== undefined)
    throw new FettleError(
      'FETTLE_TRUTH',
      `the column ${column} is mapped as ${mapping.mapping}: rows would be matched by their answers`,
      {
        at,
        hint: 'Name a column that is not mapped, or evaluate with a pipeline that does not map it.',
      },
    )
  const outcomeAt = input.header?.indexOf('match.outcome') ?? -1
  return {
    name: `the column ${column}`,
    answersOf: inputRow =>
      UNDECIDED.includes(inputRow[outcomeAt])
        ? null
        : (inputRow[index] ?? '')
            .split(SEPARATOR)
            .map(text => text.trim())
            .filter(text => text !== ''),
  }
}

const errorOf = ({ code, message, hint, at }: Issue): FettleError =>
  new FettleError(code, message, { hint: hint ?? undefined, at })

/** A row whose companies were all rejected is one that the register does not have. Throws FETTLE_DECISIONS. */
export async function truthInDecisions(plan: Plan, path: string, today: string, root: string): Promise<Truth> {
  const decisions = new Decisions(await requireDecisions(path, root), today)
  const fingerprintOf = fingerprinter(plan)
  return {
    name: path,
    answersOf(inputRow, uploadRow) {
      const key = keyFingerprint(plan, inputRow[plan.key?.index ?? 0] ?? '')
      const verdict = decisions.about([key, fingerprintOf(uploadRow)])
      if (verdict === undefined) return null
      return verdict.accepted === null ? [] : [verdict.accepted.company]
    },
  }
}
