/** A pipeline with the values of its project: the target's service, and defaults for keys that it leaves out. */
import type { Place } from '../../errors.ts'
import { nodeAt, type Path, type SyntaxIssue, type TreeMap } from '../source/tree.ts'
import type { Project, Target } from './project.ts'

/** The project of a pipeline, with the target that was chosen. */
export interface ProjectChoice {
  readonly project: Project
  readonly target: Target | null
}

export interface WithProject {
  readonly tree: TreeMap
  /** Keys with a value of the project. */
  readonly inherited: readonly string[]
  /** Where the value of a key is written in the project file; null for the pipeline's own. */
  readonly origin: (path: Path) => Place | null
  readonly findings: readonly SyntaxIssue[]
}

/** Maps of which a pipeline may replace single keys. */
const BY_KEY = ['checks', 'budget']
const WHOLE = ['notify', 'retention']

export function withProject(tree: TreeMap, { project, target }: ProjectChoice): WithProject {
  const entries = new Map(tree.entries)
  const from = new Map<string, Path>()
  const take = (key: string, source: TreeMap, path: Path): void => {
    const entry = source.entries.get(key)
    if (entry === undefined || entries.has(key)) return
    entries.set(key, entry)
    from.set(key, [...path, key])
  }
  if (target !== null) for (const key of ['service', 'register']) take(key, target.tree, ['targets', target.name])
  for (const key of [...WHOLE, ...BY_KEY]) take(key, project.defaults, ['defaults'])
  for (const key of BY_KEY) {
    const [own, given] = [tree.entries.get(key), nodeAt(project.defaults, [key])]
    if (own?.node.kind !== 'map' || given?.kind !== 'map') continue
    const added = [...given.entries].filter(([name]) => nodeAt(tree, [key, name]) === undefined)
    for (const [name] of added) from.set(`${key}.${name}`, ['defaults', key, name])
    entries.set(key, { ...own, node: { ...own.node, entries: new Map([...own.node.entries, ...added]) } })
  }
  const origin = (path: Path): Place | null => {
    for (const length of [2, 1]) {
      const start = from.get(path.slice(0, length).join('.'))
      if (start !== undefined && path.length >= length) return project.locate([...start, ...path.slice(length)])
    }
    return null
  }
  return { tree: { ...tree, entries }, inherited: [...from.keys()], origin, findings: twoServices(tree, project, target) }
}

/** Neither may win in silence: rows would go to a service that is not meant. */
function twoServices(tree: TreeMap, { file }: Project, target: Target | null): SyntaxIssue[] {
  if (target === null || !tree.entries.has('service') || !target.tree.entries.has('service')) return []
  return [
    {
      code: 'FETTLE_TARGET',
      message: `service: the target ${target.name} of ${file} has one, too`,
      hint: 'Remove the key here: the target decides where the pipeline runs.',
      path: ['service'],
      part: 'key',
    },
  ]
}
