/** Checks the decisions file before anything is sent, and reads it again when outputs are written. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Issue, issue, type Place } from '../../errors.ts'
import { isInside } from '../../files/inside-folder.ts'
import type { Plan } from '../../pipeline/index.ts'
import type { Decisions } from '../../results/index.ts'
import { realPath } from './output-paths.ts'

/** Problems of the decisions file. A missing file is a note, since its name may be a typing error. */
export async function decisionIssues(
  path: string | null,
  { cwd, roots = [] }: { readonly cwd: string; readonly roots?: readonly string[] | undefined },
  at: Place | null,
): Promise<Issue[]> {
  if (path === null) return []
  const real = await realPath(resolve(cwd, path))
  const places = await Promise.all([cwd, ...roots].map(root => realPath(resolve(root))))
  if (!places.some(place => isInside(place, real)))
    return [issue('FETTLE_PIPELINE_PATH', `review.decisions: ${path} leads out of the project, to ${real}`, { at })]
  if (!existsSync(resolve(cwd, path))) {
    const hint = 'The file is written by the first review that decides a row.'
    return [issue('FETTLE_DECISIONS', `there is no ${path} yet, so no decision is applied`, { severity: 'info', at, hint })]
  }
  const { readDecisions } = await import('../../results/decisions/decisions.ts')
  return [...(await readDecisions(path, cwd)).issues]
}

/** The decisions of a plan as they are when outputs are made; null where it names no file. Throws FETTLE_DECISIONS. */
export async function loadDecisions({ decisions: path }: Plan, cwd: string, now: number): Promise<Decisions | null> {
  if (path === null) return null
  const { Decisions, requireDecisions } = await import('../../results/index.ts')
  const { sweepBeside } = await import('../../files/stale-temp-files.ts')
  // The file may be in a folder under version control.
  await sweepBeside(resolve(cwd, path))
  const lines = existsSync(resolve(cwd, path)) ? await requireDecisions(path, cwd) : []
  return new Decisions(lines, dayOf(now))
}

/** A UTC day, such as 2026-11-21. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
