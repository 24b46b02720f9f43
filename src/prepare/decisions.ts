/** Checks the decisions file before anything is sent, and reads it again when outputs are written. */

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Action, action, FettleError, type Issue, issue, type Place } from '../errors.ts'
import { isInside } from '../files/paths.ts'
import type { RunState } from '../journal/index.ts'
import { nameDecisionsFile, nameLine, type Plan } from '../pipeline/index.ts'
import { counted } from '../report/words.ts'
import { APPLIED_FILE } from '../results/file-names.ts'
import type { Decisions, HitDecisions } from '../results/index.ts'
import { listRunIds, runDirectory } from '../runs/run-directory.ts'
import { findRun, idsOfSeries } from '../runs/run-store.ts'
import { shellCommand } from '../shell-command.ts'
import { realPath } from './check-outputs.ts'

/** The folders that a decisions file may lie in. */
interface Folders {
  readonly cwd: string
  readonly roots?: readonly string[]
}

/** Why a path of this key, or a link at it, leads out; null if it does not. */
export async function findWayOut(path: string, { cwd, roots = [] }: Folders, key = 'review.decisions'): Promise<string | null> {
  const real = await realPath(resolve(cwd, path))
  const places = await Promise.all([cwd, ...roots].map(root => realPath(resolve(root))))
  return places.some(place => isInside(place, real)) ? null : `${key}: ${path} leads out of the project, to ${real}`
}

/** Throws FETTLE_PIPELINE_PATH: a link may have come since the run was planned. */
export async function assertInProject(path: string, folders: Folders, of: 'rows' | 'hits' = 'rows'): Promise<void> {
  const reason = await findWayOut(path, folders, KEYS[of])
  if (reason !== null) throw new FettleError('FETTLE_PIPELINE_PATH', reason)
}

/** Problems of the decisions file. A missing file is a note, since its name may be a typing error. */
export async function decisionIssues(
  path: string | null | undefined,
  folders: Folders,
  at: Place | null,
  of: 'rows' | 'hits' = 'rows',
): Promise<Issue[]> {
  if (path == null) return []
  const { cwd } = folders
  const reason = await findWayOut(path, folders, KEYS[of])
  if (reason !== null) return [issue('FETTLE_PIPELINE_PATH', reason, { at })]
  if (!existsSync(resolve(cwd, path))) {
    const hint = `The file is written by the first review that decides about ${of}.`
    return [issue('FETTLE_DECISIONS', `there is no ${path} yet, so no decision is applied`, { severity: 'info', at, hint })]
  }
  if (of === 'hits') return [...(await (await import('../results/index.ts')).readHitDecisions(path, cwd)).issues]
  const { readDecisions } = await import('../results/decisions/decisions.ts')
  return [...(await readDecisions(path, cwd)).issues]
}

const KEYS = { rows: 'review.decisions', hits: 'screen.decisions' } as const

/** The decisions of a plan as they are when outputs are made; null where it names no file. Throws FETTLE_DECISIONS, FETTLE_PIPELINE_PATH. */
export async function loadDecisions({ decisions: path, output }: Plan, cwd: string, now: number): Promise<Decisions | null> {
  if (path === null) return null
  await assertInProject(path, { cwd, roots: output?.roots })
  const { Decisions, requireDecisions } = await import('../results/index.ts')
  const { sweepBeside } = await import('../files/stale-temp-files.ts')
  // The file may be in a folder under version control.
  await sweepBeside(resolve(cwd, path))
  const lines = existsSync(resolve(cwd, path)) ? await requireDecisions(path, cwd) : []
  return new Decisions(lines, formatDay(now))
}

/** The decisions about hits as they are when they are applied; null where the plan names no file. Throws FETTLE_DECISIONS, FETTLE_PIPELINE_PATH. */
export async function loadHitDecisions({ screen, output }: Plan, cwd: string, now: number): Promise<HitDecisions | null> {
  const path = screen?.decisions
  if (path === undefined) return null
  await assertInProject(path, { cwd, roots: output?.roots }, 'hits')
  const { HitDecisions, requireHitDecisions } = await import('../results/index.ts')
  const { sweepBeside } = await import('../files/stale-temp-files.ts')
  await sweepBeside(resolve(cwd, path))
  return new HitDecisions(existsSync(resolve(cwd, path)) ? await requireHitDecisions(path, cwd) : [], formatDay(now))
}

