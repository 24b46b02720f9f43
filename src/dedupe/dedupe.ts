/** Finds the rows of a list that are one company, and writes the list with its groups. The list is its own register. */
import { openSink } from '../files/atomic-file.ts'
import type { OutputFormat } from '../formats/index.ts'
import { openFormat } from '../formats/writers.ts'
import { readRows } from '../input/table/records.ts'
import { verifyPlanned } from '../input/table/verify-unchanged.ts'
import { GROUP_COLUMNS, TEXT } from '../model/columns.ts'
import type { InspectedTable } from '../prepare/table-register.ts'
import { sheetColumn } from '../results/index.ts'
import type { Clusters, DecidedPairs } from '../service/matching/index.ts'
import { compareCompanies } from './compare-companies.ts'
import { FIELDS, isKept, type Keep, listNames, type ReadList, readList, SHOWN_ROWS, SKIPPED } from './list.ts'
import { describeDropped, type MergeRules, Merger } from './merge.ts'
import {
  findPairs,
  type PairDecision,
  type PairTable,
  type ReviewedPair,
  readPairDecisions,
  tabulatePairs,
} from './pair-decisions.ts'

export interface Deduped {
  /** Those that are in a group. */
  readonly rows: number
  /** Rows that are in none: empty ones, headings and totals. */
  readonly skipped: number
  /** Groups, of one row too. */
  readonly companies: number
  /** Groups of several rows. */
  readonly groups: number
  /** Rows beyond the first of each group. */
  readonly duplicates: number
  /** Pairs of groups that may be one company. */
  readonly doubts: number
  /** Decisions that were applied, and those that were not. */
  readonly decided: {
    readonly applied: number
    readonly notApplied: readonly { readonly line: number; readonly names: readonly [string, string]; readonly why: string }[]
  }
  /** With `merge`: groups whose merged row lacks values of a column, by column; the output names the values. */
  readonly conflicts: readonly { readonly column: string; readonly groups: number }[]
  /** The largest groups, at most five: names and rows, from 1. */
  readonly examples: readonly { readonly name: string; readonly rows: readonly number[]; readonly size: number }[]
}

/** Of merged rows: the rows of each, and the values that it does not have. */
const MERGED_COLUMNS = ['dup.group', 'dup.size', 'dup.rows', 'dup.perhaps', 'dup.conflicts'] as const
const BATCH = 500
const EXAMPLES = 5
const SHOWN_OTHERS = 3

interface DedupeOptions {
  readonly keep: Keep
  readonly output: { readonly path: string; readonly format: OutputFormat }
  /** A file of decisions about pairs. */
  readonly decisions?: string | null
  /** Takes the pairs in doubt, with the decisions so far. */
  readonly review?: ((table: PairTable) => Promise<void>) | null
  /** One row for each group, instead of all rows. */
  readonly merge?: MergeRules | null
  readonly cwd: string
  readonly signal: AbortSignal
}

/** Throws FETTLE_INPUT_READ, FETTLE_INPUT_CHANGED, FETTLE_INPUT_COLUMNS, FETTLE_DECISIONS, FETTLE_OUTPUT_WRITE. */
export async function dedupeList(table: InspectedTable, options: DedupeOptions): Promise<Deduped> {
  const { decisions: decisionsFile = null, review = null, cwd } = options
  const decisions = decisionsFile === null ? [] : await readPairDecisions(decisionsFile, cwd)
  const list = await readList(table, options)
  const {
    decided,
    index,
    refused,
    open,
    kept,
    groupOf,
    members,
    cellsOf: groupCells,
  } = await groupRows(list, { ...options, decisions })
  const conflicts = await writeRows(table, options, {
    merge: options.merge ?? null,
    groupOf,
    // The kept row first.
    membersOf: group => members[group]!.toSorted((a, b) => (isKept(list, options.keep, a, b) ? -1 : 1)),
    cellsOf: (row, isMerged) => {
      const [number, size, keep, perhaps] = groupCells(row)
      const shown = isMerged ? members[groupOf[row]!]!.map(at => at + 1).join(', ') : keep
      return [number, size, shown, perhaps]
    },
  })
  const cellsOf = (company: number): string[] => {
    const fields = index.companies.at(company)
    return FIELDS.map(field => [fields[field]].flat().join('|'))
  }
  if (review !== null) {
    const pairs = [...open.values(), ...decided.kept]
    const source = { cellsOf, rowsOf: findRows(list.companyOf), othersOf: findOthers(list.companyOf, groupOf, members) }
    await review(tabulatePairs(pairs, source))
  }
  const large = members.filter(rows => rows.length > 1)
  const rows = members.reduce((sum, group) => sum + group.length, 0)
  return {
    rows,
    skipped: groupOf.length - rows,
    companies: members.length,
    groups: large.length,
    duplicates: rows - members.length,
    doubts: open.size,
    decided: describeDecisions(decided, refused),
    conflicts,
    examples: [...large]
      .sort((a, b) => b.length - a.length || a[0]! - b[0]!)
      .slice(0, EXAMPLES)
      .map(rows => ({
        name: cellsOf(list.companyOf[rows.find(row => kept.has(row))!]!)[0]!,
        rows: rows.slice(0, SHOWN_ROWS).map(row => row + 1),
        size: rows.length,
      })),
  }
}

