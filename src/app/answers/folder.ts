/** The folder of the answers that later runs may use: where it is, whose they are, and how those of a run get there. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { realClock } from '../../client/clock.ts'
import { action, FettleError } from '../../errors.ts'
import type { RunArgs } from '../../journal/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import type { AnswerClass } from '../../results/reuse/answer-file.ts'
import { keptAnswersPaths } from '../../results/reuse/answer-keeper.ts'
import { addAnswers, answerFilesIn, removeOldAnswers } from '../../results/reuse/answer-store.ts'
import { dropReplaced } from '../../results/reuse/replaced-answers.ts'
import { NO_REFRESH, type Refresh } from '../../results/reuse/verdict.ts'
import { packageInfo } from '../env/package-info.ts'
import { makeFolder, type RunDirectory } from '../runs/run-directory.ts'
import { claimsFolder, waitForLock, writingLock } from './claims.ts'

/** Where answers are kept, and which of them are not used. */
export interface ReuseSettings {
  readonly runsDir: string
  /** `answers` in the folder of the runs if absent. */
  readonly answersDir?: string | null
  readonly refresh?: Refresh
  /** When events of companies were read last, by connectId: an earlier answer about one of them is too old. */
  readonly changedCompanies?: ReadonlyMap<string, number>
}

/** `args`: those of the run, which may have been started with another folder. */
export function answersFolder({ runsDir, answersDir }: ReuseSettings, args: RunArgs = {}): string {
  const recorded = args['answers-dir']
  return answersDir ?? (typeof recorded === 'string' ? recorded : join(runsDir, 'answers'))
}

/** Which rows are asked again: as the caller wants it now, else as recorded when the run began. */
export function refreshOf({ refresh = NO_REFRESH }: ReuseSettings, args: RunArgs): Refresh {
  if (refresh.all || refresh.outcomes.length > 0 || refresh.keys.length > 0) return refresh
  const listOf = (name: string): readonly string[] => (Array.isArray(args[name]) ? args[name] : [])
  const outcomes = listOf('refresh-where').map(one => one.replace('outcome=', '') as AnswerClass)
  return { all: args.refresh === true, outcomes, keys: listOf('refresh-key') }
}

/** What `refreshOf` reads. */
export const refreshArgs = ({ all, outcomes, keys }: Refresh): RunArgs => ({
  ...(all ? { refresh: true } : {}),
  ...(outcomes.length === 0 ? {} : { 'refresh-where': outcomes.map(one => `outcome=${one}`) }),
  ...(keys.length === 0 ? {} : { 'refresh-key': keys }),
})

/** A digest of what an answer depends on besides the question: service, account, product and registers. */
export function scopeOf({ service, register, enrich }: Plan, identity: string): string {
  const registers = (register ?? []).map(({ name, sha256 }) => [name, sha256])
  const engine = service.kind === 'embedded' ? [packageInfo().version] : null
  return createHash('sha256')
    .update(JSON.stringify([identity, enrich?.product ?? null, registers, engine]))
    .digest('hex')
}

/** Puts the answers of a run where later runs find them. Returns the number of files. Throws FETTLE_OUTPUT_WRITE. */
export function keepAnswers(directory: RunDirectory, folder: string, now: number): Promise<number> {
  const files = keptAnswersPaths(directory.path).filter(one => existsSync(one.path))
  return addToFolder(directory, folder, files, now)
}

const NEVER = new AbortController().signal

/** Adds files of a run to the folder, in place of what they replace. Returns their number. Throws FETTLE_OUTPUT_WRITE. */
export async function addToFolder(
  { id }: RunDirectory,
  folder: string,
  files: readonly { readonly kind: string; readonly path: string }[],
  now: number,
): Promise<number> {
  makeFolder(folder, { ignored: 'itself' })
  makeFolder(claimsFolder(folder))
  const clock = { ...realClock, now: () => now }
  const writing = await waitForLock(writingLock(folder), 'writes answers', { clock, signal: NEVER, onWait: () => {} })
  try {
    await removeOldAnswers(folder, now)
    const added: string[] = []
    for (const one of files) added.push(await addAnswers(folder, `${id}-${one.kind}`, one.path))
    await dropReplaced(folder, answerFilesIn(folder), added)
  } catch (error) {
    if (!FettleError.is(error)) throw error
    const hint =
      'The outputs are written. Free space or correct permissions, then resume the run, so that later runs need not pay again.'
    throw new FettleError(error.code, error.message, { hint, action: action('resume', id), cause: error })
  } finally {
    writing.release()
  }
  return files.length
}
