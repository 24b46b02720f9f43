/**
 * Reads answers generously. A field may be of a neighbouring type, and an optional one null or empty; what cannot be read is left out of
 * its record, so that it never loses the answer around it. Requests are checked strictly, elsewhere.
 */
import type { z } from 'zod'
import type { Operation } from './operation.ts'

/** The schema of an answer. */
export type AnswerSchema<T> = z.ZodType<T>

type Path = readonly PropertyKey[]
type Issue = z.core.$ZodIssue
type Json = Record<PropertyKey, unknown>

export interface AnswerReading<T> {
  /** The answer as the schema describes it; absent when a required part cannot be read. */
  readonly data?: T
  /** What could be read of it. */
  readonly rest: unknown
  /** Where something was left out, without indexes: `items[].pepTier`. */
  readonly dropped: readonly string[]
  /** Why there is no `data`. */
  readonly issue?: { readonly path: Path; readonly message: string }
}

/** A value that does not fit, and the types that would. */
interface Misfit {
  readonly path: Path
  readonly expected: readonly string[]
  readonly issue: Issue
}

const NUMBER = /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/
const TRUTH: Readonly<Record<string, boolean>> = { 0: false, 1: true, false: false, true: true }

/** How a value of another type is read, where it can be read in one way only. Of several types the first here is tried first. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  boolean: value =>
    typeof value === 'string' || typeof value === 'number' ? TRUTH[String(value).trim().toLowerCase()] : undefined,
  number: value => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined),
  int: value => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined),
  // A number beyond those has lost digits.
  string: value =>
    typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
      ? String(value)
      : undefined,
  array: value => (typeof value === 'string' ? [value] : undefined),
}

const formatKey = (path: Path): string => JSON.stringify(path.map(String))
const at = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Json | null | undefined)?.[key], root)
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
const shown = (path: Path): string =>
  path.map((key, depth) => (typeof key === 'number' ? '[]' : `${depth === 0 ? '' : '.'}${String(key)}`)).join('')

/** For a union, reports the issues of the branch whose outer form fits, or else the whole value. */
function listMisfits(issue: Issue, within: Path = []): Misfit[] {
  const path = [...within, ...issue.path]
  if (issue.code !== 'invalid_union')
    return [{ path, expected: issue.code === 'invalid_type' ? [issue.expected] : [], issue: { ...issue, path } as Issue }]
  const inside = issue.errors.find(form => form.length > 0 && form.every(problem => problem.path.length > 0))
  if (inside !== undefined) return inside.flatMap(problem => listMisfits(problem, path))
  const forms = issue.errors.flat().flatMap(error => (error.code === 'invalid_type' ? [String(error.expected)] : []))
  return [{ path, expected: Object.keys(READERS).filter(type => forms.includes(type)), issue: { ...issue, path } }]
}

const misfitsIn = (found: { readonly error?: z.ZodError | undefined }): Misfit[] => {
  const all = (found.error?.issues ?? []).flatMap(issue => listMisfits(issue))
  return [...new Map(all.map(misfit => [formatKey(misfit.path), misfit])).values()]
}

const isId = (path: Path): boolean => /^id$|Id$/.test(String(path.at(-1)))
const isName = (path: Path): boolean => /^name$|Name$/.test(String(path.at(-1)))

/** The types that are read for a required part. Of texts only ids and names: a number is not a status. */
const REQUIRED = ['boolean', 'number', 'int']

class Repair {
  readonly dropped = new Set<string>()
  readonly #answer: unknown
  readonly #list: readonly string[] | undefined
  readonly #complete: boolean
  readonly #tried = new Set<string>()
  readonly #gaps = new Set<unknown[]>()

  constructor(answer: unknown, list: Operation['pages']) {
    this.#answer = answer
    this.#list = list && (list.items?.split('.') ?? [])
    this.#complete = list?.complete ?? false
  }

  #isInArray = (path: Path): boolean => Array.isArray(at(this.#answer, path.slice(0, -1)))

  /** Whether a path leads into an item of the list. */
  #isOfItem = (path: Path): boolean =>
    this.#list?.every((key, depth) => path[depth] === key) === true && typeof path[this.#list.length] === 'number'

  #isItem = (path: Path): boolean => this.#isOfItem(path) && path.length === (this.#list?.length ?? 0) + 1

