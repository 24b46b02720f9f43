/** Reads and parses pipeline files; the input of a pipeline is not read. */

import { realpathSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { realClock } from '../client/clock.ts'
import type { Env } from '../env/environment.ts'
import { errorOfIssues, type Issue, issue } from '../errors.ts'
import { isInside } from '../files/paths.ts'
import {
  decodePipeline,
  hasPipelineEnding,
  isAddress,
  nearest,
  type ParsedPipeline,
  type PipelineInput,
  type ProjectChoice,
  parsePipeline,
  pipelineFormat,
  plainPipeline,
  type ShardChoice,
} from '../pipeline/index.ts'
import type { Receivers } from '../staging/receive.ts'
import { type ChosenProject, chooseProject, findProject, PROJECT_FILE } from './find-project.ts'

/** Checked before reading, so that an endless file is not read. */
const MAX_BYTES = 256 * 1024

export async function readText(file: string): Promise<string | Issue> {
  const refuse = (message: string): Issue => issue('FETTLE_PIPELINE_READ', message, { at: { file, line: null, column: null } })
  try {
    const facts = await stat(file)
    if (facts.isDirectory()) return refuse(`${file} is a folder: pass a pipeline file${await pipelineIn(file)}`)
    if (!facts.isFile()) return refuse(`${file} is not a regular file`)
    if (facts.size > MAX_BYTES) return refuse(`${file} is larger than 256 KiB: ${facts.size} bytes`)
    const decoded = decodePipeline(await readFile(file), file)
    return 'issue' in decoded ? decoded.issue : decoded.text
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return refuse(code === 'ENOENT' ? `there is no file ${file}${await didYouMeanFile(file)}` : `cannot read ${file}: ${message}`)
  }
}

/** A pipeline of a folder, recognised by its ending. */
async function pipelineIn(folder: string): Promise<string> {
  const found = (await readdir(folder).catch(() => [])).filter(hasPipelineEnding).sort()[0]
  return found === undefined ? '' : `, such as ${join(folder, found)}`
}

async function didYouMeanFile(file: string): Promise<string> {
  const names = await readdir(dirname(file)).catch(() => [])
  const pipelines = names.filter(name => pipelineFormat(name) !== null)
  const found = nearest(basename(file), pipelines)
  return found === null ? '' : `; did you mean ${join(dirname(file), found)}?`
}

/** The name that a pipeline file has, also one with problems elsewhere; null when it cannot be read. */
export async function readName(file: string): Promise<string | null> {
  const text = await readText(file)
  if (typeof text !== 'string') return null
  try {
    const { name } = plainPipeline(text, pipelineFormat(file) ?? 'yaml') as { name?: unknown }
    return typeof name === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(name) ? name : null
  } catch {
    return null
  }
}

/** A pipeline of a file, with the values of its project. */
export interface ParsedFile extends ParsedPipeline {
  readonly project: ProjectChoice | null
}

/**
 * Parses the text of a pipeline file with the values of its project; an issue for an unknown file type. `date` is the value of
 * `${run.date}`, today if absent.
 */
export function parseText(text: string, file: string, options: PrepareContext & Overrides, date?: string): ParsedFile | Issue {
  const project = chooseProject(findProject(file, options.cwd, options.env), options.target)
  return parseWith(text, file, project, { ...options, date })
}

function parseWith(
  text: string,
  file: string,
  { choice, folder, issues }: ChosenProject,
  { date, ...options }: PrepareContext & Overrides & { readonly date?: string },
): ParsedFile | Issue {
  const format = pipelineFormat(file)
  if (format === null)
    return issue('FETTLE_PIPELINE_READ', `${file} is neither .yml, .yaml nor .json`, { at: { file, line: null, column: null } })
  const own = parseOptions(file, options, date)
  // Of a target that is refused only that is reported.
  const target = choice?.target?.name ?? (issues.length > 0 ? 'target' : undefined)
  const run = { ...own.run, target }
  const roots = (choice?.project.outputRoots ?? []).map(root => resolve(folder ?? options.cwd, root))
  const outputRoots = [...own.outputRoots, ...roots]
  const parsed = parsePipeline(text, { ...own, run, outputRoots, project: choice, format })
  if (issues.length === 0) return { ...parsed, project: choice }
  return { ...parsed, pipeline: null, issues: [...issues, ...parsed.issues], project: choice }
}

/** Without a target: for those who run nothing. */
export function parseAnyTarget(text: string, file: string, options: PrepareContext & Overrides): ParsedFile | Issue {
  const found = findProject(file, options.cwd, options.env)
  const any = found.project?.target ?? found.project?.targets[0]?.name ?? null
  return parseWith(text, file, chooseProject(found, any), options)
}

/** The options of the parser. `date` is the value of `${run.date}`, today if absent. */
export function parseOptions(file: string, options: PrepareContext & Overrides, date?: string) {
  const { cwd, env, vars, input, output } = options
  const namedOutput = findNamedOutside(options)
  const outputRoots = [...options.outputRoots, ...variableRoots(env)].map(root => resolve(cwd, root))
  const run = { date: date ?? new Date(realClock.now()).toISOString().slice(0, 10) }
  const replace = { input, output: namedOutput ?? (output && slashed(output)) }
  return { file, root: cwd, outputRoots, namedOutput, env, vars, run, replace }
}

const variableRoots = (env: Env): string[] => (env.FETTLE_OUTPUT_ROOT ?? '').split(delimiter).filter(root => root !== '')

/** What named this folder of outputs. */
export function findRootSource({ outputRoots, env, cwd }: PrepareContext & Overrides, root: string): string {
  const isRoot = (folder: string): boolean => resolve(cwd, folder) === root
  if (outputRoots.some(isRoot)) return 'this command'
  return variableRoots(env).some(isRoot) ? 'FETTLE_OUTPUT_ROOT' : PROJECT_FILE
}

/** The file of `--output` outside the project, as an absolute path: who names it there wants it there. */
function findNamedOutside({ output, cwd }: PrepareContext & Overrides): string | null {
  if (output === null || output === '-' || isAddress(output)) return null
  const path = resolve(cwd, output)
  return isInside(realPathSync(cwd), realPathSync(path)) ? null : slashed(path)
}

/** A path as typed on Windows, where a backslash parts names: a pipeline has slashes alone. */
const slashed = (path: string): string => (process.platform === 'win32' ? path.replaceAll('\\', '/') : path)

/** The path without symbolic links, as far as it exists. */
function realPathSync(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPathSync(dirname(path)), basename(path))
  }
}

