/**
 * Words the issues of the schema: the form expected, what was found, what may have been meant. A value from the environment is shown
 * as the `${…}` in the file, a credential not at all.
 */
import type { z } from 'zod'
import { nearest } from '../../nearest.ts'
import { show, showList } from '../source/quote.ts'
import { mapScalars, nodeAt, type Path, type SyntaxIssue, type Tree, toPlain } from '../source/tree.ts'
import { keysAt, knownPaths } from './keys.ts'
import { pipelineSchema } from './schema.ts'

type ZodIssue = z.core.$ZodIssue

/** An example line for the keys a pipeline cannot do without. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  name: 'name: suppliers',
  input: 'input: data/suppliers.csv',
  mappings: 'mappings: { name: Company Name, country: Country }',
}

/** What a file is checked against. */
interface Document {
  readonly schema: z.ZodType
  readonly name: string
  readonly examples: Readonly<Record<string, string>>
}

const PIPELINE: Document = { schema: pipelineSchema, name: 'a pipeline', examples: EXAMPLES }

/**
 * Checks a tree against the schema. Filled-in scalars are read as the expected type: `${MIN}` is a number where a number is
 * expected and text where text is.
 */
export function checkSchema(given: Tree, document: Document = PIPELINE) {
  const first = listLeaves(given, document)
  if (first.length === 0) return { tree: given, findings: [] }
  const tree = retype(given, first)
  const leaves = listLeaves(tree, document)
  const suspects = new Set(leaves.filter(leaf => isTextDue(tree, leaf)).map(leaf => leaf.path.join('.')))
  const quoted = mapScalars(tree, (scalar, path) => (suspects.has(path.join('.')) ? { ...scalar, value: scalar.source } : scalar))
  const stillWrong = new Set(suspects.size === 0 ? [] : listLeaves(quoted, document).map(leaf => leaf.path.join('.')))
  const findings: SyntaxIssue[] = []
  const seen = new Set<string>()
  for (const leaf of leaves) {
    const key = leaf.path.join('.')
    if (leaf.code !== 'unrecognized_keys' && (seen.has(key) || isBroken(tree, leaf.path))) continue
    seen.add(key)
    if (leaf.code === 'unrecognized_keys') findings.push(...leaf.keys.map(name => unknownKey(tree, leaf.path, name, document)))
    else if (suspects.has(key) && !stillWrong.has(key)) findings.push(putInQuotes(tree, leaf.path))
    else findings.push(wrongValue(tree, leaf, document))
  }
  return { tree, findings }
}

/** The schema's issues; for a union, the issues of the alternative that was meant. */
function listLeaves(tree: Tree, { schema }: Document): ZodIssue[] {
  const result = schema.safeParse(toPlain(tree))
  return result.success ? [] : result.error.issues.flatMap(problem => flatten(tree, problem, []))
}

function flatten(tree: Tree, zodIssue: ZodIssue, prefix: Path): ZodIssue[] {
  const path = [...prefix, ...zodIssue.path]
  if (zodIssue.code !== 'invalid_union') return [{ ...zodIssue, path }]
  const isScalar = nodeAt(tree, path)?.kind === 'scalar'
  // A word in place of a map is not about the map.
  const isOther = ({ code }: ZodIssue): boolean => code === 'invalid_type' || (code === 'invalid_value' && !isScalar)
  const rootType = (branch: ZodIssue[]) => branch.find(inner => isOther(inner) && inner.path.length === 0)
  const meant =
    zodIssue.errors.find(branch => rootType(branch) === undefined) ??
    (isScalar ? zodIssue.errors.find(branch => expectsText(rootType(branch))) : undefined)
  return meant === undefined ? [{ ...zodIssue, path }] : meant.flatMap(inner => flatten(tree, inner, path))
}

const expectsText = (zodIssue: ZodIssue | undefined): boolean =>
  zodIssue?.code === 'invalid_type' && zodIssue.expected === 'string'