  /** A field of an item or of a record in it, except the item's id: the item can be used without it. */
  #isSpare = (path: Path): boolean => {
    const fields = path.slice((this.#list?.length ?? 0) + 1)
    const isId = fields.length === 1 && /^id$|Id$/.test(String(fields[0]))
    return this.#isOfItem(path) && fields.length > 0 && !isId && fields.every(key => typeof key === 'string')
  }

  #set(path: Path, value: unknown): void {
    const parent = at(this.#answer, path.slice(0, -1))
    const key = path.at(-1)
    if (typeof parent !== 'object' || parent === null || key === undefined) return
    if (value !== undefined) (parent as Json)[key] = value
    else if (!Array.isArray(parent)) delete (parent as Json)[key]
    // Indexes stay as they are until all misfits are dealt with.
    else if (this.#gaps.add(parent)) parent[Number(key)] = undefined
  }

  #read({ path, expected }: Misfit, value: unknown, isRequired: boolean): unknown {
    if (this.#tried.has(formatKey(path))) return undefined
    this.#tried.add(formatKey(path))
    const types = isRequired && !isId(path) && !isName(path) ? expected.filter(type => REQUIRED.includes(type)) : expected
    return types.map(type => READERS[type]?.(value)).find(read => read !== undefined)
  }

  /** Whether a misfit is a field that an item of the list lacks, and that was reported. */
  isLacking = ({ path }: Misfit): boolean =>
    this.#isSpare(path) && at(this.#answer, path) === undefined && this.dropped.has(shown(path))

  /** Repairs or removes misfits; gives the issues of those that would take the whole answer with them. */
  apply(misfits: readonly Misfit[], check: () => readonly Misfit[]): { readonly hasChanged: boolean; readonly fatal: Issue[] } {
    const values = misfits.map(({ path }) => at(this.#answer, path))
    for (const { path } of misfits) if (path.length > 0) this.#set(path, undefined)
    const missing = new Set(check().map(({ path }) => formatKey(path)))
    const fatal: Issue[] = []
    let hasChanged = false
    for (const [index, misfit] of misfits.entries()) {
      const { path, issue } = misfit
      const value = values[index]
      const isRequired = path.length === 0 || (missing.has(formatKey(path)) && (!this.#isInArray(path) || this.#isItem(path)))
      const read = this.#read(misfit, value, isRequired)
      if (read !== undefined) this.#set(path, read)
      else if (isRequired) {
        const record = path.slice(0, -1)
        const isItem = this.#isItem(path)
        if (this.#isSpare(path)) this.dropped.add(shown(path))
        else if (record.length === 0 || ((isItem || this.#isItem(record)) && this.#complete)) {
          fatal.push(issue)
          if (isItem) this.#set(path, value)
          else if (value !== undefined && path.length > 0) {
            hasChanged = true
            if (!isEmpty(value)) this.dropped.add(shown(path))
          }
          continue
        } else if (isItem) this.dropped.add(shown(path))
        else {
          if (at(this.#answer, record) === undefined) continue
          this.#set(record, undefined)
          this.dropped.add(shown(path))
        }
      } else if (!isEmpty(value)) this.dropped.add(shown(path))
      hasChanged = true
    }
    for (const array of this.#gaps) {
      const kept = array.filter(item => item !== undefined)
      array.length = 0
      for (const item of kept) array.push(item)
    }
    if (this.#gaps.size > 0) this.#tried.clear()
    this.#gaps.clear()
    return { hasChanged, fatal }
  }
}

/**
 * Reads an answer, and changes it: `answer` must be fresh. An item of its `list` that cannot be read is left out and named, or fails the
 * answer if the list has to be complete; an item whose id can be read is kept, even if other fields are missing.
 */
export function readAnswer<T>(schema: AnswerSchema<T>, answer: unknown, list?: Operation['pages']): AnswerReading<T> {
  const repair = new Repair(answer, list)
  const read = () => schema.safeParse(answer)
  const first = new Map<string, Issue>()
  for (;;) {
    const parsed = read()
    const misfits = misfitsIn(parsed).filter(misfit => !repair.isLacking(misfit))
    if (misfits.length === 0) {
      const data = parsed.success ? parsed.data : (answer as T)
      return { data, rest: answer, dropped: [...repair.dropped] }
    }
    for (const { path, issue } of misfits) if (!first.has(formatKey(path))) first.set(formatKey(path), issue)
    const { hasChanged, fatal } = repair.apply(misfits, () => misfitsIn(read()))
    const issue = fatal[0] ?? (hasChanged ? undefined : misfits[0]?.issue)
    if (!hasChanged && issue !== undefined)
      return { rest: answer, dropped: [...repair.dropped], issue: first.get(formatKey(issue.path)) ?? issue }
  }
}
