/**
 * Fills in `${…}` after parsing, so that a value can never add a key. Values come from the environment, the pipeline's `vars` and
 * facts of the run, and never appear in a message. Paths of the command line replace the paths of the file before.
 */
import { formatOfName, isNameFor, OUTPUT_FORMAT_NAMES } from '../../formats/index.ts'
import { didYouMean, nearest } from '../../nearest.ts'
import { show } from './quote.ts'
import { mapScalars, nodeAt, type Path, type SyntaxIssue, type Tree, type TreeMap, type TreeScalar } from './tree.ts'

export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values of `--var`; each must be declared under `vars:`, which gives its default. */
  readonly vars: Readonly<Record<string, string>>
  /** Values of `${run.…}`: the date as `2026-03-31`, the target in a project, and the run's id once it exists. */
  readonly run: { readonly date?: string; readonly target?: string | undefined; readonly id?: string }
}

/** A lookup of one `${…}`: its value, or why it has none; a null problem has been reported where it arose. */
type Lookup = ({ readonly value: string } & Partial<Origin>) | { readonly problem: string | null; readonly hint?: string }

/** What of a value comes from the environment: the variables, and whether they are only a part of it. */
interface Origin {
  readonly environment: readonly string[]
  readonly isPart: boolean
}

const ENV = /^([A-Za-z_][A-Za-z0-9_]*)(?::([-?])([\s\S]*))?$/
const DOTTED = /^(vars|run)\.([A-Za-z][A-Za-z0-9_-]*)$/
const VAR_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/
const FORMS = 'Write ${NAME}, ${NAME:-default}, ${NAME:?why}, ${vars.name} or ${run.date}; $${ is a literal ${.'

/** Escapes a text, so that a pipeline reads it literally. */
export const literal = (text: string): string => text.replaceAll('${', () => '$${')

/** Credentials and settings of fettle and of S3, which no value of a pipeline may contain; Windows ignores case in names. */
const OWN_VARIABLE = /^(?:FETTLE|AWS)_/i

/**
 * The tree with every `${…}` filled in, and everything that could not be: all of it at once. `environmentAt`: the variables of the
 * environment in the value at a path, as `${NAME}`.
 */
