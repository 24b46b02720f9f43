/**
 * Proposes a mapping for each column, with a confidence and a reason. Header and values are weighed together; below the threshold
 * a column is left out.
 */
import { MAPPINGS, type Mapping } from '../../contract/index.ts'
import { canMatchOn } from '../lint/lint.ts'
import { ADDRESSES, type Claims, claimsOf, type Target, wordsOf } from './claims.ts'
import { evidenceOf, isOwnId, type Knowledge, type SeenColumn, support, whyNot } from './values.ts'

const BAR = 0.7
const MARGIN = 0.04
/** Least confidence of a guess that is shown for a person to confirm. */
const WORTH_SHOWING = 0.35
const CONTRADICTED = 0.2
/** With fewer rows, a column of one value is not judged. */
const FEW = 5

/** These distinguish companies: such a column holds more distinct values than the share of rows below. */
const NAMING: readonly Target[] = ['name', 'orgNumber', 'vatNumber', 'taxCode', 'phone', 'email', 'address1']
const MOSTLY_ALIKE = 0.03

export interface Proposed {
  readonly column: SeenColumn
  /** `mapped` is taken; `unsure` is below the bar, or as good as another; `left` is nothing that the service takes. */
  readonly status: 'mapped' | 'unsure' | 'left'
  readonly target: Mapping | 'key' | null
  /** From 0 to 1. */
  readonly confidence: number
  readonly why: string
  /** Neither header nor values are recognised. */
  readonly isUnknown?: boolean
}

export interface Proposal {
  readonly columns: readonly Proposed[]
  /** A name or an identifier is mapped, so that companies can be found. */
  readonly isEnough: boolean
  /** The first row seems to be data, so the proposal is unreliable. */
  readonly isHeaderless: boolean
}

/** Choices of a person: the index of the column for a mapping, null for none. */
export type Decisions = ReadonlyMap<Mapping | 'key', number | null>

interface Guess {
  readonly column: SeenColumn
  readonly target: Target
  readonly confidence: number
  readonly why: string
}

export function propose(
  columns: readonly SeenColumn[],
  rows: number,
  known: Knowledge,
  decided: Decisions = new Map(),
): Proposal {
  const claims = new Map(columns.map(column => [column, claimsOf(column.header ?? '')]))
  const hasPersons = columns.some(({ header }) => header !== null && isGivenName(header))
  const taken = new Map([...decided].flatMap(([target, index]) => (index === null ? [] : [[index, target] as const])))
  const free = columns.filter(column => !taken.has(column.index))
  const guesses = free.map(column => best(column, claims.get(column)!, { rows, known, hasPersons, decided }))
  const judged = withName(
    free.map((column, at) => judge(column, guesses[at]!, guesses, claims.get(column)!)),
    guesses,
    decided,
  )
  const proposed = columns.map((column): Proposed => {
    const target = taken.get(column.index)
    if (target !== undefined) return { column, status: 'mapped', target, confidence: 1, why: 'you chose it' }
    return judged.find(judgement => judgement.column === column)!
  })
  const numbered = numberAddresses(proposed, new Set(decided.keys()))
  const mapped = numbered.flatMap(({ status, target }) =>
    status === 'mapped' && target !== null && target !== 'key' ? [target] : [],
  )
  return {
    columns: decided.has('key') ? numbered : withKey(numbered, rows),
    isEnough: canMatchOn(mapped),
    isHeaderless: looksHeaderless(columns, claims, known),
  }
}

const isGivenName = (header: string): boolean =>
  /^(first|given|fore) ?name$|^(vorname|pr[eé]nom|voornaam|f[oö]rnamn|fornavn|etunimi|imi[eę])$/i.test(header.trim())

interface Context {
  readonly rows: number
  readonly known: Knowledge
  readonly hasPersons: boolean
  readonly decided: Decisions
}