/** Files looked at, the newest names first. */
const MOST_FILES = 50

/** Decisions in the other files of the folder: the file of each row. Files of other content are passed over. */
export async function loadOtherDecisions({ decisions, name, output }: Plan, cwd: string, now: number) {
  const path = decisions ?? nameDecisionsFile(name)
  const folder = dirname(path)
  const names = await readdir(resolve(cwd, folder)).catch(() => [])
  const { Decisions, readDecisions } = await import('../results/decisions/decisions.ts')
  const found = new Map<string, string>()
  const others = names.filter(file => file.endsWith('.csv') && file !== basename(path)).sort()
  for (const file of others.slice(-MOST_FILES)) {
    const other = `${folder}/${file}`
    if ((await findWayOut(other, { cwd, roots: output?.roots })) !== null) continue
    const { lines } = await readDecisions(other, cwd).catch(() => ({ lines: [] }))
    const inForce = new Decisions(lines, formatDay(now))
    for (const { fingerprint } of lines) if (inForce.of(fingerprint) !== undefined) found.set(fingerprint, other)
  }
  return found
}

/** A UTC day, such as 2026-11-21. */
export const formatDay = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** What a plan has for a pipeline file when `clean` made the pipeline. */
const CLEAN = `${shellCommand(action('clean'))} `

/** The command that runs a plan again with this flag. */
export const runAgainWith = (flag: string, { file }: Plan): Action =>
  file.startsWith(CLEAN) ? action('clean', flag, file.slice(CLEAN.length)) : action('run', flag, file)

/**
 * Compares the decisions file of the plan with the decisions that the last run with outputs applied: of its series, and of its target with
 * any limit and register. A row without any line is lost: a line `undo` takes a decision back. `undo` is the command of the hint. Throws
 * FETTLE_DECISIONS_LOST, FETTLE_DECISIONS.
 */
export async function assertDecisionsKept(
  plan: Plan,
  { runsDir, cwd, dropDecisions = false }: { readonly runsDir: string; readonly cwd: string; readonly dropDecisions?: boolean },
  now: number,
  undo = runAgainWith('--drop-decisions', plan),
): Promise<void> {
  if (dropDecisions || plan.output === null) return
  const hasOutputs = (run: RunState): boolean => run.outputs.length > 0 && run.plan.target === plan.target
  const last = [idsOfSeries(runsDir, { plan, identity: null }), listRunIds(runsDir, nameLine(plan))].flatMap(
    ids => findRun(runsDir, ids, hasOutputs) ?? [],
  )
  for (const before of last) await assertKeptSince(before, plan, { runsDir, cwd, now, undo })
}

async function assertKeptSince(
  before: RunState,
  plan: Plan,
  { runsDir, cwd, now, undo }: { readonly runsDir: string; readonly cwd: string; readonly now: number; readonly undo: Action },
): Promise<void> {
  const copy = join(runDirectory(runsDir, before.runId).path, APPLIED_FILE)
  if (!existsSync(copy)) return
  const { requireDecisions } = await import('../results/index.ts')
  const today = formatDay(now)
  const applied = (await requireDecisions(copy)).filter(({ expires }) => expires === '' || expires >= today)
  // `clean` looks for the file by the name of the list.
  const path = plan.decisions ?? (plan.file.startsWith(CLEAN) ? nameDecisionsFile(plan.name) : null)
  const exists = path !== null && existsSync(resolve(cwd, path))
  const kept = new Set(exists ? (await requireDecisions(path, cwd)).map(({ fingerprint }) => fingerprint) : [])
  const lost = new Set(applied.map(({ fingerprint }) => fingerprint).filter(fingerprint => !kept.has(fingerprint)))
  if (lost.size === 0) return
  const rows = counted(lost.size, 'row')
  const why =
    path === null
      ? 'the pipeline names no decisions file'
      : exists
        ? `${path} has no line about ${lost.size === 1 ? 'it' : 'them'}`
        : `there is no file ${path}`
  const advice =
    path === null
      ? `Add  review: { decisions: ${before.plan.decisions ?? nameDecisionsFile(plan.name)} }  to the pipeline.`
      : `Restore it: ${copy} is a copy of what was applied.`
  throw new FettleError(
    'FETTLE_DECISIONS_LOST',
    `the run ${before.runId} applied decisions about ${rows} that this run would undo: ${why}`,
    { hint: `${advice} To undo them, run without them.`, action: undo },
  )
}
