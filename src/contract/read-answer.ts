/**
 * Reads answers generously. An optional field may be null, empty, or of a neighbouring type; what cannot be read is left out of its
 * record, so that it never loses the answer around it. Requests are checked strictly, elsewhere.
 */
import type { z } from 'zod'

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

const keyOf = (path: Path): string => JSON.stringify(path.map(String))
const at = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Json | null | undefined)?.[key], root)
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
const shown = (path: Path): string =>
  path.map((key, depth) => (typeof key === 'number' ? '[]' : `${depth === 0 ? '' : '.'}${String(key)}`)).join('')

/** Of a union, the misfits are those of the form that fits on the outside, or else the whole value. */
function misfitsOf(issue: Issue, within: Path = []): Misfit[] {
  const path = [...within, ...issue.path]
  if (issue.code !== 'invalid_union')
    return [{ path, expected: issue.code === 'invalid_type' ? [issue.expected] : [], issue: { ...issue, path } as Issue }]
  const inside = issue.errors.find(form => form.length > 0 && form.every(one => one.path.length > 0))
  if (inside !== undefined) return inside.flatMap(one => misfitsOf(one, path))
  const forms = issue.errors.flat().flatMap(one => (one.code === 'invalid_type' ? [String(one.expected)] : []))
  return [{ path, expected: Object.keys(READERS).filter(type => forms.includes(type)), issue: { ...issue, path } }]
}

const misfitsIn = (found: { readonly error?: z.ZodError | undefined }): Misfit[] => {
  const all = (found.error?.issues ?? []).flatMap(issue => misfitsOf(issue))
  return [...new Map(all.map(one => [keyOf(one.path), one])).values()]
}

const isId = (path: Path): boolean => /^id$|Id$/.test(String(path.at(-1)))

class Repair {
  readonly dropped = new Set<string>()
  readonly #answer: unknown
  readonly #list: string | null
  readonly #tried = new Set<string>()
  readonly #gaps = new Set<unknown[]>()

  /** `list`: where the items stand that make up the answer: none of them is left out. */
  constructor(answer: unknown, list: string | null) {
    this.#answer = answer
    this.#list = list
  }

  #isInArray = (path: Path): boolean => Array.isArray(at(this.#answer, path.slice(0, -1)))

  #isItem = (path: Path): boolean => this.#isInArray(path) && path.slice(0, -1).join('.') === this.#list

  #set(path: Path, value: unknown): void {
    const parent = at(this.#answer, path.slice(0, -1))
    const key = path.at(-1)
    if (typeof parent !== 'object' || parent === null || key === undefined) return
    if (value !== undefined) (parent as Json)[key] = value
    else if (!Array.isArray(parent)) delete (parent as Json)[key]
    // Indexes stay as they are until all misfits are dealt with.
    else if (this.#gaps.add(parent)) parent[Number(key)] = undefined
  }

  #read({ path, expected }: Misfit, value: unknown): unknown {
    if (this.#tried.has(keyOf(path))) return undefined
    this.#tried.add(keyOf(path))
    return expected.map(type => READERS[type]?.(value)).find(one => one !== undefined)
  }

  /** Repairs or removes misfits; gives the issues of those that would take the whole answer with them. */
  apply(misfits: readonly Misfit[], check: () => readonly Misfit[]): { readonly hasChanged: boolean; readonly fatal: Issue[] } {
    const values = misfits.map(({ path }) => at(this.#answer, path))
    for (const { path } of misfits) if (path.length > 0) this.#set(path, undefined)
    const missing = new Set(check().map(({ path }) => keyOf(path)))
    const fatal: Issue[] = []
    let hasChanged = false
    for (const [index, misfit] of misfits.entries()) {
      const { path, issue } = misfit
      const value = values[index]
      const isRequired = path.length === 0 || (missing.has(keyOf(path)) && (!this.#isInArray(path) || this.#isItem(path)))
      const read = isRequired && !isId(path) ? undefined : this.#read(misfit, value)
      if (read !== undefined) this.#set(path, read)
      else if (isRequired) {
        const record = path.slice(0, -1)
        const isItem = this.#isItem(path)
        if (record.length === 0 || isItem || this.#isItem(record)) {
          fatal.push(issue)
          if (isItem) this.#set(path, value)
          else if (value !== undefined && path.length > 0) {
            hasChanged = true
            if (!isEmpty(value)) this.dropped.add(shown(path))
          }
          continue
        }
        if (at(this.#answer, record) === undefined) continue
        this.#set(record, undefined)
        this.dropped.add(shown(path))
      } else if (!isEmpty(value)) this.dropped.add(shown(path))
      hasChanged = true
    }
    for (const array of this.#gaps) {
      const kept = array.filter(one => one !== undefined)
      array.length = 0
      for (const one of kept) array.push(one)
    }
    if (this.#gaps.size > 0) this.#tried.clear()
    this.#gaps.clear()
    return { hasChanged, fatal }
  }
}

/**
 * Reads an answer, and changes it: `answer` must be fresh. Of a list, `list` is the path of its items: an item that cannot be read is
 * not left out, since it would be missed.
 */
export function readAnswer<T>(schema: AnswerSchema<T>, answer: unknown, list?: string | null): AnswerReading<T> {
  const repair = new Repair(answer, list === null ? '' : (list ?? null))
  const read = () => schema.safeParse(answer)
  const first = new Map<string, Issue>()
  for (;;) {
    const parsed = read()
    const dropped = [...repair.dropped]
    if (parsed.success) return { data: parsed.data, rest: answer, dropped }
    const misfits = misfitsIn(parsed)
    for (const { path, issue } of misfits) if (!first.has(keyOf(path))) first.set(keyOf(path), issue)
    const { hasChanged, fatal } = repair.apply(misfits, () => misfitsIn(read()))
    const issue = fatal[0]
    if (!hasChanged && issue !== undefined) return { rest: answer, dropped, issue: first.get(keyOf(issue.path)) ?? issue }
    if (!hasChanged) return { rest: answer, dropped, issue: parsed.error.issues[0]! }
  }
}
