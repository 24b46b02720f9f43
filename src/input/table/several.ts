/** Files and sheets as one list: which sheets of a workbook are the list, and how the columns of a file differ. */
import { counted, listSome } from '../../counted.ts'
import { FettleError, type Issue, issue } from '../../errors.ts'
import { openInput } from '../../files/open-input.ts'
import type { InputFacts, InputOptions, TableEdges } from '../../pipeline/model/types.ts'
import { sheetNames } from '../excel/read-workbook.ts'
import { readSheets } from './file-content.ts'
import { type InspectExtra, type Inspection, inspectFile, refused } from './inspect-file.ts'
import { appearance } from './scan-issues.ts'

/** As `input.sheet`: all sheets with the same columns. No sheet has this name. */
export const ALL_SHEETS = '*'

/** A file of a list, or a sheet of one. */
export interface Source extends Pick<InputOptions, 'path'>, Partial<Pick<InputOptions, 'sheet'>> {}

interface Sheet extends Required<Source> {
  /** Null for a sheet with fewer lines than are to be skipped. */
  readonly facts: InputFacts | null
  readonly edges: readonly TableEdges[]
}

/**
 * The sheets that are one list: most of them have its columns. A sheet that is clearly something else is passed over; one that may be a part
 * of the list, and does not fit, refuses it.
 */
export async function chooseSheets(
  files: readonly string[],
  options: InputOptions,
  extra: InspectExtra,
): Promise<{ readonly list: readonly Source[]; readonly choice: Issue } | Inspection> {
  const sheets: Sheet[] = []
  const hidden: string[] = []
  for (const path of files) {
    const found = await listSheets(path, extra)
    if ('code' in found) return refused(found)
    hidden.push(...found.filter(({ isHidden }) => isHidden).map(({ name }) => name))
    for (const { name: sheet } of found.filter(({ isHidden }) => !isHidden)) {
      const { root, signal, now, around } = extra
      const found = await inspectFile({ ...options, path, sheet }, { root, signal, now, around })
      if (found.facts === null && found.issues.some(({ code }) => code !== 'FETTLE_INPUT_FIELDS')) return found
      sheets.push({ path, sheet, ...found })
    }
  }
  const list = largest(sheets)
  const first = list[0]?.facts
  if (first == null) {
    const at = { file: options.path, line: null, column: null }
    return refused(issue('FETTLE_INPUT_EMPTY', `${options.path} has no sheet with rows`, { at }))
  }
  const others = sheets.filter(sheet => !list.includes(sheet))
  const issues = others.flatMap(({ facts }) => (facts !== null && mayBelong(facts, first) ? differences(facts, first) : []))
  if (issues.length > 0) return { facts: null, issues, cells: [], marks: [], edges: sheets.flatMap(({ edges }) => edges) }
  return {
    list: list.map(({ path, sheet }) => ({ path, sheet })),
    choice: describeChoice(options.path, list, { others, hidden }),
  }
}

async function listSheets(path: string, { root }: InspectExtra) {
  const at = { file: path, line: null, column: null }
  const opened = await openInput(path, root)
  if ('code' in opened) return opened
  try {
    const hint = `Leave input.sheet: "${ALL_SHEETS}" out, or name Excel files only.`
    const sheets = await readSheets(opened.handle, path)
    return sheets ?? issue('FETTLE_INPUT_SHEET', `${path} is not an Excel file: it has no sheets`, { at, hint })
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return issue(error.code, error.message, { at: error.at, hint: error.hint })
  } finally {
    await opened.handle.close()
  }
}

/** Most sheets with the same columns; of as many, those with most cells. */
function largest(sheets: readonly Sheet[]): readonly Sheet[] {
  const lists = new Map<string, Sheet[]>()
  for (const sheet of sheets) {
    if (sheet.facts === null) continue
    const columns = JSON.stringify(sheet.facts.header?.map(appearance) ?? sheet.facts.columns)
    lists.set(columns, [...(lists.get(columns) ?? []), sheet])
  }
  const cells = (list: readonly Sheet[]): number => list.reduce((sum, { facts }) => sum + facts!.rows * facts!.columns, 0)
  return [...lists.values()].sort((a, b) => b.length - a.length || cells(b) - cells(a))[0] ?? []
}

