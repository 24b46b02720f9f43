/** `fettle review` of hits of AML searches: one after the other at the terminal, or as a table. Decisions are stored at once. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunState } from '../../../journal/index.ts'
import { subjectText } from '../../../model/results.ts'
import { assertInProject } from '../../../prepare/decisions.ts'
import { actionOfKey, clip, escapeTerminal, keyLine } from '../../../report/index.ts'
import {
  decideAbout,
  HIT_COLUMNS,
  type HitDecision,
  hitCells,
  hitLine,
  requireHitDecisions,
  writeHitDecisions,
  writeTable,
} from '../../../results/index.ts'
import { type ReviewHit, reviewHits } from '../../../review/review.ts'
import { usageError } from '../../command.ts'
import type { Io } from '../../terminal/io.ts'
import { bold, dim, readKeys, type ScreenStyle, showKeys } from './session.ts'

export interface HitReview {
  /** The decisions file of the pipeline. */
  readonly file: string
  readonly hits: readonly ReviewHit[]
  /** Without a decision that holds. */
  readonly open: readonly ReviewHit[]
  /** Stores lines; each replaces what was decided about its hit before. */
  readonly keep: (lines: readonly HitDecision[]) => Promise<void>
}

const isOpen = ({ state }: ReviewHit): boolean => state === 'open' || state === 'back'

/** Null for a pipeline that names no file for decisions about hits. Throws FETTLE_DECISIONS, FETTLE_PIPELINE_PATH. */
export async function openHitReview(state: RunState, io: Io): Promise<HitReview | null> {
  const file = state.plan.screen?.decisions
  if (file === undefined) return null
  const roots = state.plan.output?.roots ?? []
  await assertInProject(file, { cwd: io.cwd, roots }, 'hits')
  const path = resolve(io.cwd, file)
  const old = existsSync(path) ? await requireHitDecisions(file, io.cwd) : []
  const hits = reviewHits(state, old)
  const keep = (lines: readonly HitDecision[]): Promise<void> =>
    writeHitDecisions(path, decideAbout(old, hits, lines), { root: io.cwd, roots })
  return { file, hits, open: hits.filter(isOpen), keep }
}

/** Replaces no file that is not an earlier export. */
export async function exportHits({ hits }: HitReview, path: string): Promise<number> {
  if (existsSync(path) && (await requireHitDecisions(path).catch(() => null)) === null)
    throw usageError(`${path} exists and is not an earlier export; refusing to overwrite it`, 'Name another file.')
  const names = [...HIT_COLUMNS, 'state', 'changed', 'score']
  const lines = hits.map(({ hit, company, line, state, changed }) => {
    const about = hitLine(company, hit)
    const decided = line !== null && !isOpen({ state } as ReviewHit) ? line : NOT_DECIDED
    const { by, at, expires } = decided
    const cells = hitCells({ ...about, by, at, expires, decision: 'undo' })
    return [decided.decision, ...cells.slice(1), state, changed.join('; '), String(hit.score)]
  })
  await writeTable(path, 'csv', names, lines)
  return hits.length
}

const NOT_DECIDED = { decision: '', by: '', at: '', expires: '' } as const

interface Signature {
  readonly by: string
  readonly at: string
  readonly expires: string
}

/** Runs until the last hit is decided or `q` is pressed; returns the decisions. */
export async function reviewHitsAtTerminal(
  { hits, open, keep }: HitReview,
  { isAll, ...signature }: Signature & { readonly isAll: boolean },
  io: Io,
): Promise<readonly HitDecision[]> {
  const shown = isAll ? [...open, ...hits.filter(hit => !open.includes(hit))] : open
  const chosen = new Map<ReviewHit, HitDecision>()
  const keys = readKeys(io)
  const set = async (hit: ReviewHit, decision: HitDecision['decision']): Promise<void> => {
    chosen.set(hit, { ...hitLine(hit.company, hit.hit), ...signature, decision })
    await keep([...chosen.values()])
  }
  /** Places where a key decided or passed over a hit, the last one last. */
  const made: number[] = []
  const isUndecided = (hit: ReviewHit): boolean => (chosen.get(hit)?.decision ?? (isOpen(hit) ? 'undo' : '')) === 'undo'
  try {
    for (let at = 0; at < shown.length; ) {
      const hit = shown[at]!
      const style = { width: Math.min(160, io.columns()), colour: io.colour.err }
      io.draw(`\x1b[2J\x1b[H${renderHit(hit, `${at + 1} of ${shown.length}`, chosen.get(hit), style).replaceAll('\n', '\r\n')}`)
      const { value: key } = await keys.next()
      if (key === undefined || key === '\x03' || key === '\x04') break
      const action = actionOfKey(key, 'terminal', 'hits')
      if (action === 'finish') break
      if (action === 'best' || action === 'none') {
        await set(hit, action === 'best' ? 'confirm' : 'clear')
        made.push(at++)
      } else if (action === 'undo') {
        if (isUndecided(hit)) at = made.pop() ?? at
        if (!isUndecided(shown[at]!)) await set(shown[at]!, 'undo')
      } else if (action === 'later') made.push(at++)
      else if (action === 'next') at++
      else if (action === 'help') await showKeys(keys, io, 'hits')
      else if (action === 'back') at = Math.max(0, at - 1)
    }
    return [...chosen.values()]
  } finally {
    await keys.return()
    io.draw('\x1b[2J\x1b[H')
  }
}

function renderHit(
  { hit, company, state, line, changed }: ReviewHit,
  position: string,
  chosen: HitDecision | undefined,
  style: ScreenStyle,
): string {
  const text = (words: string): string => clip(escapeTerminal(words), style.width)
  const facts = Object.entries(hit.facts).map(([field, values]) => text(`${field.padEnd(14)} ${values.join(' | ')}`))
  const was = line === null ? [] : [text(`${line.decision} by ${line.by || 'unknown'}, ${line.at.slice(0, 10) || 'no date'}`)]
  return [
    bold(text(`${position} hits · ${subjectText(company)} (${company.id})`), style),
    '',
    text(`score ${hit.score}, ${[hit.list, hit.entry].filter(part => part !== '').join(' ')}`),
    ...facts,
    '',
    ...(state === 'back'
      ? [bold(text('came back: it changed since the decision'), style), ...was, ...changed.map(text), '']
      : was),
    ...(chosen === undefined ? [] : [bold(text(`decided: ${chosen.decision}`), style), '']),
    dim(keyLine(style.width, 'hits'), style),
    '',
  ].join('\n')
}
