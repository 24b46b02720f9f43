/**
 * Text -> Pipeline: parse, fill in `${…}`, check against the schema, check between keys. Every step continues as far as it can, so
 * that all problems of a file are reported at once, each with its place.
 */
import type { Issue, Place } from '../errors.ts'
import { lint } from './lint/lint.ts'
import { freeze } from './planning/freeze.ts'
import { type ProjectChoice, withProject } from './project/project.ts'
import { isAddress } from './schema/addresses.ts'
import { checkSchema, EXAMPLES } from './schema/issues.ts'
import { type Pipeline, pipelineOf } from './schema/pipeline.ts'
import { type PipelineFields, type PipelineInput, pipelineSchema } from './schema/schema.ts'
import { MAX_BYTES } from './source/decode.ts'
import { interpolate, type Replacements, replacePaths, type Sources } from './source/interpolate.ts'
import { readJson } from './source/json.ts'
import { type PlaceAt, placedText, toIssues } from './source/placed-issues.ts'
import { NO_SECRETS, readSecrets, refuseLiteralSecrets, type Secrets } from './source/secrets.ts'
import { offsetAt, type Path, prune, type SyntaxIssue, type Tree, toPlain, toTree } from './source/tree.ts'
import { readYaml } from './source/yaml.ts'

export interface ParseOptions extends Sources {
  readonly file: string
  /** Absolute path of the project; without it every absolute output path counts as outside. */
  readonly root?: string
  /** Folders besides it that outputs may lie in, and a file outside all of them that the user named; absolute paths. */
  readonly outputRoots?: readonly string[]
  readonly namedOutput?: string | null
  readonly replace?: Replacements
  /** Values for keys that the file leaves out. */
  readonly project?: ProjectChoice | null
}

/** A parsed pipeline or its errors. A pipeline may have warnings, but no errors. */
export interface ParsedPipeline {
  readonly pipeline: Pipeline | null
  readonly issues: readonly Issue[]
  readonly secrets: Secrets
  readonly locate: (path: Path) => Place
  /** Keys with a value of the project file. */
  readonly inherited: readonly string[]
  /** The variables of the environment in the value at a path, as `${NAME}`. */
  readonly environmentAt: (path: Path) => readonly string[]
}

const readTree = (source: string, format: 'yaml' | 'json') => (format === 'json' ? readJson(source) : readYaml(source))

/** A pipeline file without errors as a plain object, without defaults and with `${…}` as written. */
export function plainPipeline(text: string, format: 'yaml' | 'json'): PipelineInput {
  const { tree } = readTree(placedText(text, '').source, format)
  if (tree === null) throw new TypeError('a pipeline without a fault has a tree')
  return toPlain(tree) as PipelineInput
}

/** Parses the text of a pipeline file. Never throws because of the text. */
export function parsePipeline(text: string, options: ParseOptions & { readonly format: 'yaml' | 'json' }): ParsedPipeline {
  const { source, placeAt } = placedText(text, options.file)
  if (new TextEncoder().encode(source).length > MAX_BYTES) {
    const message = 'the pipeline file is larger than 256 KiB'
    return refuse(placeAt, [{ code: 'FETTLE_PIPELINE_READ', message, offset: null }])
  }
  const { tree, findings } = readTree(source, options.format)
  if (findings.length > 0) return refuse(placeAt, findings)
  if (tree === null || (tree.kind === 'scalar' && tree.value === null)) {
    const hint = `A pipeline needs name, input and mappings, such as ${Object.values(EXAMPLES).join(' / ')}`
    return refuse(placeAt, [{ code: 'FETTLE_PIPELINE_EMPTY', message: 'the pipeline file is empty', hint, offset: null }])
  }
  return parseTree(tree, options, placeAt)
}

/** Parses a pipeline given as an object by a program; its issues name no line. */
export function parsePipelineValue(value: unknown, options: ParseOptions): ParsedPipeline {
  const placeAt = (): Place => ({ file: options.file, line: null, column: null })
  const tree = toTree(value)
  if (tree !== null) return parseTree(tree, options, placeAt)
  const message = 'the pipeline is nested too deeply or contains itself'
  return refuse(placeAt, [{ code: 'FETTLE_PIPELINE_DEPTH', message, offset: null }])
}