type GroupCells = readonly [group: string, size: string, keep: string, perhaps: string]

/** Groups the rows of a list. `cellsOf`: what GROUP_COLUMNS have for a row, from 0. */
export async function groupRows(
  list: ReadList,
  { keep, decisions, signal }: { readonly keep: Keep; readonly decisions: readonly PairDecision[]; readonly signal: AbortSignal },
) {
  const decided = findPairs(decisions, list.companies)
  const { index, clusters } = await groupCompanies(list.companies, decided.pairs, signal)
  const { groups, doubts, refused } = clusters
  const { groupOf, members, numberOf } = numberGroups(list.companyOf, groups)
  const kept = new Set(members.map(rows => rows.reduce((best, row) => (isKept(list, keep, row, best) ? row : best))))
  const perhaps = new Map<number, number>()
  const open = new Map<string, ReviewedPair>()
  for (const { a, b } of doubts) {
    const [first, second] = [numberOf.get(groups[a]!)!, numberOf.get(groups[b]!)!]
    const key = first < second ? `${first} ${second}` : `${second} ${first}`
    if (!open.has(key)) open.set(key, { decision: '', pair: [a, b] })
    if (!perhaps.has(first)) perhaps.set(first, second)
    if (!perhaps.has(second)) perhaps.set(second, first)
  }
  const cellsOf = (row: number): GroupCells => {
    const group = groupOf[row]!
    if (group === NO_GROUP) return ['', '', '', '']
    const doubt = perhaps.get(group)
    const shown = kept.has(row) ? 'yes' : 'no'
    return [String(group + 1), String(members[group]!.length), shown, doubt === undefined ? '' : String(doubt + 1)]
  }
  return { decided, index, refused, open, kept, groupOf, members, cellsOf }
}

function describeDecisions({ kept, lost }: ReturnType<typeof findPairs>, refused: Clusters['refused']): Deduped['decided'] {
  const show = ({ line, names: [name, other] }: PairDecision, why: string) => ({ line, names: [name, other] as const, why })
  const notApplied = [
    ...lost.map(decision => show(decision, 'a row of it changed or is gone')),
    ...kept.flatMap(decision => {
      const [a, b] = [Math.min(...decision.pair), Math.max(...decision.pair)]
      const found = decision.decision === 'same' ? refused.find(({ pair }) => pair[0] === a && pair[1] === b) : undefined
      if (found === undefined) return []
      const { field, values } = found
      return [show(decision, `their ${FIELD_NAMES[field]} contradict: ${values[0]} and ${values[1]}`)]
    }),
  ].sort((a, b) => a.line - b.line)
  return { applied: kept.length + lost.length - notApplied.length, notApplied }
}

const FIELD_NAMES = { country: 'countries', orgNumber: 'numbers', vatNumber: 'VAT numbers' } as const

/** Returns the first rows of a company, from 1. */
function findRows(companyOf: readonly number[]): (company: number) => string {
  const rows = new Map<number, number[]>()
  for (const [row, company] of companyOf.entries()) {
    const known = rows.get(company)
    if (known === undefined) rows.set(company, [row + 1])
    else if (known.length <= SHOWN_ROWS) known.push(row + 1)
  }
  return company => {
    const found = rows.get(company) ?? []
    return found.slice(0, SHOWN_ROWS).join(', ') + (found.length > SHOWN_ROWS ? ' …' : '')
  }
}

/** Returns further companies of the group of a company, at most three. */
function findOthers(companyOf: readonly number[], groupOf: readonly number[], members: readonly (readonly number[])[]) {
  const groups = new Map(companyOf.map((company, row) => [company, groupOf[row]!]))
  return (company: number): number[] => {
    const all = new Set(members[groups.get(company)!]!.map(row => companyOf[row]!))
    all.delete(company)
    return [...all].slice(0, SHOWN_OTHERS)
  }
}

async function groupCompanies(companies: string[], decided: DecidedPairs, signal: AbortSignal) {
  const { buildIndex, ListClusters } = await import('../service/matching/index.ts')
  const index = buildIndex(takeCompanies(companies))
  const found = await compareCompanies(index, signal)
  return { index, clusters: new ListClusters(index).form(found, decided) }
}

/** Yields the companies, and keeps their cells no longer: a long list has its memory only once. */
function* takeCompanies(companies: string[]) {
  for (let at = 0; at < companies.length; at++) {
    const fields = JSON.parse(companies[at]!) as string[]
    companies[at] = ''
    const values = Object.fromEntries(FIELDS.map((field, place) => [field, fields[place]!])) as Record<
      (typeof FIELDS)[number],
      string
    >
    // In the order of the ids, by which ties are broken.
    const id = String(at).padStart(9, '0')
    yield {
      ...values,
      id,
      connectId: id,
      tradingNames: listNames(values.tradingNames),
      previousNames: listNames(values.previousNames),
    }
  }
}

