/** The files that a path with wildcards or a folder means, in the order of their names. */
import { readdir, stat } from 'node:fs/promises'
import rules, { basename, dirname, join, type PlatformPath, resolve } from 'node:path'
import { type Issue, issue } from '../errors.ts'
import { matchesSteps, nameMatcher } from './wildcards.ts'

/** More files than this are a mistake in the pattern; the plan lists them all. */
const MOST_FILES = 1_000
const WILDCARD = /[*?[{]/

/** Null for a path that means one file. Hidden files are no part of a list. */
export async function listFiles(path: string, root = ''): Promise<readonly string[] | Issue | null> {
  const at = { file: path, line: null, column: null }
  const refuse = (why: string, hint: string): Issue =>
    issue('FETTLE_INPUT_READ', `cannot read the input ${path}: ${why}`, { at, hint })
  const found = await stat(resolve(root, path)).catch(() => null)
  const isFolder = found?.isDirectory() === true
  if (!isFolder && (found !== null || !WILDCARD.test(path))) return null
  try {
    const files = isFolder ? await filesIn(path, root) : await matches(path, root)
    if ('folder' in files)
      return refuse(
        `the folder holds another one, ${files.folder}`,
        `Name the files with wildcards, such as ${join(path, '**/*.csv')}.`,
      )
    if (files.length === 0)
      return refuse(isFolder ? 'the folder has no files' : 'no file matches', 'Check the path, and that the files are there.')
    if (files.length > MOST_FILES)
      return refuse(`it means ${files.length} files, at most ${MOST_FILES} are one list`, 'Name fewer files.')
    return files.sort((a, b) => (a < b ? -1 : 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return refuse((error as Error).message, 'Check the permissions of the folder.')
  }
}

/** Whether a file at `file` would be part of the list that `path` means. Both are absolute. */
export function isInList(path: string, file: string): boolean {
  if (!WILDCARD.test(path)) return dirname(file) === path && isVisible(basename(file))
  return matchesSteps(stepsOf(path), stepsOf(file))
}

const stepsOf = (path: string): string[] => path.split(/[/\\]/).filter((step, at) => step !== '' || at === 0)

const isVisible = (name: string): boolean => !name.startsWith('.')

async function filesIn(folder: string, root: string): Promise<string[] | { readonly folder: string }> {
  const names = (await readdir(resolve(root, folder))).filter(isVisible)
  for (const name of names) {
    // A link that leads nowhere is reported when it is opened.
    const found = await stat(resolve(root, folder, name)).catch(() => null)
    if (found?.isDirectory()) return { folder: join(folder, name) }
  }
  return names.map(name => join(folder, name))
}

/** Where a walk along the path starts, such as `/` or `C:\\`, empty for a relative one, and the names after it. */
export function stepsFrom(path: string, { parse }: Pick<PlatformPath, 'parse'> = rules): { start: string; steps: string[] } {
  const start = parse(path).root
  return { start, steps: stepsOf(path.slice(start.length)).filter(step => step !== '' && step !== '.') }
}

/** Walks the path step by step; a step with wildcards becomes the names that match it. */
async function matches(path: string, root: string): Promise<string[]> {
  const { start, steps } = stepsFrom(path)
  let found = [start]
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1
    const next: string[] = []
    for (const folder of found) {
      if (step === '**') next.push(...(await foldersBelow(folder, root)))
      else if (!WILDCARD.test(step)) next.push(join(folder, step))
      else next.push(...(await namesLike(step, folder, root)))
    }
    found = await only(isLast ? 'file' : 'folder', [...new Set(next)], root)
  }
  return found
}

async function namesLike(step: string, folder: string, root: string): Promise<string[]> {
  const isLike = nameMatcher(step)
  return (await readdir(resolve(root, folder))).filter(isLike).map(name => join(folder, name))
}

/** The folder and all below it; links to folders are not followed, since they may lead in a circle. */
async function foldersBelow(folder: string, root: string): Promise<string[]> {
  const entries = await readdir(resolve(root, folder), { withFileTypes: true })
  const below = entries.filter(one => one.isDirectory() && isVisible(one.name)).map(one => join(folder, one.name))
  return [folder, ...(await Promise.all(below.map(one => foldersBelow(one, root)))).flat()]
}

async function only(kind: 'file' | 'folder', paths: readonly string[], root: string): Promise<string[]> {
  const kept: string[] = []
  for (const path of paths) {
    const found = await stat(resolve(root, path)).catch(() => null)
    if (found !== null && found.isDirectory() === (kind === 'folder')) kept.push(path)
  }
  return kept
}
