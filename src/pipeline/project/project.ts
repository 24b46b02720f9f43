/** Text of a project file -> project, or all its problems, each with its place. */

import { z } from 'zod'
import type { Issue, Place } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { flag, listOf, map, pattern, text, whole } from '../schema/forms.ts'
import { checkSchema } from '../schema/issues.ts'
import { pipelineSchema } from '../schema/schema.ts'
import { interpolate, literal, type Sources } from '../source/interpolate.ts'
import { placedText, toIssues } from '../source/placed-issues.ts'
import { refuseLiteralSecrets } from '../source/secrets.ts'
import { mapScalars, nodeAt, offsetAt, type Path, type SyntaxIssue, type Tree, type TreeMap, toPlain } from '../source/tree.ts'
import { readYaml } from '../source/yaml.ts'

const { service, register, checks, budget, notify, retention } = pipelineSchema.shape

const NAME = 'the name of a target, of a-z, 0-9 and -'
const targetName = pattern(NAME, /^[a-z0-9][a-z0-9-]{0,39}$/)

const target = map({
  service: service.describe('As in a pipeline: embedded, required, an address, or a map. Absent: the service of the pipeline.'),
  register: register.describe('Registers of the embedded service, for pipelines that name none.'),
  limit: whole(1, 1_000_000_000).optional().describe('Only the first rows of each list.'),
  real: flag().prefault(false).describe('This target has to be named: it cannot be the default.'),
})

export const projectSchema = map({
  $schema: text('the address of a JSON Schema').optional().describe('For editors; fettle does not read it.'),
  version: z.literal(1).prefault(1).describe('Version of this format.'),
  target: targetName.optional().describe('The target of commands that name none. Absent: every command has to name one.'),
  targets: z
    .record(targetName, target, { error: 'targets by their names, of a-z, 0-9 and -' })
    .prefault({})
    .describe('Where the pipelines run; a command chooses one by its name.'),
  defaults: map({
    checks: checks.describe('Checks of every pipeline; a pipeline may replace each of them.'),
    budget: budget.describe('The budget of every pipeline; a pipeline may replace each limit.'),
    reporters: listOf(text('a reporter such as junit or junit=out/junit.xml'), 'a list of reporters', 0, 20)
      .optional()
      .describe('Reporters of runs whose command names none.'),
    notify: notify.describe('Receivers of pipelines that have no `notify`.'),
    retention: retention.describe('Age of the runs to remove, of pipelines without `retention`.'),
  })
    .prefault({})
    .describe('Values of keys that a pipeline leaves out.'),
  outputRoots: listOf(text('a folder'), 'a list of folders', 0, 50)
    .prefault([])
    .describe('Folders besides the working directory that outputs may be in; relative ones start from the folder of this file.'),
})

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
  const all = [...found.filter(finding => !isOfOneTarget(finding, tree)), ...literalSecrets(tree), ...defaultTarget(checked.tree)]
  if (all.length > 0) return refuse(all, tree)
  const { target = null, defaults, outputRoots } = projectSchema.parse(toPlain(kept(checked.tree)))
  const limits = found.filter(finding => isOfOneTarget(finding, tree))
  return {
    project: {
      file,
      target,
      targets: [...mapAt(tree, ['targets']).entries.keys()].map(name => {
        const own = limits.filter(limit => 'path' in limit && limit.path[1] === name)
        const { limit } = toPlain(mapAt(checked.tree, ['targets', name])) as { readonly limit?: unknown }
        const issues = refuse(own, tree).issues
        return { name, limit: typeof limit === 'number' ? limit : null, tree: mapAt(tree, ['targets', name]), issues }
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

/** With `${NAME}` filled in where it is not part of a pipeline. */
function fillIn(tree: TreeMap, env: Sources['env']): { readonly tree: Tree; readonly findings: readonly SyntaxIssue[] } {
  const own = mapScalars(tree, (scalar, path) =>
    typeof scalar.value === 'string' && isOfPipeline(path) ? { ...scalar, value: literal(scalar.value) } : scalar,
  )
  const filled = interpolate(own, { env, vars: {}, run: {} })
  const findings = filled.findings.map(finding => ({
    ...finding,
    hint: finding.hint?.startsWith('Set ') === true ? finding.hint : FORMS,
  }))
  return { tree: filled.tree, findings }
}

const FORMS = 'Write ${NAME} or ${NAME:-default}: only the environment is known here.'

/** Of a target that is not chosen nothing is read from the environment. */
const isOfOneTarget = (syntaxIssue: SyntaxIssue, tree: Tree): boolean => {
  if (!('path' in syntaxIssue) || syntaxIssue.path[0] !== 'targets' || syntaxIssue.path[2] !== 'limit') return false
  const node = nodeAt(tree, syntaxIssue.path)
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

/** Credentials of the targets and of the receivers must be references, as in a pipeline. */
function literalSecrets(tree: TreeMap): SyntaxIssue[] {
  const parts: Path[] = [['defaults'], ...[...mapAt(tree, ['targets']).entries.keys()].map(name => ['targets', name])]
  return parts.flatMap(prefix =>
    refuseLiteralSecrets(mapAt(tree, prefix)).findings.map(finding => ({
      ...finding,
      message: `${prefix.join('.')}.${finding.message}`,
      path: [...prefix, ...finding.path],
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
  const message = `target: ${node.value} is real: it has to be named by each command`
  return [{ ...at, message, hint: 'Name another target.' }]
}

/** The project of a pipeline, with the target that was chosen. */
export interface ProjectChoice {
  readonly project: Project
  readonly target: Target | null
}

/** Maps whose single keys a pipeline may replace. */
const BY_KEY = ['checks', 'budget']
const WHOLE = ['notify', 'retention']

/**
 * A pipeline with the values of its project: the target's service, and defaults for the keys that it leaves out (`inherited`). `origin`:
 * where the value of a key is written in the project file; null for the pipeline's own.
 */
export function withProject(tree: TreeMap, choice: ProjectChoice | null) {
  if (choice === null) return { tree, inherited: [], origin: () => null, findings: [] }
  const { project, target } = choice
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
  const message = `service: the target ${target.name} of ${file} has one, too`
  const hint = 'Remove the key here: the target decides where the pipeline runs.'
  return [{ code: 'FETTLE_TARGET', message, hint, path: ['service'], part: 'key' }]
}