function isTextDue(tree: Tree, leaf: ZodIssue): boolean {
  const node = nodeAt(tree, leaf.path)
  return expectsText(leaf) && node?.kind === 'scalar' && (typeof node.value === 'number' || typeof node.value === 'boolean')
}

function isBroken(tree: Tree, path: Path): boolean {
  const node = nodeAt(tree, path)
  return node?.kind === 'scalar' && node.state === 'broken'
}

function retype(tree: Tree, leaves: readonly ZodIssue[]): Tree {
  const due = new Map<string, string>()
  for (const leaf of leaves) {
    if (leaf.code === 'invalid_type') due.set(leaf.path.join('.'), leaf.expected)
    if (leaf.code === 'invalid_value' && leaf.values.some(value => typeof value === 'number'))
      due.set(leaf.path.join('.'), 'number')
  }
  return mapScalars(tree, (scalar, path) => {
    const expected = due.get(path.join('.'))
    if (scalar.state !== 'filled' || typeof scalar.value !== 'string' || expected === undefined) return scalar
    if (expected === 'boolean' && /^(true|false)$/.test(scalar.value)) return { ...scalar, value: scalar.value === 'true' }
    const isNumber = (expected === 'number' || expected === 'int') && /^-?\d+(\.\d+)?$/.test(scalar.value)
    return isNumber ? { ...scalar, value: Number(scalar.value) } : scalar
  })
}

const NAMES_A_SECRET = /pass(word|wd|phrase)?$|token|secret|api.?key|credential/i

function unknownKey(tree: Tree, path: Path, name: string, { schema, name: document }: Document): SyntaxIssue {
  const at = { path: [...path, name], part: 'key' } as const
  const where = path.length === 0 ? document : path.join('.')
  if (NAMES_A_SECRET.test(name) && nodeAt(tree, [...path, name])?.kind === 'scalar') {
    const message = `${at.path.join('.')}: no such key, and a secret has no place in the file`
    return { code: 'FETTLE_PIPELINE_SECRET', message, ...at }
  }
  const keys = keysAt(path, schema)
  const close = nearest(name, keys)
  const places = knownPaths([], schema).filter(knownPath => knownPath.at(-1) === name && knownPath.length > 1)
  // How a list is read is a key of the register, too.
  const elsewhere = places.find(([first]) => first === 'input') ?? places[0]
  const meant =
    close !== null
      ? `; did you mean ${close}?`
      : elsewhere !== undefined
        ? `; it belongs under ${elsewhere.slice(0, -1).join('.')}`
        : ''
  const kind = path.length === 1 && path[0] === 'mappings' ? 'a mapping of the service' : `part of ${where}`
  const message = `${show(name)} is not ${kind}${meant}`
  return { code: 'FETTLE_PIPELINE_KEY', message, hint: `Known: ${keys.join(', ')}.`, ...at }
}

function putInQuotes(tree: Tree, path: Path): SyntaxIssue {
  const node = nodeAt(tree, path)
  const written = node?.kind === 'scalar' ? node.source : ''
  const message = `${path.join('.')}: expected text, found ${found(tree, path)}: put it in quotes`
  return { code: 'FETTLE_PIPELINE_TEXT', message, hint: `Write ${JSON.stringify(written)}.`, path }
}