/** It has as many columns, or half of the headers of the one that has fewer. */
function mayBelong({ header, columns, rows }: InputFacts, list: InputFacts): boolean {
  if (rows === 0) return false
  const own = new Set(header?.map(appearance))
  const common = list.header?.filter(name => own.has(appearance(name))).length ?? 0
  return (columns > 1 && columns === list.columns) || (common > 0 && common * 2 >= Math.min(columns, list.columns))
}

function describeChoice(
  path: string,
  list: readonly Sheet[],
  { others, hidden }: { readonly others: readonly Sheet[]; readonly hidden: readonly string[] },
): Issue {
  const names = (sheets: readonly Sheet[]): string => sheetNames(sheets.map(({ sheet }) => String(sheet)))
  const passed = others.length === 0 ? '' : `; passed over, since their columns are others: ${names(others)}`
  const unseen = hidden.length === 0 ? '' : `; passed over, since they are hidden: ${sheetNames(hidden)}`
  const message = `${path}: ${counted(list.length, 'sheet')} read as one list, ${names(list)}${passed}${unseen}`
  return issue('FETTLE_INPUT_SHEET', message, { severity: 'info', at: { file: path, line: null, column: null }, hint: null })
}

/** Differences of headers that are listed. */
const FEW = 5

/** Why a file, or a sheet, is not a part of the list that the first one is of. */
export function differences(facts: InputFacts, first: InputFacts): Issue[] {
  const at = { file: facts.path, line: 1 + (facts.linesBefore ?? 0), column: null }
  const isSheet = facts.path === first.path
  const [one, list] = [facts, first].map(({ path, packed }) =>
    isSheet && packed?.as === 'xlsx' ? `sheet ${JSON.stringify(packed.sheet)}` : path,
  )
  const refuse = (code: 'FETTLE_INPUT_HEADER' | 'FETTLE_INPUT_DELIMITER', what: string, hint: string): Issue[] => [
    issue(code, `${isSheet ? `${facts.path}: ` : ''}${one} and ${list} are not one list: ${what}`, { at, hint }),
  ]
  const inHeader = headerDifference(facts, first)
  if (inHeader !== null)
    return refuse(
      'FETTLE_INPUT_HEADER',
      inHeader,
      isSheet
        ? 'Give all sheets the same columns in the same order, or name one sheet.'
        : 'Give all files the same columns in the same order, or name fewer files.',
    )
  const [own, other] = [facts, first].map(({ delimiter }) => JSON.stringify(delimiter))
  if (own === other) return []
  const hasSheet = [facts, first].some(({ packed }) => packed?.as === 'xlsx')
  return refuse(
    'FETTLE_INPUT_DELIMITER',
    `its delimiter is ${own}, there ${other}`,
    hasSheet
      ? 'A sheet is read with commas: write the other files with commas, or as Excel.'
      : 'Write all files with one delimiter.',
  )
}

/** How the columns differ; null where they do not. */
function headerDifference({ header: own, columns }: InputFacts, { header: other, columns: others }: InputFacts): string | null {
  if (own === null || other === null)
    return columns === others ? null : `it has ${counted(columns, 'column')}, the other ${others}`
  const isIn = (names: readonly string[], name: string): boolean => names.some(one => appearance(one) === appearance(name))
  const moved = own.findIndex((name, index) => appearance(name) !== appearance(other[index] ?? ''))
  if (own.length === other.length && moved === -1) return null
  const listed = (names: readonly string[]): string =>
    listSome(
      names.map(name => JSON.stringify(name)),
      FEW,
    )
  const missing = other.filter(name => !isIn(own, name))
  const added = own.filter(name => !isIn(other, name))
  if (missing.length + added.length === 0)
    return `column ${moved + 1} is ${JSON.stringify(own[moved] ?? '')}, there ${JSON.stringify(other[moved] ?? '')}`
  const lacks = missing.length === 0 ? '' : `it lacks ${listed(missing)}`
  const has = added.length === 0 ? '' : `it alone has ${listed(added)}`
  return [lacks, has].filter(text => text !== '').join(' and ')
}
