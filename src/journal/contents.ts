/**
 * What events have of rows and companies: cells, names, messages that may quote them. A separate file beside the journal holds it; the
 * journal has ids, counts and the digest of each content. So rows can be forgotten while the journal stays as it was written.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomic } from '../files/atomic-file.ts'
import { syncFolderSync, writeWhole } from '../files/durable.ts'
import type { RunEvent } from './events.ts'

/** The values of an event that are kept apart, by their paths. */
export type Content = Readonly<Record<string, unknown>>

const ERROR = ['error.message'] as const
const COMPANY = ['company.id', 'company.name', 'company.person', 'company.born', 'company.found'] as const

/** Texts, lists, and objects that may be null: in the journal they are empty. */
const PATHS: { readonly [Type in RunEvent['type']]?: readonly string[] } = {
  'run.started': ['plan.profile', 'plan.issues', 'args.refresh-key', 'merged.issues'],
  'output.written': ['samples', 'duplicates', 'changes', 'matches', 'audit.examples', 'decide.rules'],
  'issue.raised': ['issue.message'],
  'candidates.found': ['companies'],
  'candidates.reused': ['companies'],
  'candidates.refused': ['why'],
  'accepted.requested': ['company'],
  'accepted.withdrawn': ['company'],
  'accepted.fetched': ['companies'],
  'accepted.refused': ['company.id', 'company.why'],
  'accepted.lost': ['company'],
  'portfolio.added': ['refused'],
  'portfolio.compared': ['examples'],
  'portfolio.settled': ['left'],
  'decide.made': ['answer.rule', 'answer.why'],
  'decide.reused': ['answer.rule', 'answer.why'],
  'decide.refused': ['why'],
  'screen.requested': ['company'],
  'screen.finished': COMPANY,
  'screen.reused': COMPANY,
  'screen.shared': COMPANY,
  'screen.refused': ['company.id', 'company.why', 'company.person', 'company.born'],
  'hits.judged': ['listed'],
  'events.read': ['listed'],
  'monitor.compared': ['examples'],
  'alerts.written': ['listed'],
  'part.failed': ERROR,
  'stage.failed': ERROR,
  'run.paused': ERROR,
  'run.finished': ERROR,
}

type Node = { readonly [key: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
const emptyOf = (value: unknown): unknown => (Array.isArray(value) ? [] : typeof value === 'string' ? '' : null)
const isEmpty = (value: unknown): boolean => value == null || value === '' || (Array.isArray(value) && value.length === 0)

const valueAt = (node: unknown, [key = '', ...rest]: readonly string[]): unknown => {
  const value = isNode(node) ? node[key] : undefined
  return rest.length === 0 ? value : valueAt(value, rest)
}

const withValue = (node: Node, [key = '', ...rest]: readonly string[], value: unknown): Node => ({
  ...node,
  [key]: rest.length === 0 ? value : withValue(node[key] as Node, rest, value),
})

/** An event without the values that are kept apart, and those values; null for none. */
export function splitContent<E extends { readonly type: RunEvent['type'] }>(event: E): { bare: E; content: Content | null } {
  let bare: Node = event
  const content: Record<string, unknown> = {}
  for (const path of PATHS[event.type] ?? []) {
    const value = valueAt(event, path.split('.'))
    if (isEmpty(value)) continue
    content[path] = value
    bare = withValue(bare, path.split('.'), emptyOf(value))
  }
  return { bare: bare as E, content: Object.keys(content).length === 0 ? null : content }
}

/** The values of an event at these paths, also those that are empty. */
export const contentAt = (event: RunEvent, paths: readonly string[]): Content =>
  Object.fromEntries(paths.map(path => [path, valueAt(event, path.split('.'))]))

export const joinContent = <E extends object>(bare: E, content: Content): E =>
  Object.entries(content).reduce<Node>((event, [path, value]) => withValue(event, path.split('.'), value), bare as Node) as E

export const digestContent = (content: Content): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)

export const contentsPath = (journal: string): string => `${journal.replace(/\.jsonl$/, '')}-rows.jsonl`

/** By the number of the line in the journal, from 1. */
export type Contents = ReadonlyMap<number, Content>

const toLine = (line: number, content: Content): string => `${JSON.stringify({ line, content })}\n`

/** The lines of a file of contents, and what their bytes end at. Throws for a line in any other form, and for a number that is not above the one before. */
function* parseLines(bytes: Buffer): Generator<{ readonly line: number; readonly content: Content; readonly end: number }> {
  let [before, end] = [0, 0]
  for (let number = 1; ; number++) {
    const start = end
    end = bytes.indexOf(0x0a, start) + 1
    if (end === 0) return
    const text = bytes.toString('utf8', start, end)
    const { line, content } = parseLine(text) ?? { line: 0, content: {} }
    if (line <= before || toLine(line, content) !== text) throw new Error(`line ${number} is damaged`)
    before = line
    yield { line, content, end }
  }
}

function parseLine(text: string): { readonly line: number; readonly content: Content } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const readBytes = (journal: string): Buffer => {
  const path = contentsPath(journal)
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
}

/** The contents in the file. A kill may leave one whose event was not written, or a torn one, after them: it counts for nothing. */
export const readContents = (journal: string): Contents =>
  new Map([...parseLines(readBytes(journal))].map(({ line, content }) => [line, content]))

/** Where the contents of the first lines of a journal end in the file: what follows was left by a kill. */
export function contentsEnd(journal: string, lines: number): number {
  let last = 0
  for (const { line, end } of parseLines(readBytes(journal))) if (line <= lines) last = end
  return last
}

/** The bytes of the file; 0 without one. */
export const contentsSize = (journal: string): number => statSync(contentsPath(journal), { throwIfNoEntry: false })?.size ?? 0

export const writeContents = (journal: string, contents: Contents): Promise<void> =>
  writeAtomic(contentsPath(journal), [...contents].map(([line, content]) => toLine(line, content)).join(''))

/** Appends contents, each on disk before its event is. One whose event was not written is replaced by the next. */
export class ContentsFile {
  readonly #journal: string
  #file: number | null = null
  /** Where the contents of written events end, and the one that was appended last. */
  #end = 0
  #appended = 0

  constructor(journal: string) {
    this.#journal = journal
  }

  append(line: number, content: Content): void {
    this.#file ??= this.#open(line)
    const bytes = Buffer.from(toLine(line, content))
    if (fstatSync(this.#file).size > this.#end) ftruncateSync(this.#file, this.#end)
    writeWhole(this.#file, bytes)
    fsyncSync(this.#file)
    this.#appended = this.#end + bytes.length
  }

  /** The event of the last content is on disk. */
  commit(): void {
    this.#end = this.#appended
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
  }

  #open(line: number): number {
    const path = contentsPath(this.#journal)
    const isNew = !existsSync(path)
    this.#end = contentsEnd(this.#journal, line - 1)
    const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_CREAT, 0o600)
    if (isNew) syncFolderSync(dirname(path))
    return file
  }
}
