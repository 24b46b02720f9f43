/** The pipelines of a folder and of the folders in it. */
import { readdir } from 'node:fs/promises'
import { join, normalize, resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import { hasPipelineEnding, isTestFile } from '../../pipeline/index.ts'
import { PROJECT_FILE } from './find-project.ts'

const SKIPPED = ['node_modules', 'fettle-runs']

/** Every YAML file but tests and the project file: one that is no pipeline is reported, and none is left out in silence. */
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