/** The guesses for a column by itself, best first. */
function best(column: SeenColumn, { claims, holds, ordinal }: Claims, context: Context): Guess[] {
  const { known, decided } = context
  const evidence = evidenceOf(column, known)
  const targets = new Set<Target>([...claims, ...evidence].map(claim => claim.target))
  const guesses = [...targets]
    .filter(target => !decided.has(target as Mapping))
    .map((target): Guess => {
      const claim = claims.find(claim => claim.target === target)?.strength ?? 0
      const seen = evidence.filter(kind => kind.target === target).sort((a, b) => b.weight - a.weight)[0]
      const not = whyNot(target, column, known)
      const isClaimed = claim > 0 && holds.length === 0
      const doubts = 1 - (isClaimed ? claim * (ordinal > 1 && !isAddress(target) ? 0.5 : 1) : 0)
      const sure = 1 - doubts * (1 - (seen?.weight ?? 0)) * (1 - (claim > 0 ? support(target, column, known) : 0))
      const reasons = [
        claim >= 0.8 ? 'the header names it' : claim > 0 ? 'the header hints at it' : '',
        seen?.why ?? '',
        not ?? '',
      ]
      const why = reasons.filter(reason => reason !== '').join(', ')
      return { column, target, why, confidence: not === null ? sure : Math.min(sure, CONTRADICTED + 0.1 * sure) }
    })
  return guesses.map(guess => restrained(guess, column, context)).sort((a, b) => b.confidence - a.confidence)
}

function restrained(guess: Guess, column: SeenColumn, { rows, hasPersons, known }: Context): Guess {
  const { target } = guess
  const lower = (confidence: number, why: string): Guess => ({
    ...guess,
    confidence: Math.min(guess.confidence, confidence),
    why,
  })
  if (target === 'key' && (column.filled < rows || column.distinct < rows * 0.95))
    return lower(CONTRADICTED, 'the header names your own number, but not every row has a different one')
  if (NAMING.includes(target) && rows >= FEW && column.distinct < Math.max(2, column.filled * MOSTLY_ALIKE))
    return lower(CONTRADICTED, column.distinct === 1 ? 'it is the same in every row' : 'it repeats a few values')
  const isPerson = target === 'name' && hasPersons && !evidenceOf(column, known).some(kind => kind.target === 'name')
  return isPerson ? lower(0.5, 'there is a column of first names, so it may contain people') : guess
}

const isAddress = (target: Target): boolean => ADDRESSES.includes(target as Mapping)

function judge(
  column: SeenColumn,
  [first, second]: readonly Guess[],
  all: readonly (readonly Guess[])[],
  { claims, holds }: Claims,
): Proposed {
  const left = (why: string): Proposed => ({ column, status: 'left', target: null, confidence: 0, why })
  const unknown: Proposed = { ...left('not recognised'), isUnknown: true }
  if (column.filled === 0) return left('it is empty in every row')
  if (first === undefined) return holds.length > 1 ? left(`it seems to contain several things: ${holds.join(' and ')}`) : unknown
  const { target, confidence, why } = first
  if (target === 'other') return confidence >= BAR ? left(`${why}: nothing the service takes`) : unknown
  if (target === 'key' && confidence < BAR) return left(`key? ${why}`)
  const shown = { column, target, confidence, why }
  if (confidence < WORTH_SHOWING) return why === '' ? unknown : left(`${target}? ${why}`)
  if (confidence < BAR) return { ...shown, status: 'unsure' }
  if (second !== undefined && second.confidence >= BAR && confidence - second.confidence < MARGIN && second.target !== 'other')
    return { ...shown, status: 'unsure', why: `it could as well be ${second.target}` }
  const rivals = isAddress(target)
    ? []
    : all.flatMap(([best]) => (best !== undefined && best.column !== column && best.target === target ? [best] : []))
  const better = rivals.find(rival => rival.confidence - confidence >= MARGIN)
  if (better !== undefined) return { ...shown, status: 'unsure', why: `${columnName(better.column)} is more surely ${target}` }
  const isEqual = (rival: Guess): boolean =>
    Math.abs(rival.confidence - confidence) < MARGIN || (target === 'country' && isOtherCountry(column, claims, rival))
  const equal = rivals.find(isEqual)
  if (equal === undefined) return { ...shown, status: 'mapped' }
  return { ...shown, status: 'unsure', why: `${columnName(equal.column)} could as well be ${target}` }
}

/**
 * Whether a column of countries does not decide between itself and a rival: the country of tax and of registration are two. A header that is
 * one word for a country decides, and any header over a column whose values may be something else.
 */
