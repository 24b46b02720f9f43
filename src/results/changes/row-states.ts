/**
 * The result of every row of a run, kept beside its journal to compare the next run with: what was asked, which company was found, and
 * its data. One gzipped file of JSON lines: a head, then an array for each row.
 */
import { join } from 'node:path'
import type { Decision } from '../../decide/decide.ts'
import { action, FettleError, type Issue } from '../../errors.ts'
import { digestOf } from '../../files/file-chunks.ts'
import { JsonLinesWriter, lineBatches, linesOf } from '../../files/json-lines.ts'
import { AS_FOUND, inspect } from '../../input/table/inspect.ts'
import { readRows } from '../../input/table/records.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { cellOf, firstCell, isFound, type RowResult } from '../decisions/apply-decisions.ts'
import { COMPANY_TAGS, NAME_TAGS } from '../enriched-file.ts'
import { STATES_FILE } from '../file-names.ts'
import { shownKey, shownName } from '../output/report-row.ts'

/** What the rows of two runs must have in common to be compared, and the columns of their data. */
interface StatesHead {
  /** `key` and its column, or `question`: equal rows are then paired in their order. */
  readonly by: string
  readonly columns: readonly string[]
  /** Rows are decided about, by a table or by a tree of the service. */
  readonly isDecided?: boolean | undefined
}

export interface RowState {
  /** Data row from 1. */
  readonly row: number
  /** A digest of the key, or of the question. */
  readonly id: string
  /** As reports show it; null without a key column. */
  readonly key: string | null
  readonly name: string
  /** A digest of the mapped cells. */
  readonly question: string
  readonly outcome: string
  /** Empty without a company. */
  readonly company: { readonly id: string; readonly name: string }
  /** What a person decided, such as `accept GB-1`; empty without a decision. */
  readonly decision: string
  /** What the decision table decided, such as `decline inactive`; empty without one. */
  readonly ruled: string
  /** Digests of what that was decided from: of the cells of the list, and of everything else; empty where they are not known. */
  readonly read: string
  /** In the order of the columns of the head. */
  readonly data: readonly string[]
}

/** A decision about a row; `read`: digests of what it was made from, of the cells of the list and of everything else. */
export interface RowDecision extends Decision {
  readonly read: string
}

/** Facts about the row or the request rather than about the company. */
const NOT_DATA = /^(?:\*$|match\.|answer\.|decision(?:\.|$))/
const OF_ROW: readonly string[] = [
  'general.rowNumber',
  'general.duplicate',
  'general.duplicateId',
  'general.pattern',
  'general.banding',
  'general.bandingDesc',
  ...COMPANY_TAGS,
]

/** Whether a column of an output is data of the company. */
export const isDataColumn = (name: string): boolean => !NOT_DATA.test(name) && !OF_ROW.includes(name)

export const headOf = ({ key, output, report, decide, tree }: Plan): StatesHead => ({
  by: key === null ? 'question' : `key ${key.header ?? key.index}`,
  columns: report.rows === 'none' ? [] : (output?.columns ?? []).filter(isDataColumn),
  isDecided: decide !== undefined || tree !== undefined || undefined,
})

/** Makes the state of a row from its result. */
export function stateMaker(plan: Plan) {
  const { columns } = headOf(plan)
  const isShown = plan.report.rows !== 'none'
  return (
    number: number,
    result: RowResult,
    inputRow: readonly string[],
    fingerprint: string,
    ruled: RowDecision | null,
  ): RowState => {
    const { outcome, decided } = result
    const found = isFound(result)
    const decision = decided === null ? '' : `${decided.line.decision} ${decided.line.company}`.trim()
    return {
      row: number,
      id: plan.key === null ? fingerprint : stateId(inputRow[plan.key.index] ?? ''),
      key: isShown ? shownKey(plan, inputRow) : null,
      name: isShown ? shownName(plan, inputRow) : '',
      question: fingerprint,
      outcome,
      company: found ? { id: firstCell(result, COMPANY_TAGS), name: firstCell(result, NAME_TAGS) } : { id: '', name: '' },
      decision: decided?.effect === 'agreed' ? '' : decision,
      ruled: ruled === null ? '' : `${ruled.decision} ${ruled.rule}`,
      read: ruled?.read ?? '',
      data: found ? columns.map(name => cellOf(result, name)) : [],
    }
  }
}

