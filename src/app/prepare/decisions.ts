/** Checks the decisions file before anything is sent, and reads it again when outputs are written. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { FettleError, type Issue, issue, type Place } from '../../errors.ts'
import { isInside } from '../../files/paths.ts'
import { decisionsFileOf, type Plan } from '../../pipeline/index.ts'
import type { Decisions } from '../../results/index.ts'
import { realPath } from './output-paths.ts'

/** The folders that a decisions file may lie in. */
interface Folders {
  readonly cwd: string
  readonly roots?: readonly string[] | undefined
}

/** Why a link makes the path unusable; null if it does not. */
async function findWayOut(path: string, { cwd, roots = [] }: Folders): Promise<string | null> {
  const real = await realPath(resolve(cwd, path))
  const places = await Promise.all([cwd, ...roots].map(root => realPath(resolve(root))))
  return places.some(place => isInside(place, real)) ? null : `review.decisions: ${path} leads out of the project, to ${real}`
}

/** Throws FETTLE_PIPELINE_PATH: a link may have come since the run was planned. */
export async function assertInProject(path: string, folders: Folders): Promise<void> {
  const reason = await findWayOut(path, folders)
  if (reason !== null) throw new FettleError('FETTLE_PIPELINE_PATH', reason)
}

/** Problems of the decisions file. A missing file is a note, since its name may be a typing error. */
export async function decisionIssues(path: string | null, folders: Folders, at: Place | null): Promise<Issue[]> {
  if (path === null) return []
  const { cwd } = folders
  const reason = await findWayOut(path, folders)
  if (reason !== null) return [issue('FETTLE_PIPELINE_PATH', reason, { at })]
  if (!existsSync(resolve(cwd, path))) {
    const hint = 'The file is written by the first review that decides a row.'
    return [issue('FETTLE_DECISIONS', `there is no ${path} yet, so no decision is applied`, { severity: 'info', at, hint })]
  }
  const { readDecisions } = await import('../../results/decisions/decisions.ts')
  return [...(await readDecisions(path, cwd)).issues]
}

/** The decisions of a plan as they are when outputs are made; null where it names no file. Throws FETTLE_DECISIONS, FETTLE_PIPELINE_PATH. */
export async function loadDecisions({ decisions: path, output }: Plan, cwd: string, now: number): Promise<Decisions | null> {
  if (path === null) return null
  await assertInProject(path, { cwd, roots: output?.roots })
  const { Decisions, requireDecisions } = await import('../../results/index.ts')
  const { sweepBeside } = await import('../../files/stale-temp-files.ts')
  // The file may be in a folder under version control.
  await sweepBeside(resolve(cwd, path))
  const lines = existsSync(resolve(cwd, path)) ? await requireDecisions(path, cwd) : []
  return new Decisions(lines, dayOf(now))
}

/** Files looked at, the newest names first. */
const MOST_FILES = 50

/** Decisions in the other files of the folder: the file of each row. Files of other content are passed over. */
export async function loadOtherDecisions(
  { decisions, name, output }: Plan,
  cwd: string,
  now: number,
): Promise<Map<string, string>> {
  const path = decisions ?? decisionsFileOf(name)
  const folder = dirname(path)
  const names = await readdir(resolve(cwd, folder)).catch(() => [])
  const { Decisions, readDecisions } = await import('../../results/decisions/decisions.ts')
  const found = new Map<string, string>()
  const others = names.filter(file => file.endsWith('.csv') && file !== basename(path)).sort()
  for (const file of others.slice(-MOST_FILES)) {
    const other = `${folder}/${file}`
    if ((await findWayOut(other, { cwd, roots: output?.roots })) !== null) continue
    const { lines } = await readDecisions(other, cwd).catch(() => ({ lines: [] }))
    const inForce = new Decisions(lines, dayOf(now))
    for (const { fingerprint } of lines) if (inForce.of(fingerprint) !== undefined) found.set(fingerprint, other)
  }
  return found
}

/** A UTC day, such as 2026-11-21. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
