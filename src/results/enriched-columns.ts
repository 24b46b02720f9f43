/**
 * Separates the columns of an enriched file into columns of the input and columns that the service added. Input columns are found by name,
 * ignoring case, spaces and underscores; where several have one name, the cells decide.
 */
import { FettleError } from '../errors.ts'
import { sentCells, uploadColumns, uploadHeader } from '../input/upload/upload-row.ts'
import { columnName } from '../model/columns.ts'
import type { Plan } from '../pipeline/model/types.ts'

export interface EnrichedColumns {
  /** An added column that is a tag in another spelling has the name of the tag. */
  readonly header: readonly string[]
  /** The header as it came. */
  readonly received: readonly string[]
  /** For each uploaded column, the columns of the file that may repeat it; empty when the file has fewer of that name. */
  readonly own: readonly (readonly number[])[]
  /** The columns that the service added. */
  readonly added: readonly number[]
  /** Index of an added column, -1 when the file has no such column. Throws FETTLE_LEDGER when the name is ambiguous. */
  find(name: string): number
}

/** The columns of rows without an answer. */
export const NO_COLUMNS: EnrichedColumns = { header: [], received: [], own: [], added: [], find: () => -1 }

/** Columns that the service added, without columns of an input. */
export function addedColumns(header: readonly string[]): EnrichedColumns {
  const exact = findPlaces(header)
  const alike = findPlaces(header.map(plain))
  const find = (name: string): number => (exact.get(name) ?? alike.get(plain(name)))?.[0] ?? -1
  return { header, received: header, own: [], added: [...header.keys()], find }
}

const plain = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_]+/g, '')

/** Ignores case, spaces and underscores. */
export const isSameColumn = (name: string, other: string): boolean => plain(name) === plain(other)

export const isTagLike = (name: string): boolean => /^\s*[a-z]+\s*\./i.test(name)

type Naming = Pick<Plan, 'input' | 'mappings' | 'send' | 'headers'> & { readonly enrich?: Plan['enrich'] }

export function locateColumns(received: readonly string[], plan: Naming): EnrichedColumns {
  const cells = sentCells(plan) ?? Array.from({ length: uploadColumns(plan) }, (_, index) => index)
  const whole = uploadHeader(plan)
  const sent = whole && cells.map(index => whole[index] ?? '')
  const names = (sent ?? cells.map((_, at) => columnName(at))).map(plain)
  const found = received.map(plain)
  const places = findPlaces(found)
  const count = findPlaces(names)
  // The service adds a header to a file without one; its names may differ from ours.
  const isNamed = sent !== null || names.every(name => places.has(name))
  const isAhead = isNamed
    ? names.every((name, at) => found[at] === name)
    : received.length > names.length && !received.slice(0, names.length).some(isTagLike)
  const isOwnPlace = (at: number): boolean => !isAhead || at < names.length
  const findOwn = (name: string, index: number): number[] => {
    if (!isNamed) return isAhead ? [index] : []
    const all = (places.get(name) ?? []).filter(isOwnPlace)
    return all.length < count.get(name)!.length ? [] : all
  }
  const own = names.map(findOwn)
  const isOwn = new Set(own.flat())
  const added = [...received.keys()].filter(at => (isAhead ? at >= names.length : !isOwn.has(at)))
  const header = tagNames(received, added, plan)
  const exact = findPlaces(header, added)
  const alike = findPlaces(header.map(plain), added)
  const isWhole = own.every(at => at.length > 0)
  /** Unless input columns come first, a name that both kinds have is ambiguous. */
  const isUncertain = (name: string): boolean => {
    if (isAhead || !isNamed || !count.has(name) || !places.has(name)) return false
    return !isWhole || places.get(name)!.length !== count.get(name)!.length
  }
  const find = (name: string): number => {
    const at = exact.get(name) ?? alike.get(plain(name)) ?? []
    if (at.length > 1 || (at.length === 0 && isUncertain(plain(name))))
      throw new FettleError(
        'FETTLE_LEDGER',
        `the enriched file has ${places.get(plain(name))!.length} columns ${JSON.stringify(name)}, and it is unclear which of them the service added`,
      )
    return at[0] ?? -1
  }
  const ownOfInput = Array.from({ length: uploadColumns(plan) }, (_, index) => own[cells.indexOf(index)] ?? [])
  return { header, received, own: ownOfInput, added, find }
}

/** Asked for by every run, or read of every answer. */
const READ_TAGS = [
  'rowNumber',
  'connectId',
  'safeNumber',
  'companyName',
  'legalName',
  'duplicate',
  'duplicateId',
  'banding',
  'pattern',
]

/** Letters and digits. */
const squash = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** A segment such as `en` inside a tag: the language of its name. */
const withoutLanguage = (name: string): string => name.replace(/\.[a-z]{2}(?=\.)/gi, '')

/**
 * The header with tags in place of their other spellings: those that the pipeline names, `General Connect ID`, `general.en.connectId`, and
 * of the general tags `Connect ID`. A column of the list, or one of several that might be a tag, keeps its name.
 */
function tagNames(
  received: readonly string[],
  added: readonly number[],
  { headers = {}, enrich = null, mappings }: Naming,
): string[] {
  const names = [...received]
  const asked = new Set([...(enrich?.tags ?? []), ...READ_TAGS.map(name => `general.${name}`), ...Object.keys(headers)])
  const isMapping = new Set(mappings.map(({ mapping }) => squash(mapping)))
  const has = new Set(added.map(at => plain(received[at]!)))
  const shortName = (tag: string): string => (tag.startsWith('general.') ? squash(tag.slice('general.'.length)) : '')
  for (const tag of asked) {
    const named = headers[tag]
    if (named === undefined && has.has(plain(tag))) continue
    const short = isMapping.has(shortName(tag)) ? '' : shortName(tag)
    const isTag = (name: string): boolean =>
      named !== undefined
        ? plain(name) === plain(named)
        : squash(withoutLanguage(name)) === squash(tag) || (short !== '' && squash(name) === short)
    const found = added.filter(at => names[at] === received[at] && isTag(received[at]!))
    if (found.length === 1) names[found[0]!] = tag
  }
  return names
}

function findPlaces(names: readonly string[], among: Iterable<number> = names.keys()): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const at of among) {
    const found = places.get(names[at]!)
    if (found === undefined) places.set(names[at]!, [at])
    else found.push(at)
  }
  return places
}
