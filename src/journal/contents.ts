/**
 * What events have of rows and companies: cells, names, messages that may quote them. A separate file beside the journal holds it; the
 * journal has ids, counts and the digest of each content. So rows can be forgotten while the journal stays as it was written.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomic } from '../files/atomic-file.ts'
import { syncFolderSync } from '../files/durable.ts'
import type { RunEvent } from './events.ts'

/** The values of an event that are kept apart, by their paths. */
export type Content = Readonly<Record<string, unknown>>

const ERROR = ['error.message'] as const
const COMPANY = ['company.id', 'company.name'] as const

/** Texts, lists, and objects that may be null: in the journal they are empty. */
const PATHS: { readonly [Type in RunEvent['type']]?: readonly string[] } = {
  'run.started': ['plan.profile', 'plan.issues', 'args.refresh-key', 'merged.issues'],
  'output.written': ['samples', 'duplicates', 'changes', 'matches'],
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
  'screen.requested': ['company'],
  'screen.finished': COMPANY,
  'screen.reused': COMPANY,
  'screen.refused': ['company.id', 'company.why'],
  'events.read': ['listed'],
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

/** The contents in the file, whole lines only; of two for one line of the journal, which a kill may leave, the later counts. */
export function readContents(journal: string): Contents {
  const path = contentsPath(journal)
  if (!existsSync(path)) return new Map()
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return new Map(
    lines.flatMap((line): [number, Content][] => {
      try {
        const { line: number, content } = JSON.parse(line) as { line: number; content: Content }
        return [[number, content]]
      } catch {
        // Its event finds it missing.
        return []
      }
    }),
  )
}

export const writeContents = (journal: string, contents: Contents): Promise<void> =>
  writeAtomic(contentsPath(journal), [...contents].map(([line, content]) => toLine(line, content)).join(''))

/** Appends contents, each on disk before its event is. */
export class ContentsFile {
  readonly #path: string
  #file: number | null = null

  constructor(journal: string) {
    this.#path = contentsPath(journal)
  }

  append(line: number, content: Content): void {
    this.#file ??= this.#open()
    const bytes = Buffer.from(toLine(line, content))
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(this.#file, bytes, offset)
    fsyncSync(this.#file)
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
  }

  #open(): number {
    const isNew = !existsSync(this.#path)
    const whole = isNew ? 0 : readFileSync(this.#path).lastIndexOf(0x0a) + 1
    const file = openSync(this.#path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_CREAT, 0o600)
    if (isNew) syncFolderSync(dirname(this.#path))
    // A torn last line is cut off: the next one must not continue it.
    else ftruncateSync(file, whole)
    return file
  }
}
