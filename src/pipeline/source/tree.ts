/**
 * The tree of a pipeline file, with the offset and the source text of each part. YAML, JSON and plain objects are converted to
 * this tree.
 */
import type { ErrorCode } from '../../errors.ts'

export type Path = readonly PropertyKey[]

export interface TreeScalar {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
  /** As written in the file; for text the text itself, before any `${…}` was filled in. */
  readonly source: string
  /** Offset of its first character, null when it does not come from a file. */
  readonly offset: number | null
  /** `filled`: some `${…}` in it was replaced. `broken`: one could not be, and that has been reported. */
  readonly state: 'literal' | 'filled' | 'broken'
}

/** Values by key; a Map, so that no key can touch a prototype. */
export interface TreeMap {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, TreeEntry>
  readonly offset: number | null
}

export interface TreeEntry {
  readonly offset: number | null
  readonly node: Tree
}

export type Tree =
  | TreeScalar
  | TreeMap
  | { readonly kind: 'list'; readonly items: readonly Tree[]; readonly offset: number | null }

/** One problem, by path (resolved to a place later) or by offset when the tree does not exist yet. */
export type SyntaxIssue = {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly severity?: 'warn' | 'info'
} & ({ readonly path: Path; readonly part?: 'key' } | { readonly offset: number | null })

/** The deepest nesting that is read; a pipeline needs four levels. */
export const MAX_DEPTH = 64

export function nodeAt(tree: Tree, path: Path): Tree | undefined {
  let node: Tree | undefined = tree
  for (const step of path) {
    if (node?.kind === 'map') node = node.entries.get(String(step))?.node
    else if (node?.kind === 'list') node = node.items[Number(step)]
    else return undefined
  }
  return node
}

/** The offset of the deepest part of a path that exists; with `key` of its key rather than its value. */
export function offsetAt(tree: Tree, path: Path, part?: 'key'): number | null {
  const parent = nodeAt(tree, path.slice(0, -1))
  if (part === 'key' && parent?.kind === 'map') {
    const entry = parent.entries.get(String(path.at(-1)))
    if (entry !== undefined) return entry.offset
  }
  const node = nodeAt(tree, path)
  if (node !== undefined || path.length === 0) return node?.offset ?? null
  return offsetAt(tree, path.slice(0, -1), part)
}

/** The tree as ordinary values. `Object.fromEntries` defines properties, so a key `__proto__` stays an ordinary key. */
export function toPlain(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value
  if (tree.kind === 'list') return tree.items.map(toPlain)
  return Object.fromEntries([...tree.entries].map(([key, { node }]) => [key, toPlain(node)]))
}

export function mapScalars(tree: Tree, change: (scalar: TreeScalar, path: Path) => TreeScalar, path: Path = []): Tree {
  if (tree.kind === 'scalar') return change(tree, path)
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item, index) => mapScalars(item, change, [...path, index])) }
  const entries = new Map<string, TreeEntry>()
  for (const [key, { offset, node }] of tree.entries) entries.set(key, { offset, node: mapScalars(node, change, [...path, key]) })
  return { ...tree, entries }
}

/** The tree without the parts at these paths; a list loses all its items with one, since the others would move. */
export function prune(tree: Tree, paths: readonly Path[]): Tree {
  if (tree.kind !== 'map') return tree
  const entries = new Map<string, TreeEntry>()
  for (const [key, { offset, node }] of tree.entries) {
    const below = paths.filter(path => String(path[0]) === key).map(path => path.slice(1))
    const gone = below.some(path => path.length === 0) || (below.length > 0 && node.kind !== 'map')
    if (!gone) entries.set(key, { offset, node: prune(node, below) })
  }
  return { ...tree, entries }
}

/** A tree of an object given by a program; null when it is nested too deeply, which a cycle always is. Absent values are left out. */
export function toTree(value: unknown, depth = 0): Tree | null {
  if (depth > MAX_DEPTH) return null
  if (Array.isArray(value)) {
    const items = value.map(item => toTree(item, depth + 1))
    return items.includes(null) ? null : { kind: 'list', items: items as Tree[], offset: null }
  }
  if (typeof value === 'object' && value !== null) {
    const entries = new Map<string, TreeEntry>()
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue
      const node = toTree(item, depth + 1)
      if (node === null) return null
      entries.set(key, { offset: null, node })
    }
    return { kind: 'map', entries, offset: null }
  }
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
  return { kind: 'scalar', value: scalar, source: String(value), offset: null, state: 'literal' }
}
