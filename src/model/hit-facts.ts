/** The facts of a hit, about the entry of a list, in one form: two hits with the same facts differ in nothing that a person decides by. */

/** Values by field, both sorted. */
export type Facts = Readonly<Record<string, readonly string[]>>

export interface Hit {
  /** The list and the id of the entry in it; '' where the service shows none. */
  readonly list: string
  readonly entry: string
  readonly name: string
  readonly score: number
  readonly datasets: readonly string[]
  readonly facts: Facts
}

/** The type of the identifier by which fettle's own service names list and entry. */
const LIST_ENTRY = 'list entry'

/** They are about the search, the decision or the place of a document, or are the id of the entry. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['id', 'hitScore', 'match', 'note', 'decision', 'supersededHit', 'correlationId', 'sanctionId'],
  ...['createdAt', 'modifiedAt', 'modifiedById', 'modifiedBy', 'profileImages', 'link', 'documentLink'],
])

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without order; texts that could end a value are quoted, so that different values differ. */
function formatValue(value: unknown): string {
  if (value == null) return ''
  if (Array.isArray(value)) {
    const parts = value.map(formatValue).filter(text => text !== '')
    return parts.length < 2 ? (parts[0] ?? '') : `[${parts.sort().join(', ')}]`
  }
  if (isFields(value)) {
    const parts = formatFields(value)
    return parts.length === 0 ? '' : `{${parts.sort().join(', ')}}`
  }
  const text = String(value).trim()
  return /[,{}[\]"]/.test(text) ? JSON.stringify(text) : text
}

/** Facts of a listing are one field deeper: `{ type, value: { regime } }`. */
const formatFields = (fields: Fields): string[] =>
  Object.entries(fields).flatMap(([key, field]) => {
    if (LEFT_OUT.has(key)) return []
    if (key === 'value' && isFields(field)) return formatFields(field)
    const text = formatValue(field)
    return text === '' ? [] : [`${key} ${text}`]
  })

function collectFacts(fields: Fields, path: string, found: Map<string, readonly string[]>): void {
  for (const [key, value] of Object.entries(fields)) {
    if (LEFT_OUT.has(key)) continue
    const name = path === '' ? key : `${path}.${key}`
    if (isFields(value)) collectFacts(value, name, found)
    else {
      const texts = (Array.isArray(value) ? value.map(formatValue) : [String(value ?? '').trim()]).filter(text => text !== '')
      if (texts.length > 0) found.set(name, [...new Set(texts)].sort())
    }
  }
}

/** The entry of a hit by the whole record of it; `clean` is applied to every text. */
export function readHit(record: Fields, clean: (text: string) => string): Hit {
  const cleaned = JSON.parse(JSON.stringify(record), (_, value) => (typeof value === 'string' ? clean(value) : value)) as Fields
  const identifiers = Array.isArray(cleaned.identifiers) ? (cleaned.identifiers as unknown[]) : []
  const isPlace = (item: unknown): boolean => isFields(item) && item.type === LIST_ENTRY
  const place = identifiers.find(isPlace)
  const [list = '', entry = ''] = isFields(place) ? splitPlace(String(place.value)) : describePlace(cleaned)
  const found = new Map<string, readonly string[]>()
  const { amlResults, ...fields } = { ...cleaned, identifiers: identifiers.filter(item => !isPlace(item)) } as Fields
  collectFacts({ ...fields, ...(isFields(amlResults) && amlResults) }, '', found)
  const facts = Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  const datasets = Array.isArray(cleaned.datasets) ? cleaned.datasets.map(String) : []
  return { list, entry, name: String(cleaned.name ?? ''), score: Number(cleaned.hitScore ?? 0), datasets, facts }
}

/** A list has no blank in its name. */
const splitPlace = (text: string): string[] => {
  const at = text.indexOf(' ')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Of a service that names no entry: the titles of its sources, and the ids of its sanctions. */
function describePlace(record: Fields): [list: string, entry: string] {
  const titles = new Set<string>()
  const ids = new Set<string>()
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look)
    else if (isFields(value)) {
      if (typeof value.sanctionId === 'string' && value.sanctionId !== '') ids.add(value.sanctionId)
      Object.values(value).forEach(look)
    }
  }
  look(record.amlResults)
  for (const source of Array.isArray(record.sources) ? record.sources : [])
    if (isFields(source) && typeof source.title === 'string') titles.add(source.title)
  return [[...titles].sort().join(' | '), [...ids].sort().join(' | ')]
}

/** The names of an entry, for comparing entries whose ids differ. */
export const namesIn = (facts: Facts): ReadonlySet<string> =>
  new Set(['name', 'aliases'].flatMap(field => facts[field] ?? []).flatMap(text => text.match(/(?<=\bname )[^,}]+/g) ?? [text]))

/** `regime: Russia -> Iran`, a text for each field that differs. */
export const compareFacts = (before: Facts, now: Facts): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].sort().flatMap(field => {
    const [was, is] = [before[field] ?? [], now[field] ?? []]
    const [gone, added] = [was.filter(text => !is.includes(text)), is.filter(text => !was.includes(text))]
    return gone.length + added.length === 0 ? [] : [`${field}: ${gone.join(' | ') || '-'} -> ${added.join(' | ') || '-'}`]
  })