function wrongValue(tree: Tree, leaf: ZodIssue, { name: document, examples }: Document): SyntaxIssue {
  const { path } = leaf
  const name = path.join('.') || document
  const node = nodeAt(tree, path)
  if (node === undefined) {
    const example = path.length === 1 ? examples[String(path[0])] : undefined
    const hint = example === undefined ? `Expected ${expected(leaf)}.` : `For example: ${example}`
    return { code: 'FETTLE_PIPELINE_MISSING', message: `${name} is missing`, hint, path }
  }
  const message = `${name}: expected ${expected(leaf)}, found ${found(tree, path)}`
  if (node.kind === 'scalar' && node.state === 'filled' && node.value === '')
    return { code: 'FETTLE_PIPELINE_VARIABLE', message, path }
  if (name === 'version') {
    const hint = 'This version of fettle reads version 1; a newer one may read this file.'
    return { code: 'FETTLE_PIPELINE_UNSUPPORTED', message, hint, path }
  }
  const shown = showForm(leaf, examples)
  if (node.kind !== 'scalar' || typeof node.value !== 'string' || node.state !== 'literal')
    return { code: 'FETTLE_PIPELINE_VALUE', message, hint: shown, path }
  const slug = makeSlug(node.value)
  if (name === 'name' && slug !== '') return { code: 'FETTLE_PIPELINE_VALUE', message, hint: `Write name: ${slug}`, path }
  const words = leaf.code === 'invalid_value' ? leaf.values.map(String) : []
  const close = nearest(node.value, words)
  if (close === null) return { code: 'FETTLE_PIPELINE_VALUE', message, hint: shown, path }
  return {
    code: 'FETTLE_PIPELINE_VALUE',
    message: `${message}; did you mean ${close}?`,
    hint: `Write ${writeKey(path, close)}.`,
    path,
  }
}

/** `retention: 90d`; of an item of a list the value alone. */
const writeKey = (path: Path, value: string): string =>
  typeof path.at(-1) === 'string' ? `${String(path.at(-1))}: ${value}` : value

/** A value of the expected form; undefined where the schema names none. */
function showForm(leaf: ZodIssue, examples: Document['examples']): string | undefined {
  const { path } = leaf
  const known = path.length === 1 ? examples[String(path[0])] : undefined
  if (known !== undefined) return `For example: ${known}`
  const form = expected(leaf)
  const value =
    leaf.code === 'invalid_value'
      ? String(leaf.values[0])
      : (/^a duration .* or (\S+)$/.exec(form)?.[1] ??
        / such as (\{.*\}|\[.*\]|"[^"]*"|[^\s,]+)/.exec(form)?.[1] ??
        /^a whole number from (\d+)/.exec(form)?.[1] ??
        /^(true|auto|default|gone|directors|archive|warn|all)\b/.exec(form)?.[1])
  if (value !== undefined) return `For example: ${writeKey(path, value)}`
  const key = /\ba map with (\w+)/.exec(form)?.[1]
  if (key !== undefined) return `Write ${writeKey(path, `{ ${key}: … }`)}`
  return form.startsWith('a list of ') ? `Write ${writeKey(path, '[ … ]')}` : undefined
}

const makeSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replace(/^-+|-+$/g, '')

function expected(leaf: ZodIssue): string {
  if (leaf.code !== 'invalid_value') return leaf.message
  const words = leaf.values.map(String)
  return words.length === 1 ? words[0]! : `one of ${words.join(', ')}`
}

function isCredential(path: Path): boolean {
  const start = path.findIndex(step => step === 'service' || step === 'notify')
  const [key, first, second] = path.slice(Math.max(0, start))
  if (key === 'service') return first === 'username' || first === 'password'
  return key === 'notify' && (second === 'to' || second === 'secret')
}

function found(tree: Tree, path: Path): string {
  const node = nodeAt(tree, path)
  if (node === undefined) return 'nothing'
  if (node.kind === 'map')
    return `a map${node.entries.size === 0 ? ' without keys' : ` with ${showList([...node.entries.keys()])}`}`
  if (node.kind === 'list') return node.items.length === 0 ? 'an empty list' : 'a list'
  if (isCredential(path)) return 'another value'
  if (node.state === 'filled')
    return node.value === '' ? `nothing: ${show(node.source)} is empty` : `the value of ${show(node.source)}`
  if (node.value === null) return 'nothing'
  if (node.value === '') return 'an empty text'
  if (typeof node.value === 'string') return `the text ${show(node.value)}`
  const kind = typeof node.value === 'number' ? 'the number ' : ''
  const written = node.source === String(node.value) ? '' : `, written ${show(node.source)}`
  return `${kind}${node.value}${written}`
}
