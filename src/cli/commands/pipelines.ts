/** The pipelines of a call: the files and the files of folders that are named, reduced to what --select chooses. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { EXIT, errorOfIssues } from '../../errors.ts'
import { pipelinesIn, projectOfCall } from '../../prepare/find-project.ts'
import { selectPipelines } from '../../prepare/select-pipelines.ts'
import { type Flags, usageError } from '../command.ts'
import { listFlag, needText } from '../options/read.ts'
import { REPORTERS_OF } from '../reporters/call-reporters.ts'
import type { Io } from '../terminal/io.ts'
import { readOverrides } from './shared.ts'

const MAX_PIPELINES = 1_000

/**
 * The flags with the pipelines that are meant, and the reporters of their project; an exit code when none is selected. Throws
 * FETTLE_USAGE, and the problems of the project file.
 */
export async function withPipelines(flags: Flags, io: Io): Promise<Flags | number> {
  const files = await listFiles(flags, io.cwd)
  const { project, issues } = projectOfCall(files, io.cwd, io.env)
  if (issues.length > 0) throw errorOfIssues(issues)
  const chosen = await selectedFiles(files, flags, io)
  if (chosen.length === 0) {
    io.err(`no pipeline is selected, of ${files.length}`)
    return EXIT.ok
  }
  if (flags.reporter !== undefined || project?.reporters == null) return { ...flags, pipeline: chosen }
  return { ...flags, pipeline: chosen, reporter: project.reporters, [REPORTERS_OF]: project.file }
}

export async function selectedFiles(files: readonly string[], flags: Flags, io: Io): Promise<readonly string[]> {
  const words = listFlag(flags, 'select')
  if (words.length === 0) return files
  const runsDir = needText(flags, 'runs-dir')
  return selectPipelines(files, words, { env: io.env, cwd: io.cwd, runsDir, ...readOverrides(flags, io.env) })
}

/** Throws FETTLE_USAGE for an empty name, a pattern that matched no file, and too many files. */
async function listFiles(flags: Flags, cwd: string): Promise<string[]> {
  const names = listFlag(flags, 'pipeline')
  if (names.length === 0 || names.includes(''))
    throw usageError('the name of a pipeline file is empty', 'Name a .yml, .yaml or .json file.')
  const pattern = names.find(name => /[*?]/.test(name) && !existsSync(name))
  const hint = 'The shell expands patterns: check the spelling, or remove the quotes.'
  if (pattern !== undefined) throw usageError(`the pattern ${pattern} matches 0 files`, hint)
  const files: string[] = []
  for (const name of names) {
    const isFolder = (await stat(resolve(cwd, name)).catch(() => null))?.isDirectory() === true
    files.push(...(isFolder ? await pipelinesIn(name, cwd) : [name]))
  }
  if (files.length <= MAX_PIPELINES) return files
  const limit = `${files.length} pipelines are named; the limit of one call is ${MAX_PIPELINES}`
  throw usageError(limit, 'Call fettle several times.')
}