/** The group of a row that is skipped. */
const NO_GROUP = -1

/** Numbers the groups in the order of their first rows. */
function numberGroups(companyOf: readonly number[], groups: Int32Array) {
  const numberOf = new Map<number, number>()
  const members: number[][] = []
  const groupOf = companyOf.map((company, row) => {
    if (company === SKIPPED) return NO_GROUP
    const known = company === -1 ? undefined : numberOf.get(groups[company]!)
    const group = known ?? members.length
    if (known === undefined) members.push([])
    if (company !== -1) numberOf.set(groups[company]!, group)
    members[group]!.push(row)
    return group
  })
  return { groupOf, members, numberOf }
}

interface Grouped {
  readonly merge: MergeRules | null
  readonly groupOf: readonly number[]
  /** The rows of a group, those to keep first. */
  readonly membersOf: (group: number) => readonly number[]
  readonly cellsOf: (row: number, isMerged: boolean) => readonly string[]
}

/** Writes the columns of the list, without groups that it has, and the new ones. */
async function writeRows(
  table: InspectedTable,
  { output, cwd, signal }: DedupeOptions,
  grouped: Grouped,
): Promise<Deduped['conflicts']> {
  const { facts } = table.inspected
  const verify = await verifyPlanned(facts, { root: cwd, signal })
  const header = facts.header ?? Array.from({ length: facts.columns }, (_, at) => `column ${at + 1}`)
  const added: readonly string[] = grouped.merge === null ? GROUP_COLUMNS : MERGED_COLUMNS
  const earlier: readonly string[] = [...GROUP_COLUMNS, ...added]
  const own = [...header.keys()].filter(at => !earlier.includes(header[at]!))
  const names = [...own.map(at => header[at]!), ...added]
  const merger = grouped.merge === null ? null : new Merger(grouped.merge, table.columns)
  const rowsOf = merger === null ? () => readRows(facts, cwd) : () => mergeRows(merger, facts, { cwd, grouped, header })
  const types = names.map(() => TEXT)
  const { head, render, end } = await openFormat(
    output.format,
    {
      ...{ names, title: facts.packed?.as === 'xlsx' ? facts.packed.sheet : 'groups', delimiter: facts.delimiter, types },
      sheetColumns: own.map(at => sheetColumn(facts.packed, at)),
    },
    output.path,
  )
  const sink = await openSink(output.path, { isShared: true })
  try {
    await sink.write(Buffer.from(head))
    let batch: string[][] = []
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await sink.write(Buffer.from(render(batch)))
      batch = []
    }
    let at = 0
    for await (const row of rowsOf()) {
      const cells = merger === null ? grouped.cellsOf(at++, false) : row.slice(header.length)
      batch.push([...own.map(place => row[place] ?? ''), ...cells])
      if (batch.length < BATCH) continue
      signal.throwIfAborted()
      await flush()
    }
    await flush()
    await verify('read')
    await sink.write(Buffer.from(end?.() ?? ''))
    await sink.finish()
    await sink.publish()
  } catch (error) {
    // Rows that the list had not when it was compared have no group.
    await verify('read')
    throw error
  } finally {
    await sink.discard()
  }
  return [...(merger?.conflicts ?? [])].map(([column, groups]) => ({ column: header[column]!, groups })).toSorted(byGroups)
}

const byGroups = (a: Deduped['conflicts'][number], b: Deduped['conflicts'][number]): number => b.groups - a.groups

/** Yields one row for each group, in the order of their first rows: the cells of the list, then the added ones. */
async function* mergeRows(
  merger: Merger,
  facts: InspectedTable['inspected']['facts'],
  { cwd, grouped, header }: { readonly cwd: string; readonly grouped: Grouped; readonly header: readonly string[] },
): AsyncGenerator<readonly string[]> {
  const { groupOf, membersOf, cellsOf } = grouped
  const sizes = new Uint32Array(groupOf.length)
  for (const group of groupOf) if (group !== NO_GROUP) sizes[group]!++
  // Of groups of several rows.
  const kept = new Map<number, readonly string[]>()
  let at = 0
  for await (const row of readRows(facts, cwd)) {
    if (sizes[groupOf[at]!]! > 1) kept.set(at, row)
    at++
  }
  const done = new Uint8Array(groupOf.length)
  at = 0
  for await (const row of readRows(facts, cwd)) {
    const group = groupOf[at]!
    if (group !== NO_GROUP && done[group] === 0) {
      done[group] = 1
      const rows = sizes[group] === 1 ? [row] : membersOf(group).map(member => kept.get(member)!)
      const merged = merger.merge(rows)
      const cells = header.map((_, place) => merged.cells[place] ?? '')
      yield [...cells, ...cellsOf(at, true), describeDropped(merged, header)]
    }
    at++
  }
}
