/**
 * Decisions about pairs of companies of a list: the table that a person fills in, and how it is read back. A company is known by a digest of
 * the cells that it is compared by: a decision about rows that have changed finds none.
 */
import { errorOfIssues, type Issue } from '../errors.ts'
import { decisionIssue, fewIssues, readDecisionTable } from '../results/index.ts'
import { FINGERPRINT, fingerprinter } from '../results/row-fingerprint.ts'
import type { Couple } from '../service/matching/index.ts'
import { FIELDS } from './list.ts'

export interface PairDecision {
  readonly decision: 'same' | 'different'
  readonly keys: readonly [string, string]
  readonly names: readonly [string, string]
  /** Of the decisions file. */
  readonly line: number
}

const COLUMNS = ['decision', 'key', 'key 2', 'name', 'name 2'] as const

/** Throws FETTLE_DECISIONS with all problems of the file. Lines without a decision are skipped. */
export async function readPairDecisions(path: string, root: string): Promise<readonly PairDecision[]> {
  const { lines, issues } = await readDecisionTable(path, root, COLUMNS, 3)
  const decisions: PairDecision[] = []
  for (const { cells, line } of lines) {
    const decision = cells.decision.toLowerCase()
    if (decision === '') continue
    const keys = [cells.key, cells['key 2']] as const
    const wrong = keys.find(key => !FINGERPRINT.test(key))
    const complain = (message: string) => issues.push(decisionIssue(path, message, line))
    if (decision !== 'same' && decision !== 'different')
      complain(`${JSON.stringify(cells.decision)} is not a decision: expected same or different`)
    else if (wrong !== undefined) complain(`${JSON.stringify(wrong)} is not the key of a row`)
    else if (keys[0] === keys[1]) complain('the two keys are one row')
    else decisions.push({ decision, keys, names: [cells.name, cells['name 2']], line })
  }
  if (issues.length === 0) issues.push(...findContradictions(decisions, path))
  if (issues.length === 0) return decisions
  throw errorOfIssues(fewIssues(issues, path).map(issue => ({ ...issue, hint: HINT })))
}

const HINT = 'The file is a table of pairs in doubt, with same or different in the column decision; see docs/dedupe.md.'

/** Lines that keep apart what other lines make one company. */
function findContradictions(decisions: readonly PairDecision[], path: string): Issue[] {
  const parents = new Map<string, string>()
  const find = (key: string): string => {
    let at = key
    for (let next = parents.get(at); next !== undefined; next = parents.get(at)) at = next
    // The next look is short.
    if (at !== key) parents.set(key, at)
    return at
  }
  const same = decisions.filter(({ decision }) => decision === 'same')
  for (const { keys } of same) {
    const [first, second] = [find(keys[0]), find(keys[1])]
    if (first !== second) parents.set(first, second)
  }
  return decisions.flatMap(({ decision, keys, line }) => {
    const company = find(keys[0])
    if (decision === 'same' || company !== find(keys[1])) return []
    const lines = same.filter(other => find(other.keys[0]) === company).map(other => other.line)
    const message = `line ${line} keeps apart what ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')} ${lines.length === 1 ? 'makes' : 'make'} one company`
    return [decisionIssue(path, message, line)]
  })
}

const digest = fingerprinter({ mappings: FIELDS.map((mapping, index) => ({ mapping, index, header: mapping })) as never })

/** The key of a company, by its cells. */
const keyOfCells = (cells: string): string => digest(JSON.parse(cells) as string[])

/** The pairs of companies that decisions are about, those whose rows are no longer there apart. */
export function findPairs(decisions: readonly PairDecision[], companies: readonly string[]) {
  const wanted = new Set(decisions.flatMap(({ keys }) => keys))
  const found = new Map<string, number[]>()
  if (wanted.size > 0)
    for (const [at, cells] of companies.entries()) {
      const key = keyOfCells(cells)
      if (wanted.has(key)) found.set(key, [...(found.get(key) ?? []), at])
    }
  const pairs = { same: [] as Couple[], different: [] as Couple[] }
  const lost: PairDecision[] = []
  const kept: (PairDecision & { readonly pair: Couple })[] = []
  for (const decision of decisions) {
    const [ours, theirs] = decision.keys.map(key => found.get(key) ?? []) as [number[], number[]]
    if (ours.length === 0 || theirs.length === 0) {
      lost.push(decision)
      continue
    }
    kept.push({ ...decision, pair: [ours[0]!, theirs[0]!] })
    // Rows that differ in blanks and case alone have one key.
    for (const a of ours) for (const b of theirs) pairs[decision.decision].push(a < b ? [a, b] : [b, a])
  }
  // In one order, for any order of the file.
  for (const couples of [pairs.same, pairs.different]) couples.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  return { pairs, kept, lost }
}

export interface ReviewedPair {
  readonly decision: string
  readonly pair: Couple
}

/** The pairs in doubt as a table that a person fills in, and what a page shows beside it. */
export interface PairTable {
  readonly names: readonly string[]
  /** A line for each pair: the decision, each cell beside the other company's, the rows of both, their keys. */
  readonly rows: readonly (readonly string[])[]
  /** The cells that are compared, in the order of the table. */
  readonly fields: readonly string[]
  /** For each pair further companies of the two groups: the rows of the one of the pair, then own rows, then cells. */
  readonly others: readonly (readonly (readonly string[])[])[]
}

interface PairSource {
  readonly cellsOf: (company: number) => string[]
  /** Row numbers of a company, from 1. */
  readonly rowsOf: (company: number) => string
  /** Further companies of its group. */
  readonly othersOf: (company: number) => readonly number[]
}

/** Makes the table of pairs. */
export function tabulatePairs(pairs: readonly ReviewedPair[], { cellsOf, rowsOf, othersOf }: PairSource): PairTable {
  const table = pairs.map(({ decision, pair }) => ({ decision, pair, cells: pair.map(cellsOf) as [string[], string[]] }))
  const used = [...FIELDS.keys()].filter(at => at === 0 || table.some(({ cells }) => cells.some(own => own[at] !== '')))
  const both = (name: string): string[] => [name, `${name} 2`]
  const fields = used.map(at => FIELDS[at]!)
  const rows = table.map(({ decision, pair, cells: [first, second] }) => [
    decision,
    ...used.flatMap(at => [first[at]!, second[at]!]),
    ...pair.map(rowsOf),
    ...[first, second].map(cells => digest(cells)),
  ])
  const others = pairs.map(({ pair }) =>
    pair.flatMap(company =>
      othersOf(company).map(other => {
        const cells = cellsOf(other)
        return [rowsOf(company), rowsOf(other), ...used.map(at => cells[at]!)]
      }),
    ),
  )
  return { names: ['decision', ...fields.flatMap(both), ...both('rows'), ...both('key')], rows, fields, others }
}