export function interpolate(tree: Tree, sources: Sources) {
  const findings: SyntaxIssue[] = []
  const origins = new Map<string, Origin>()
  const run = new Map(Object.entries(sources.run).filter((entry): entry is [string, string] => entry[1] !== undefined))

  const declared = nodeAt(tree, ['vars'])
  const declaredNames = declared?.kind === 'map' ? [...declared.entries.keys()] : []
  const vars = new Map<string, string | null>(declaredNames.map(name => [name, null]))
  const lookUp = (reference: string, inVars: boolean): Lookup => {
    const [, family, name] = DOTTED.exec(reference) ?? []
    if (family === 'vars' && inVars) return { problem: 'a variable cannot be made of another' }
    if (family === 'vars') {
      const found = lookUpNamed(vars, name!, 'is not declared under vars', 'Declared')
      return { ...found, ...origins.get(`vars.${name}`) }
    }
    if (family === 'run') return lookUpNamed(run, name!, 'is not known', 'Known')
    return lookUpEnv(reference, sources.env)
  }

  for (const name of declaredNames) {
    if (!VAR_NAME.test(name)) {
      const message = `vars: ${show(name)} cannot name a variable: letters, digits, _ and -, a letter first`
      findings.push({ code: 'FETTLE_PIPELINE_KEY', message, path: ['vars', name], part: 'key' })
    }
  }
  const fillIn = (scalar: TreeScalar, path: Path): TreeScalar => {
    if (typeof scalar.value !== 'string' || !scalar.value.includes('${')) return scalar
    const inVars = path[0] === 'vars'
    const { text, problems, names, broken, origin } = expand(scalar.value, reference => lookUp(reference, inVars))
    const report = (code: SyntaxIssue['code'], message: string, hint: string): TreeScalar => {
      findings.push({ code, message: `${path.join('.')}: ${message}`, hint, path })
      return { ...scalar, state: 'broken' }
    }
    for (const { message, hint } of problems) report('FETTLE_PIPELINE_VARIABLE', message, hint ?? FORMS)
    if (broken) return { ...scalar, state: 'broken' }
    origins.set(path.join('.'), origin)
    if (origin.isPart && isServiceAddress(path)) {
      const message = `${origin.environment.join(' and ')} is a part of the address, which is recorded and printed`
      const hint = 'Write the address, or take all of it from one variable: url: ${NAME}.'
      return report('FETTLE_PIPELINE_URL', message, hint)
    }
    const secrets = inVars || mayHoldSecret(path, text) ? [] : secretNames(origin.environment, text)
    if (secrets.length > 0) {
      const message = `the value of ${secrets.join(' and ')} would be recorded and printed, and may be a secret`
      const hint = 'Use it in an address, service or notify. If it is not a secret, set a variable with another name.'
      return report('FETTLE_PIPELINE_SECRET', message, hint)
    }
    // A variable is judged where it is used.
    if (names.length > 0 && path[0] !== 'description' && !inVars && /[\r\n\0]/.test(text)) {
      const message = `the value of ${names.join(' or ')} contains a line end or a NUL`
      return report('FETTLE_PIPELINE_VARIABLE', message, 'Give a value of one line.')
    }
    return { ...scalar, value: text, state: names.length > 0 ? 'filled' : 'literal' }
  }

  // The variables first: everything else may use them, and --var replaces variables of the file.
  const withVars = mapScalars(tree, (scalar, path) => {
    if (path[0] !== 'vars' || path.length !== 2) return scalar
    const name = String(path[1])
    const filled = Object.hasOwn(sources.vars, name)
      ? { ...scalar, value: sources.vars[name]!, state: 'filled' as const }
      : fillIn(scalar, path)
    if (typeof filled.value === 'string' && filled.state !== 'broken') vars.set(name, filled.value)
    return filled
  })
  for (const name of Object.keys(sources.vars)) {
    if (declaredNames.includes(name)) continue
    const message = `the variable ${name} is not declared under vars${didYouMean(name, declaredNames)}`
    findings.push({ code: 'FETTLE_PIPELINE_VARIABLE', message, hint: listNames('Declared', declaredNames), path: ['vars'] })
  }
  return {
    tree: mapScalars(withVars, (scalar, path) => (path[0] === 'vars' ? scalar : fillIn(scalar, path))),
    findings,
    environmentAt: (path: Path): readonly string[] => origins.get(path.join('.'))?.environment ?? [],
  }
}