function isOtherCountry({ header }: SeenColumn, claims: Claims['claims'], rival: Guess): boolean {
  const isNamed = claims.some(claim => claim.target === 'country')
  return isNamed ? rival.confidence >= BAR && wordsOf(header ?? '').length > 1 : rival.confidence >= WORTH_SHOWING
}

export const columnName = ({ header, index }: Pick<SeenColumn, 'header' | 'index'>): string =>
  header === null || header.trim() === '' ? `column ${index + 1}` : JSON.stringify(header)

function numberAddresses(proposed: readonly Proposed[], taken: ReadonlySet<string>): Proposed[] {
  const names = ADDRESSES.filter(name => !taken.has(name))
  let next = 0
  return proposed.map(column => {
    if (column.status !== 'mapped' || column.confidence === 1 || column.target === null || !isAddress(column.target))
      return column
    const target = names[next++]
    return target === undefined
      ? { ...column, status: 'unsure', why: 'there are more address lines than the service takes' }
      : { ...column, target }
  })
}

/** Where no column may be the name, asks about a column of company names whose header names something else. */
function withName(judged: readonly Proposed[], guesses: readonly (readonly Guess[])[], decided: Decisions): readonly Proposed[] {
  if (decided.has('name') || judged.some(({ target }) => target === 'name')) return judged
  return judged.map((found, at) => {
    const guess = guesses[at]!.find(({ target, confidence }) => target === 'name' && confidence >= BAR)
    return guess === undefined || found.status !== 'left' ? found : { ...guess, target: 'name', status: 'unsure' }
  })
}

/** Confidence of a key by its values alone. */
const BY_VALUES = 0.75

/** Makes the first unknown column that looks like an own id the key, unless there is a key. */
function withKey(proposed: readonly Proposed[], rows: number): readonly Proposed[] {
  if (proposed.some(column => column.target === 'key')) return proposed
  const found = proposed.find(column => column.isUnknown === true && isOwnId(column.column, rows))
  if (found === undefined) return proposed
  const why = `every row has a different value of one form, such as ${found.column.examples.slice(0, 2).join(' and ')}`
  const key: Proposed = { column: found.column, status: 'mapped', target: 'key', confidence: BY_VALUES, why }
  return proposed.map(column => (column === found ? key : column))
}

/** No header is recognised, and one of them has the form of the values below it. */
function looksHeaderless(columns: readonly SeenColumn[], claims: ReadonlyMap<SeenColumn, Claims>, known: Knowledge): boolean {
  if (columns.some(column => column.header === null || (claims.get(column)?.claims.length ?? 0) > 0)) return false
  return columns.some(column => {
    const strong = evidenceOf(column, known).find(kind => kind.weight >= 0.6)
    const ofHeader = evidenceOf({ values: Array<string>(10).fill(column.header ?? '') }, known)
    return ofHeader.some(kind => kind.target === strong?.target && kind.weight >= 0.6) || isValue(column) || hasForm(column)
  })
}

/** Whether the header is a value of its column, too: `Gold` above `Silver`, `Gold` and `Gold`. */
const isValue = ({ header, values }: SeenColumn): boolean => header !== '' && values.includes(header ?? '')

/** Fewer values may have one form by chance. */
const FORMED = 10

/** Letters as `a` and digits as `9`: `aaa_9999.aa` of `tse_1101.tw`. */
const readForm = (text: string): string => text.trim().replace(/\p{L}/gu, 'a').replace(/\p{N}/gu, '9')

/** Whether the header has the one form of all values, with digits. */
function hasForm({ header, values }: SeenColumn): boolean {
  const form = readForm(header ?? '')
  return form.includes('9') && values.length >= FORMED && values.every(value => readForm(value) === form)
}

export function chosen({ columns }: Proposal): {
  readonly mappings: readonly (readonly [Mapping, Proposed])[]
  readonly key: Proposed | null
} {
  const mapped = columns.filter(column => column.status === 'mapped')
  return {
    mappings: MAPPINGS.flatMap(mapping =>
      mapped.filter(column => column.target === mapping).map(found => [mapping, found] as const),
    ),
    key: mapped.find(column => column.target === 'key') ?? null,
  }
}
