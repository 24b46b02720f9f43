/** Paths given on the command line, put in place of those of the pipeline before anything else looks at it. */
import { literal } from './interpolate.ts'
import { nodeAt, type Tree, type TreeMap } from './tree.ts'

/** New paths; null or absent leaves the pipeline's own. */
export interface Replacements {
  readonly input?: string | null
  readonly output?: string | null
}

/** The tree with the paths replaced; a pipeline without `output` gets one. */
export function replacePaths(tree: TreeMap, { input, output }: Replacements): TreeMap {
  return replacePath(replacePath(tree, 'input', input), 'output', output)
}

function replacePath(tree: TreeMap, key: 'input' | 'output', path: string | null | undefined): TreeMap {
  if (path === null || path === undefined) return tree
  const old = nodeAt(tree, [key])
  // Literal: a ${ in it is not a reference.
  const value = literal(path)
  const scalar: Tree = { kind: 'scalar', value, source: path, offset: old?.offset ?? tree.offset, state: 'literal' }
  const node: Tree =
    old?.kind === 'map' ? { ...old, entries: new Map([...old.entries, ['path', { offset: old.offset, node: scalar }]]) } : scalar
  return { ...tree, entries: new Map([...tree.entries, [key, { offset: tree.entries.get(key)?.offset ?? tree.offset, node }]]) }
}
