/** Finds the project file of a pipeline, and its target: upwards from the folder of the pipeline to the root of the repository. */

import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, normalize, relative, resolve } from 'node:path'
import type { Env } from '../env/environment.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import { isInside } from '../files/paths.ts'
import { hasPipelineEnding, isTestFile, nearest, type Project, type ProjectChoice, parseProject } from '../pipeline/index.ts'

export const PROJECT_FILE = 'fettle.yml'

interface FoundProject {
  readonly project: Project | null
  /** The folder of the project file, absolute; null without one. */
  readonly folder: string | null
  readonly issues: readonly Issue[]
}

const NO_PROJECT: FoundProject = { project: null, folder: null, issues: [] }

/**
 * The folders that are searched: up to the one with `.git`; without a repository up to the working directory. A file in a folder of
 * other users, such as the temporary one, is never read: it could name another service.
 */
function foldersAbove(file: string, cwd: string): string[] {
  const folders: string[] = []
  for (let at = dirname(resolve(cwd, file)); ; at = dirname(at)) {
    folders.push(at)
    if (existsSync(join(at, '.git'))) return folders
    if (dirname(at) === at) break
  }
  const [own] = folders
  return isInside(resolve(cwd), own!) ? folders.filter(folder => isInside(resolve(cwd), folder)) : [own!]
}

/** The project of a pipeline file, or of a folder of pipelines. */
export function findProject(file: string, cwd: string, env: Env): FoundProject {
  for (const folder of foldersAbove(file, cwd)) {
    const path = join(folder, PROJECT_FILE)
    const other = join(folder, 'fettle.yaml')
    const shown = (isInside(resolve(cwd), path) ? relative(resolve(cwd), path) : path).replaceAll('\\', '/')
    if (existsSync(path)) {
      try {
        return { ...parseProject(readFileSync(path, 'utf8'), shown, env), folder }
      } catch (error) {
        return refuse(shown, `cannot read ${shown}: ${(error as Error).message}`)
      }
    }
    if (existsSync(other))
      return refuse(shown, `${shown.replace(/\.yml$/, '.yaml')} is not read`, `Rename it to ${PROJECT_FILE}.`)
  }
  return NO_PROJECT
}

const refuse = (file: string, message: string, hint?: string): FoundProject => ({
  ...NO_PROJECT,
  issues: [issue('FETTLE_PROJECT', message, { at: { file, line: null, column: null }, hint })],
})

export interface ChosenProject extends Omit<FoundProject, 'project'> {
  readonly choice: ProjectChoice | null
}

/** The target that is wanted, else the default of the project. */
export function chooseProject({ project, folder, issues }: FoundProject, wanted: string | null): ChosenProject {
  if (issues.length > 0) return { choice: null, folder, issues }
  if (project === null) {
    const message = `the target ${wanted} cannot be found: there is no ${PROJECT_FILE} in the folder of the pipeline or above`
    return { choice: null, folder, issues: wanted === null ? [] : [issue('FETTLE_TARGET', message)] }
  }
  const { targets } = project
  const names = targets.map(({ name }) => name)
  const named = wanted ?? project.target
  const target = targets.find(({ name }) => name === named) ?? null
  const refused = (message: string, hint: string): ChosenProject => ({
    choice: { project, target: null },
    folder,
    issues: [issue('FETTLE_TARGET', message, { hint, at: project.locate(['targets']) })],
  })
  if (named !== null && target === null) {
    const close = nearest(named, names)
    const hint = names.length === 0 ? `Add targets: to ${project.file}.` : `Targets: ${names.join(', ')}.`
    return refused(`there is no target ${named}${close === null ? '' : `; did you mean ${close}?`}`, hint)
  }
  if (target === null && names.length > 0)
    return refused('no target is named, and the project has no default', `Name one of ${names.join(', ')}.`)
  return { choice: { project, target }, folder, issues: target?.issues ?? [] }
}

/** The project of the files of one call. Throws its problems, and FETTLE_USAGE where they are of two projects. */
export function projectOfCall(files: readonly string[], cwd: string, env: Env): FoundProject {
  const found = files.map(file => findProject(file, cwd, env))
  const other = found.find(({ folder }) => folder !== found[0]?.folder)
  if (other === undefined) return found[0] ?? NO_PROJECT
  const shown = [found[0]!, other].map(({ project }) => project?.file ?? `no ${PROJECT_FILE}`)
  throw new FettleError('FETTLE_USAGE', `the pipelines are of two projects: ${shown.join(' and ')}`, {
    hint: 'Call fettle once for each project.',
  })
}

const SKIPPED = ['node_modules', 'fettle-runs']

/** Every YAML file but tests and the project file: any other file than a pipeline is reported, and none is left out in silence. */
const isPipeline = (name: string): boolean =>
  !name.startsWith('.') && !isTestFile(name) && name !== PROJECT_FILE && (/\.ya?ml$/i.test(name) || hasPipelineEnding(name))

/** Paths that begin with the folder, in the order of their names. Throws FETTLE_USAGE for a folder without pipelines. */
export async function pipelinesIn(folder: string, cwd: string): Promise<string[]> {
  const found: string[] = []
  const walk = async (below: string): Promise<void> => {
    const entries = (await readdir(resolve(cwd, below), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.includes(entry.name)) await walk(join(below, entry.name))
      else if (!entry.isDirectory() && isPipeline(entry.name)) found.push(join(below, entry.name))
    }
  }
  await walk(normalize(folder))
  if (found.length > 0) return found
  throw new FettleError('FETTLE_USAGE', `there is no pipeline in the folder ${folder}`, {
    hint: 'Pipelines of a folder end in .yml, .yaml or .fettle.json.',
  })
}