/** What `${…}` is judged by; it is filled in when the pipeline is run. */
export interface LoadOptions {
  /** The process's own if absent. */
  readonly env?: Env
  readonly vars?: Readonly<Record<string, string>>
}

/** The pipeline of a file as `definePipeline` would have it. Throws a FettleError with all problems of the file, each with its place. */
export async function loadPipeline(file: string, { env = process.env, vars = {} }: LoadOptions = {}): Promise<PipelineInput> {
  const text = await readText(file)
  const parsed = typeof text === 'string' ? parseAnyTarget(text, file, { ...NO_OVERRIDES, env, vars, cwd: process.cwd() }) : text
  if ('code' in parsed) throw errorOfIssues([parsed])
  if (parsed.pipeline === null) throw errorOfIssues(parsed.issues)
  return plainPipeline(text as string, pipelineFormat(file) ?? 'yaml')
}

/** Values that replace keys of the pipeline. */
export interface Overrides {
  /** The target of the project file; its default if null. */
  readonly target: string | null
  readonly service: string | null
  /** Names of the registers that the embedded service matches against. */
  readonly register: readonly string[] | null
  readonly input: string | null
  readonly output: string | null
  /** Folders outside the project that outputs may lie in. */
  readonly outputRoots: readonly string[]
  /** Lines around the table of the input, null where the pipeline decides. */
  readonly skip: { readonly head: number | null; readonly tail: number | null }
  readonly vars: Readonly<Record<string, string>>
  readonly limit: number | null
  /** Only this part of the rows, null for all. */
  readonly shard: ShardChoice | null
}

export const NO_OVERRIDES: Overrides = {
  target: null,
  service: null,
  register: null,
  input: null,
  output: null,
  outputRoots: [],
  skip: { head: null, tail: null },
  vars: {},
  limit: null,
  shard: null,
}

export interface PrepareContext extends Receivers {
  /** The run of a scheduler: its attempts have the date of the first one. */
  readonly runKey?: string | null
  readonly env: Env
  readonly cwd: string
  /** The caller sends nothing to the service of the pipeline. */
  readonly isOffline?: boolean
}