function refuse(placeAt: PlaceAt, findings: readonly SyntaxIssue[]): ParsedPipeline {
  return {
    pipeline: null,
    issues: toIssues(findings, null, placeAt),
    secrets: NO_SECRETS,
    locate: () => placeAt(null),
    inherited: [],
    environmentAt: () => [],
  }
}

function parseTree(written: Tree, options: ParseOptions, placeAt: PlaceAt): ParsedPipeline {
  if (written.kind !== 'map') {
    const message = `expected a pipeline with name, input and mappings, found ${written.kind === 'list' ? 'a list' : 'a single value'}`
    const hint = 'Write keys and values: name: suppliers'
    return refuse(placeAt, [{ code: 'FETTLE_PIPELINE_VALUE', message, hint, offset: written.offset }])
  }
  const merged = withProject(written, options.project ?? null)
  const guarded = refuseLiteralSecrets(replacePaths(merged.tree, options.replace ?? {}))
  const filled = interpolate(guarded.tree, options)
  const checked = checkSchema(filled.tree)
  const fields = readFields(
    checked.tree,
    [...merged.findings, ...guarded.findings, ...filled.findings, ...checked.findings],
    options.replace?.output,
  )
  const { root, outputRoots = [], namedOutput = null } = options
  const places = { roots: [...(root === undefined ? [] : [root]), ...outputRoots], base: root, named: namedOutput }
  const linted = lint({ ...fields, places })
  const findings = [...fields.findings, ...linted.filter(finding => !isConsequence(finding, fields.findings))]
  const { origin, inherited } = merged
  const { environmentAt } = filled
  const locate = (path: Path): Place => origin(path) ?? placeAt(offsetAt(written, path))
  const issues = toIssues(findings, written, placeAt, { origin })
  if (findings.some(finding => finding.severity !== 'warn'))
    return { pipeline: null, issues, secrets: NO_SECRETS, locate, inherited, environmentAt }
  const pipeline = freeze(pipelineOf(fields.fields as PipelineFields, { ...places, roots: outputRoots }))
  return { pipeline, issues, secrets: readSecrets(checked.tree), locate, inherited, environmentAt }
}

function readFields(tree: Tree, findings: readonly SyntaxIssue[], named: string | null | undefined) {
  const paths = findings.flatMap(finding => ('path' in finding ? [finding.path] : []))
  const value = toPlain(prune(tree, paths)) as Record<string, unknown>
  const entries = Object.entries(pipelineSchema.shape).flatMap(([key, schema]) => {
    const parsed = schema.safeParse(value[key])
    return parsed.success && parsed.data !== undefined ? [[key, parsed.data]] : []
  })
  return {
    fields: withNamedOutput(Object.fromEntries(entries) as Partial<PipelineFields>, named),
    broken: new Set(paths.map(path => String(path[0]))),
    findings,
  }
}

/** True for an issue of a part that has an issue already: the second may only follow from the first. */
const isConsequence = (syntaxIssue: SyntaxIssue, before: readonly SyntaxIssue[]): boolean =>
  'path' in syntaxIssue &&
  before.some(other => 'path' in other && syntaxIssue.path.every((step, index) => other.path[index] === step))

/**
 * An output that the command line names gives its name to `unmatched`, `review` and `input.rejects`: a trial must not replace the files
 * of the pipeline.
 */
function withNamedOutput(fields: Partial<PipelineFields>, named: string | null | undefined): Partial<PipelineFields> {
  const { input, output } = fields
  if (output == null || named == null) return fields
  const stem = named.replace(/^.*[/\\]/, '').replace(/(?!^)(\.[^.]*)?(\.gz)?$/i, '')
  const other = (key: string, path: string | null = null): string | null => {
    const [, folder = '', ending = ''] = /^(.*\/)?[^/]+?((?:\.[^./]*)?(?:\.gz)?)$/is.exec(path ?? '') ?? []
    // The address of an https object has no other name.
    if (path === null || (isAddress(path) && !path.startsWith('s3:'))) return null
    return path.endsWith('/') ? path : `${folder}${stem}-${key}${ending}`
  }
  const { rejects } = input ?? {}
  return {
    ...fields,
    ...(rejects && { input: { ...input!, rejects: { ...rejects, file: other('rejects', rejects.file)! } } }),
    output: { ...output, unmatched: other('unmatched', output.unmatched), review: other('review', output.review) },
  }
}