/** Whether the value at a path is neither recorded nor printed: credentials, receivers, and what of an address may be secret. */
const mayHoldSecret = ([key, part]: Path, text: string): boolean =>
  key === 'service' ||
  key === 'notify' ||
  ((key === 'input' || key === 'output') && (part === 'url' || /^[a-z][a-z\d]*:\/\//i.test(text)))

const SECRET_NAME = /PASSW|SECRET|TOKEN|CREDENTIAL|(?:API|PRIVATE|ACCESS|SIGNING)_?KEY/i
const PASSWORD_IN_ADDRESS = /:\/\/[^/@\s]*:[^/@\s]+@/

/** Variables that are secrets by their name, or all of them where an address in the value has a password. */
const secretNames = (names: readonly string[], text: string): readonly string[] =>
  PASSWORD_IN_ADDRESS.test(text) ? names : names.filter(name => SECRET_NAME.test(name))

const isServiceAddress = (path: Path): boolean => path[0] === 'service' && (path.length === 1 || path[1] === 'url')

function expand(template: string, lookUp: (reference: string) => Lookup) {
  const problems: { message: string; hint?: string }[] = []
  const names: string[] = []
  const environment: string[] = []
  let isPart = false
  let text = ''
  let broken = false
  let at = 0
  for (;;) {
    const start = template.indexOf('${', at)
    if (start < 0) break
    if (template[start - 1] === '$' && start > at) {
      text += `${template.slice(at, start - 1)}\${`
      at = start + 2
      continue
    }
    text += template.slice(at, start)
    const end = template.indexOf('}', start)
    const reference = end < 0 ? template.slice(start + 2) : template.slice(start + 2, end)
    if (end < 0) {
      problems.push({ message: 'a ${ is never closed' })
      return { text, problems, names, broken: true, origin: { environment, isPart } }
    }
    at = end + 1
    if (reference.includes('${')) {
      problems.push({ message: `${show(`\${${reference}}`)} contains another \${: nesting is not possible` })
      broken = true
      at = template.indexOf('}', at) + 1 || template.length
      continue
    }
    const found = lookUp(reference)
    if ('value' in found) {
      names.push(`\${${reference.replace(/:[-?][\s\S]*$/, '')}}`)
      text += found.value
      const { environment: from = [], isPart: isPartOfIt = false } = found
      environment.push(...from)
      if (isPartOfIt || (from.length > 0 && (start > 0 || at < template.length))) isPart = true
    } else {
      broken = true
      if (found.problem !== null) problems.push({ message: found.problem, hint: found.hint })
    }
  }
  return { text: text + template.slice(at), problems, names, broken, origin: { environment, isPart } }
}

function lookUpEnv(reference: string, env: Sources['env']): Lookup {
  const [, name, operator, rest] = ENV.exec(reference) ?? []
  if (name === undefined) {
    if (reference === '') return { problem: '${} names nothing' }
    const what = /^\w+:/.test(reference) ? 'is not a form of reference' : 'is not well formed'
    return { problem: `${show(`\${${reference}}`)} ${what}` }
  }
  if (OWN_VARIABLE.test(name))
    return {
      problem: `\${${name}} is not for pipelines: fettle reads FETTLE_* and AWS_* itself`,
      hint: `Leave the key out where ${name} is its default, or set a variable with another name.`,
    }
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value !== undefined && (value !== '' || operator === undefined))
    return { value, environment: [`\${${name}}`], isPart: false }
  if (operator === '-') return { value: rest! }
  const state = value === undefined ? 'is not set' : 'is empty'
  const why = operator === '?' && rest !== '' ? `: ${rest}` : ''
  return { problem: `\${${name}} ${state}${why}`, hint: `Set ${name}, or give a default: \${${name}:-default}.` }
}

function lookUpNamed(values: ReadonlyMap<string, string | null>, name: string, problem: string, label: string): Lookup {
  const names = [...values.keys()]
  const value = values.get(name)
  if (value === null) return { problem: null }
  if (value !== undefined) return { value }
  const close = nearest(name, names)
  return { problem: `${name} ${problem}${close === null ? '' : `; did you mean ${close}?`}`, hint: listNames(label, names) }
}

const listNames = (label: string, names: readonly string[]): string =>
  `${label}: ${names.length === 0 ? 'none' : names.join(', ')}.`

/** New paths; null or absent leaves the pipeline's own. */
export interface Replacements {
  readonly input?: string | null
  readonly output?: string | null
}

/** The tree with the paths replaced; a pipeline without `output` gets one. */
export function replacePaths(tree: TreeMap, { input, output }: Replacements): TreeMap {
  return replacePath(replacePath(tree, 'input', input), 'output', output)
}

const DATABASE_KEYS = ['sql', 'url', 'table', 'mode']

/** The entries with another path, and without a format that its name contradicts. */
function replaced({ entries, offset }: TreeMap, path: string, node: Tree): TreeMap['entries'] {
  const all = new Map([...entries, ['path', { offset, node }]])
  // The key of an input names its rows, the key of an output belongs to its table.
  for (const key of all.has('table') ? [...DATABASE_KEYS, 'key'] : DATABASE_KEYS) all.delete(key)
  const format = all.get('format')?.node
  const named = OUTPUT_FORMAT_NAMES.find(name => format?.kind === 'scalar' && format.value === name)
  if (named !== undefined && formatOfName(path) !== null && !isNameFor(path, named)) all.delete('format')
  return all
}

function replacePath(tree: TreeMap, key: 'input' | 'output', path: string | null | undefined): TreeMap {
  if (path === null || path === undefined) return tree
  const old = nodeAt(tree, [key])
  // Literal: a ${ in it is not a reference.
  const value = literal(path)
  const scalar: Tree = { kind: 'scalar', value, source: path, offset: old?.offset ?? tree.offset, state: 'literal' }
  const node: Tree = old?.kind === 'map' ? { ...old, entries: replaced(old, path, scalar) } : scalar
  return { ...tree, entries: new Map([...tree.entries, [key, { offset: tree.entries.get(key)?.offset ?? tree.offset, node }]]) }
}
