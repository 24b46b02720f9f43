/** Text of a project file -> project, or all its problems, each with its place. */
import type { Issue, Place } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { checkSchema } from '../schema/issues.ts'
import { interpolate, literal, type Sources } from '../source/interpolate.ts'
import { placedText, toIssues } from '../source/placed-issues.ts'
import { refuseLiteralSecrets } from '../source/secrets.ts'
import { mapScalars, nodeAt, offsetAt, type Path, plainOf, type SyntaxIssue, type Tree, type TreeMap } from '../source/tree.ts'
import { readYaml } from '../source/yaml.ts'
import { projectSchema } from './schema.ts'

export interface Target {
  readonly name: string
  readonly limit: number | null
  /** Its keys that a pipeline has, too. */
  readonly tree: TreeMap
  /** Problems of values from the environment, which matter when the target is chosen. */
  readonly issues: readonly Issue[]
}

export interface Project {
  /** As shown. */
  readonly file: string
  /** The target of commands that name none. */
  readonly target: string | null
  readonly targets: readonly Target[]
  readonly defaults: TreeMap
  readonly reporters: readonly string[] | null
  readonly outputRoots: readonly string[]
  readonly locate: (path: Path) => Place
}

const NONE: TreeMap = { kind: 'map', entries: new Map(), offset: null }

const mapAt = (tree: Tree, path: Path): TreeMap => {
  const node = nodeAt(tree, path)
  return node?.kind === 'map' ? node : NONE
}

/** The parts that become parts of a pipeline: `${…}` in them is filled in there. */
const isOfPipeline = ([first, second, third]: Path): boolean =>
  (first === 'targets' && (third === 'service' || third === 'register')) || (first === 'defaults' && second !== 'reporters')

/** Parses the text of a project file. Never throws because of the text. */
export function parseProject(
  text: string,
  file: string,
  env: Sources['env'],
): { readonly project: Project | null; readonly issues: readonly Issue[] } {
  const { source, placeAt } = placedText(text, file)
  const refuse = (findings: readonly SyntaxIssue[], tree: Tree | null) => ({
    project: null,
    issues: toIssues(findings, tree, placeAt, { code: 'FETTLE_PROJECT' }),
  })
  const { tree: written, findings: broken } = readYaml(source)
  if (broken.length > 0) return refuse(broken, null)
  const tree = written ?? NONE
  if (tree.kind !== 'map')
    return refuse([{ code: 'FETTLE_PROJECT', message: 'expected keys and values, such as targets:', offset: tree.offset }], null)
  const filled = fillIn(tree, env)
  const checked = checkSchema(withoutReferences(filled.tree), PROJECT)
  const found = [...filled.findings, ...checked.findings]
  const all = [...found.filter(one => !isOfOneTarget(one, tree)), ...literalSecrets(tree), ...defaultTarget(checked.tree)]
  if (all.length > 0) return refuse(all, tree)
  const { target = null, defaults, outputRoots } = projectSchema.parse(plainOf(kept(checked.tree)))
  const limits = found.filter(one => isOfOneTarget(one, tree))
  return {
    project: {
      file,
      target,
      targets: [...mapAt(tree, ['targets']).entries.keys()].map(name => {
        const own = limits.filter(one => 'path' in one && one.path[1] === name)
        return { ...targetOf(tree, checked.tree, name), issues: refuse(own, tree).issues }
      }),
      defaults: mapAt(tree, ['defaults']),
      reporters: defaults.reporters ?? null,
      outputRoots,
      locate: path => placeAt(offsetAt(tree, path)),
    },
    issues: [],
  }
}

const PROJECT = { schema: projectSchema, name: 'the project file', examples: {} }

const hasReference = (value: unknown): boolean => typeof value === 'string' && value.includes('${')

/** What a reference will be is not known yet: nothing is reported about it. */
const withoutReferences = (tree: Tree): Tree =>
  mapScalars(tree, (scalar, path) => (isOfPipeline(path) && hasReference(scalar.value) ? { ...scalar, state: 'broken' } : scalar))

/** With `${NAME}` filled in where it is no part of a pipeline. */
function fillIn(tree: TreeMap, env: Sources['env']): { readonly tree: Tree; readonly findings: readonly SyntaxIssue[] } {
  const own = mapScalars(tree, (scalar, path) =>
    typeof scalar.value === 'string' && isOfPipeline(path) ? { ...scalar, value: literal(scalar.value) } : scalar,
  )
  const filled = interpolate(own, { env, vars: {}, run: {} })
  const findings = filled.findings.map(one => ({ ...one, hint: one.hint?.startsWith('Set ') === true ? one.hint : FORMS }))
  return { tree: filled.tree, findings }
}

const FORMS = 'Write ${NAME} or ${NAME:-default}: only the environment is known here.'

/** Of a target that is not chosen nothing is read from the environment. */
const isOfOneTarget = (one: SyntaxIssue, tree: Tree): boolean => {
  if (!('path' in one) || one.path[0] !== 'targets' || one.path[2] !== 'limit') return false
  const node = nodeAt(tree, one.path)
  return node?.kind === 'scalar' && hasReference(node.value)
}

/** The keys that are read here, and not as part of a pipeline. */
const kept = (tree: Tree): TreeMap => {
  const only = (map: TreeMap, names: readonly string[]): TreeMap => ({
    ...map,
    entries: new Map([...map.entries].filter(([name]) => names.includes(name))),
  })
  const defaults = only(mapAt(tree, ['defaults']), ['reporters'])
  const rest = only(mapAt(tree, []), ['target', 'outputRoots'])
  return { ...rest, entries: new Map([...rest.entries, ['defaults', { offset: null, node: defaults }]]) }
}

function targetOf(tree: TreeMap, filled: Tree, name: string): Omit<Target, 'issues'> {
  const { limit } = plainOf(mapAt(filled, ['targets', name])) as { readonly limit?: unknown }
  return { name, limit: typeof limit === 'number' ? limit : null, tree: mapAt(tree, ['targets', name]) }
}

/** Credentials of the targets and of the receivers must be references, as in a pipeline. */
function literalSecrets(tree: TreeMap): SyntaxIssue[] {
  const parts: Path[] = [['defaults'], ...[...mapAt(tree, ['targets']).entries.keys()].map(name => ['targets', name])]
  return parts.flatMap(prefix =>
    refuseLiteralSecrets(mapAt(tree, prefix)).findings.map(one => ({
      ...one,
      ...('path' in one ? { message: `${prefix.join('.')}.${one.message}`, path: [...prefix, ...one.path] } : {}),
    })),
  )
}

function defaultTarget(tree: Tree): SyntaxIssue[] {
  const node = nodeAt(tree, ['target'])
  if (node?.kind !== 'scalar' || typeof node.value !== 'string') return []
  const names = [...mapAt(tree, ['targets']).entries.keys()]
  const at = { code: 'FETTLE_PROJECT', path: ['target'] } as const
  if (!names.includes(node.value))
    return [{ ...at, message: `target: targets has no ${node.value}${didYouMean(node.value, names)}` }]
  const real = nodeAt(tree, ['targets', node.value, 'real'])
  if (real?.kind !== 'scalar' || real.value !== true) return []
  return [
    {
      ...at,
      message: `target: ${node.value} is real: it has to be named by each command`,
      hint: 'Name another target.',
    },
  ]
}
