/** A project file for a folder that has several pipelines, and none yet. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Env, findProject } from '../../../app/index.ts'
import { isTestFile } from '../../../pipeline/index.ts'

export interface Neighbours {
  /** Where a project file would be, from the working directory. */
  readonly path: string
  /** Other pipelines of the folder. */
  readonly others: readonly string[]
  /** Of all of them, those with a service, which no target may have as well. */
  readonly withService: readonly string[]
}

/** The pipelines beside the one that was written; null where a project file is there already, or above. */
export function neighboursOf(pipeline: string, cwd: string, env: Env): Neighbours | null {
  const found = findProject(pipeline, cwd, env)
  if (found.folder !== null || found.issues.length > 0) return null
  const folder = dirname(resolve(cwd, pipeline))
  const pipelines = readdirSync(folder)
    .filter(name => /\.ya?ml$/i.test(name) && !name.startsWith('.') && !isTestFile(name))
    .map(name => ({ name, text: textOf(join(folder, name)) }))
    .filter(({ text }) => /^name:/m.test(text) && /^mappings:/m.test(text))
  return {
    path: join(dirname(pipeline), 'fettle.yml'),
    others: pipelines.map(({ name }) => name).filter(name => name !== basename(pipeline)),
    withService: pipelines.filter(({ text }) => /^service:/m.test(text)).map(({ name }) => name),
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export const projectYaml = (schema: string | null, by: string): string =>
  `${schema === null ? '' : `# yaml-language-server: $schema=${schema}\n`}# Written by ${by}: where the pipelines of this folder run, and what they have in common.
target: dev                       # of commands that name none
targets:
  dev:
    service: embedded
    limit: 500                    # the first rows of each list
  prod:
    service: required             # FETTLE_URL, with FETTLE_USERNAME and FETTLE_PASSWORD
    real: true                    # has to be named: --target prod
defaults:                         # for keys that a pipeline leaves out
  checks: { failed: { fail: "> 0" } }
`