const pathIn = (workDir: string): string => join(workDir, STATES_FILE)

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class StatesWriter {
  readonly #lines: JsonLinesWriter<unknown>
  #head: StatesHead | null

  constructor(workDir: string, head: StatesHead) {
    this.#lines = new JsonLinesWriter(pathIn(workDir))
    this.#head = head
  }

  async add({ state }: { readonly state: RowState | null }): Promise<void> {
    if (state === null) return
    const { row, id, key, name, question, outcome, company, decision, ruled, read, data } = state
    if (this.#head !== null) await this.#lines.add(this.#head)
    this.#head = null
    await this.#lines.add([row, id, key, name, question, outcome, company.id, company.name, decision, ruled, read, data])
  }

  /** Gives the file its name; without rows an earlier file is removed. */
  publish = (): Promise<void> => this.#lines.publish()
  discard = (): Promise<void> => this.#lines.discard()
}

/** The states of a run that can be read again and again. */
export interface RowStates {
  readonly head: StatesHead
  readonly rows: () => AsyncIterable<RowState>
}

async function* readStateRows(path: string): AsyncGenerator<RowState> {
  let isHead = true
  for await (const lines of lineBatches(path))
    for (const line of lines) {
      if (!isHead) yield readState(JSON.parse(line))
      isHead = false
    }
}

type Line = [number, string, string | null, string, string, string, string, string, string, string, string, string[]]
const readState = ([
  row,
  id,
  key,
  name,
  question,
  outcome,
  company,
  companyName,
  decision,
  ruled,
  read,
  data,
]: Line): RowState => ({
  ...{ row, id, key, name, question, outcome, decision, ruled, read, data },
  company: { id: company, name: companyName },
})

/** The states in a run directory; null when none are kept, or they cannot be read. */
export async function readStates(workDir: string): Promise<RowStates | null> {
  const path = pathIn(workDir)
  try {
    for await (const line of linesOf(path)) return { head: JSON.parse(line), rows: () => readStateRows(path) }
  } catch {
    // There is no file, or it is damaged.
  }
  return null
}

/** Writes the states of a run again without some rows. Throws FETTLE_OUTPUT_WRITE. */
export async function removeStates(workDir: string, isGone: (state: RowState) => boolean): Promise<void> {
  const states = await readStates(workDir)
  if (states === null) return
  const writer = new StatesWriter(workDir, states.head)
  try {
    for await (const state of states.rows()) if (!isGone(state)) await writer.add({ state })
    await writer.publish()
  } finally {
    await writer.discard()
  }
}

export const stateId = (key: string): string => digestOf(key).toString('hex')

export interface OutputChoice {
  /** The header of the column that identifies a row; null compares equal rows in their order. */
  readonly key: string | null
  /** The header of the id of the company; null for `general.connectId` or `general.safeNumber`. */
  readonly company: string | null
}

/** Columns of the service have a group and a name. */
const OF_SERVICE = /^[a-z]\w*\.\w+$/

/** Throws FETTLE_INPUT_* for a file that cannot be read, FETTLE_DIFF when a column is missing. */
export async function outputStates(path: string, { key, company }: OutputChoice, root: string): Promise<RowStates> {
  const { facts, issues } = await inspect({ ...AS_FOUND, path }, { root })
  const error = issues.find(({ severity }: Issue) => severity === 'error')
  // An output of no rows has its header.
  const isOfNoRows = error?.code === 'FETTLE_INPUT_EMPTY' && (facts?.header?.length ?? 0) > 0
  if (facts === null || (error !== undefined && !isOfNoRows))
    throw new FettleError(error?.code ?? 'FETTLE_INPUT_READ', error?.message ?? `cannot read ${path}`, {
      hint: 'Name an output of a run: a table in UTF-8 with a header and a column of the company.',
    })
  const header = facts.header ?? []
  const findColumn = (name: string): number => {
    const at = header.indexOf(name)
    if (at === -1)
      throw new FettleError('FETTLE_DIFF', `${path} has no column ${name}: it has ${header.slice(0, 20).join(', ')}`, {
        hint: 'Name one of its columns.',
      })
    return at
  }
  const keyAt = key === null ? null : findColumn(key)
  const idAt =
    company === null ? header.findIndex(name => (COMPANY_TAGS as readonly string[]).includes(name)) : findColumn(company)
  if (idAt === -1)
    throw new FettleError('FETTLE_DIFF', `${path} has no column ${COMPANY_TAGS.join(' or ')}`, {
      hint: 'Name the column of the company.',
      action: action('diff', 'A.csv', 'B.csv', '--company', 'COLUMN'),
    })
  const nameAt = header.findIndex(name => (NAME_TAGS as readonly string[]).includes(name))
  const outcomeAt = header.indexOf('match.outcome')
  const [decisionAt, ruleAt] = [header.indexOf('decision'), header.indexOf('decision.rule')]
  const own = [...header.keys()].filter(at => !OF_SERVICE.test(header[at]!) && at !== idAt && at !== decisionAt)
  const data = [...header.keys()].filter(at => OF_SERVICE.test(header[at]!) && at !== idAt && isDataColumn(header[at]!))
  async function* rows(): AsyncGenerator<RowState> {
    let row = 0
    for await (const cells of readRows(facts!, root)) {
      row++
      const question = digestOf(JSON.stringify(own.map(at => cells[at] ?? ''))).toString('hex')
      const id = cells[idAt] ?? ''
      const outcome = outcomeAt === -1 ? (id === '' ? 'unmatched' : 'matched') : (cells[outcomeAt] ?? '')
      yield {
        row,
        id: keyAt === null ? question : digestOf(cells[keyAt] ?? '').toString('hex'),
        key: keyAt === null ? null : (cells[keyAt] ?? ''),
        name: own.filter(at => at !== keyAt).map(at => cells[at] ?? '')[0] ?? '',
        question,
        outcome,
        company: { id, name: nameAt === -1 ? '' : (cells[nameAt] ?? '') },
        decision: outcome === 'manualMatched' ? `accept ${id}` : '',
        ruled: [decisionAt, ruleAt]
          .map(at => (at === -1 ? '' : (cells[at] ?? '')))
          .join(' ')
          .trim(),
        read: '',
        data: data.map(at => cells[at] ?? ''),
      }
    }
  }
  return {
    head: {
      by: key === null ? 'question' : 'key',
      columns: data.map(at => header[at]!),
      isDecided: decisionAt !== -1 || undefined,
    },
    rows,
  }
}
