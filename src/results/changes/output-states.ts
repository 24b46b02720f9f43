/** The rows of an output file as states, to compare two outputs whose runs are gone. */
import { action, FettleError, type Issue } from '../../errors.ts'
import { digestOf } from '../../files/file-chunks.ts'
import { AS_FOUND, inspect } from '../../input/table/inspect.ts'
import { readRows } from '../../input/table/records.ts'
import { COMPANY_TAGS, NAME_TAGS } from '../enriched-file.ts'
import { isDataColumn, type RowState, type RowStates } from './row-states.ts'

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
  const columnOf = (name: string): number => {
    const at = header.indexOf(name)
    if (at === -1)
      throw new FettleError('FETTLE_DIFF', `${path} has no column ${name}: it has ${header.slice(0, 20).join(', ')}`, {
        hint: 'Name one of its columns.',
      })
    return at
  }
  const keyAt = key === null ? null : columnOf(key)
  const idAt = company === null ? header.findIndex(name => (COMPANY_TAGS as readonly string[]).includes(name)) : columnOf(company)
  if (idAt === -1)
    throw new FettleError('FETTLE_DIFF', `${path} has no column ${COMPANY_TAGS.join(' or ')}`, {
      hint: 'Name the column of the company.',
      action: action('diff', 'A.csv', 'B.csv', '--company', 'COLUMN'),
    })
  const nameAt = header.findIndex(name => (NAME_TAGS as readonly string[]).includes(name))
  const outcomeAt = header.indexOf('match.outcome')
  const own = [...header.keys()].filter(at => !OF_SERVICE.test(header[at]!) && at !== idAt)
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
        data: data.map(at => cells[at] ?? ''),
      }
    }
  }
  return { head: { by: key === null ? 'question' : 'key', columns: data.map(at => header[at]!) }, rows }
}
