/** Paths: whether one is inside a folder, whether it matches a pattern, and the files that a pattern or a folder means. */

import { readdir, stat } from 'node:fs/promises'
import platform, { basename, dirname, join, type PlatformPath, resolve } from 'node:path'
import { type Issue, issue } from '../errors.ts'

/** True for the folder itself, too. Both paths are absolute and without symbolic links. */
export function isInside(folder: string, inner: string, { relative, isAbsolute, sep }: PlatformPath = platform): boolean {
  const way = relative(folder, inner)
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`)
}

type One = (char: string) => boolean
type Token = One | '*'

/** Whether a name matches one step of a path; a leading dot must be written. */
export function nameMatcher(step: string): (name: string) => boolean {
  const patterns = alternatives(step).map(text => ({ isHidden: text.startsWith('.'), tokens: parseTokens(text) }))
  return name => {
    const chars = [...name]
    return patterns.some(({ isHidden, tokens }) => (isHidden || chars[0] !== '.') && matchesTokens(tokens, chars))
  }
}

/** Whether a path matches, step by step; `**` means any visible folders, also none. */
export function matchesSteps(pattern: readonly string[], path: readonly string[]): boolean {
  // Which of the first steps of the path the pattern so far matches.
  let reached = [true, ...path.map(() => false)]
  for (const step of pattern) {
    const isLike = step === '**' ? (name: string) => !name.startsWith('.') && name !== '' : nameMatcher(step)
    const next = reached.map(() => false)
    if (step === '**') next[0] = reached[0]!
    for (const [at, name] of path.entries()) {
      if (step === '**') next[at + 1] = reached[at + 1]! || (next[at]! && isLike(name))
      else next[at + 1] = reached[at]! && isLike(name)
    }
    reached = next
  }
  return reached.at(-1)!
}

/** `a{b,c}d` -> `abd`, `acd`; at most a thousand. */
function alternatives(step: string): string[] {
  let found = ['']
  for (let at = 0; at < step.length; at++) {
    const end = step[at] === '{' ? step.indexOf('}', at) : -1
    const choices = end < 0 ? [step[at]!] : step.slice(at + 1, end).split(',')
    if (found.length * choices.length > 1000) return []
    found = found.flatMap(start => choices.map(choice => start + choice))
    if (end >= 0) at = end
  }
  return found
}

function parseTokens(text: string): Token[] {
  const chars = [...text]
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!
    const end = char === '[' ? chars.indexOf(']', at + 2) : -1
    if (char === '*') tokens.push('*')
    else if (char === '?') tokens.push(() => true)
    else if (end >= 0) {
      tokens.push(parseSet(chars.slice(at + 1, end)))
      at = end
    } else tokens.push(other => other === char)
  }
  return tokens
}

/** The characters between brackets: single ones and ranges, `!` first for all others. */
function parseSet(chars: readonly string[]): One {
  const isOther = chars[0] === '!'
  const own = isOther ? chars.slice(1) : chars
  const ranges = own.flatMap((from, at) => {
    if (from === '-' && at > 0 && at < own.length - 1) return []
    const isRange = own[at + 1] === '-' && at + 2 < own.length
    return [[from, isRange ? own[at + 2]! : from] as const]
  })
  return char => ranges.some(([from, to]) => from <= char && char <= to) !== isOther
}

/** After a mismatch the last star takes one more character. */
function matchesTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let [token, char, star, from] = [0, 0, -1, 0]
  while (char < chars.length) {
    const wanted = tokens[token]
    if (wanted === '*') {
      star = token++
      from = char
    } else if (wanted?.(chars[char]!)) {
      token++
      char++
    } else if (star >= 0) {
      token = star + 1
      char = ++from
    } else return false
  }
  return tokens.slice(token).every(left => left === '*')
}

/** More files than this are a mistake in the pattern; the plan lists them all. */
const MOST_FILES = 1_000
const WILDCARD = /[*?[{]/

/** Null for a path that means one file. Hidden files are not part of a list. */
export async function listFiles(path: string, root = ''): Promise<readonly string[] | Issue | null> {
  const at = { file: path, line: null, column: null }
  const refuse = (why: string, hint: string): Issue =>
    issue('FETTLE_INPUT_READ', `cannot read the input ${path}: ${why}`, { at, hint })
  const found = await stat(resolve(root, path)).catch(() => null)
  const isFolder = found?.isDirectory() === true
  if (!isFolder && (found !== null || !WILDCARD.test(path))) return null
  const paths = isFolder ? [] : pathsOfList(path)
  if (paths.length > 1) return listSeveral(paths, root)
  try {
    const files = isFolder ? await filesIn(path, root) : await matches(path, root)
    if ('folder' in files)
      return refuse(
        `the folder contains a folder, ${files.folder}`,
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

const SPECIAL = /[[\]*?{},]/g

/** One path for all of these; `isThere`: it is the name of a file or folder, whose wildcards are characters. */
export function joinPaths(paths: readonly string[], isThere: (path: string) => boolean): string {
  const [first = '', ...others] = paths
  if (others.length === 0) return first
  return `{${paths.map(path => (isThere(path) ? path.replace(SPECIAL, '[$&]') : path)).join(',')}}`
}

/** The paths of `{a.csv,in/b{1,2}.csv}`, which each have to be there; the path itself where braces are a part of it, or absent. */
export function pathsOfList(path: string): readonly string[] {
  const paths = ['']
  let depth = 0
  for (const { 0: token, index } of path.matchAll(/\[[[\]*?{},]\]|./gs)) {
    if (token === '{' && depth++ === 0) continue
    if (token === '}' && --depth === 0) return index === path.length - 1 ? paths : [path]
    if (depth === 0) return [path]
    if (token === ',' && depth === 1) paths.push('')
    else paths.push(paths.pop()! + token)
  }
  return [path]
}

/** The files of all paths, each once. */
async function listSeveral(paths: readonly string[], root: string): Promise<readonly string[] | Issue> {
  const files = new Set<string>()
  for (const path of paths) {
    const named = path.replace(/\[([[\]*?{},])\]/g, '$1')
    const one = (await stat(resolve(root, named)).catch(() => null)) === null ? path : named
    const found = await listFiles(one, root)
    if (found !== null && 'code' in found) return found
    for (const file of found ?? [one]) files.add(join(file))
  }
  return [...files].sort((a, b) => (a < b ? -1 : 1))
}

/** Whether a file at `file`, which is absolute, would be part of the list that `path` means. */
export const isInList = (path: string, file: string, root = ''): boolean =>
  pathsOfList(path).some(one => {
    const whole = resolve(root, one)
    if (whole === file) return true
    if (!WILDCARD.test(one)) return dirname(file) === whole && isVisible(basename(file))
    return matchesSteps(splitSteps(whole), splitSteps(file))
  })

const splitSteps = (path: string): string[] => path.split(/[/\\]/).filter((step, at) => step !== '' || at === 0)

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
export function stepsFrom(path: string, { parse }: Pick<PlatformPath, 'parse'> = platform): { start: string; steps: string[] } {
  const start = parse(path).root
  return { start, steps: splitSteps(path.slice(start.length)).filter(step => step !== '' && step !== '.') }
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
  const below = entries.filter(entry => entry.isDirectory() && isVisible(entry.name)).map(entry => join(folder, entry.name))
  return [folder, ...(await Promise.all(below.map(inner => foldersBelow(inner, root)))).flat()]
}

async function only(kind: 'file' | 'folder', paths: readonly string[], root: string): Promise<string[]> {
  const kept: string[] = []
  for (const path of paths) {
    const found = await stat(resolve(root, path)).catch(() => null)
    if (found !== null && found.isDirectory() === (kind === 'folder')) kept.push(path)
  }
  return kept
}
