/** Which answers of earlier runs a run uses: where they are kept, whose they are, and which of them are asked again. */
import { join } from 'node:path'
import { defined } from '../defined.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { digestOf } from '../files/file-chunks.ts'
import { readKept, unreadableKept } from '../files/kept-files.ts'
import type { JobState, RunArgs } from '../journal/index.ts'
import type { Fit } from '../model/list.ts'
import type { Plan } from '../pipeline/index.ts'
import { AnswerFolder } from './answer-folder.ts'
import type { AnswerClass } from './files/answers.ts'

/** Which rows are sent although they have an answer. */
export interface Refresh {
  readonly all: boolean
  readonly outcomes: readonly AnswerClass[]
  /** Cells of the key. */
  readonly keys: readonly string[]
}

export const NO_REFRESH: Refresh = { all: false, outcomes: [], keys: [] }

export interface ReuseSettings {
  readonly runsDir: string
  /** `answers` in the folder of the runs if absent. */
  readonly answersDir?: string | null
  readonly refresh?: Refresh
  /** When events of companies were read last, by connectId: an earlier answer about one of them is too old. */
  readonly changedCompanies?: ReadonlyMap<string, number>
}

/** `args`: the arguments of the run, which may have been started with another folder. */
export function answersFolder({ runsDir, answersDir }: ReuseSettings, args: RunArgs = {}): string {
  const recorded = args['answers-dir']
  return answersDir ?? (typeof recorded === 'string' ? recorded : join(runsDir, 'answers'))
}

/** What the arguments of a run record of it. */
export const refreshArgs = ({ all, outcomes, keys }: Refresh): RunArgs =>
  defined({
    refresh: all || undefined,
    'refresh-where': outcomes.length === 0 ? undefined : outcomes.map(outcome => `outcome=${outcome}`),
    'refresh-key': keys.length === 0 ? undefined : keys,
  }) as RunArgs

/** What may be paid once for several runs, beside rows: AML searches, questions for candidates, runs of a decision tree. */
export const SEARCH_KINDS = ['screen', 'candidates', 'decide'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

const hexDigest = (values: readonly unknown[]): string => digestOf(JSON.stringify(values)).toString('hex')

/** A digest of what answers of a kind depend on besides their keys: service, account and product, and what a service of ours fitted to the list. */
export const scopeOf = (kind: SearchKind | 'row', plan: Pick<Plan, 'enrich'>, identity: string, fit: Fit | null = null): string =>
  hexDigest([kind, identity, plan.enrich?.product ?? null, fit])

/** What the service fitted to the list of a run, as it names it for its jobs; null for a service that names nothing. */
export function findFit({ reuse, jobs }: Pick<FittedRun, 'reuse' | 'jobs'>): Fit | null {
  if (reuse?.fit != null) return reuse.fit
  for (const { summary } of jobs) {
    const { inRegister, companyNumbers } = summary ?? {}
    if (inRegister != null) return companyNumbers == null ? { inRegister } : { inRegister, companyNumbers }
  }
  return null
}

/** Where the fit of a pipeline is kept: its runs send the same until everything is asked again. */
const fitPath = (answers: string, { name, enrich, precision }: FitOwner, identity: string): string =>
  join(answers, `${hexDigest([name, identity, enrich?.product ?? null, precision])}.fit`)

type FitOwner = Pick<Plan, 'name' | 'enrich' | 'precision'>

/** What the service fitted to the list of a pipeline in an earlier run; null where it did not. Throws FETTLE_OUTPUT_WRITE. */
export function readFit(answers: string, plan: FitOwner, identity: string): Fit | null {
  const path = fitPath(answers, plan, identity)
  const bytes = readKept(path)
  try {
    return bytes && (JSON.parse(bytes.toString()) as Fit)
  } catch (cause) {
    throw unreadableKept(path, cause)
  }
}

export async function keepFit(answers: string, run: FittedRun): Promise<void> {
  const fit = findFit(run)
  if (fit !== null) await writeAtomic(fitPath(answers, run.plan, run.identity), JSON.stringify(fit))
}

interface FittedRun {
  readonly plan: Plan
  readonly identity: string
  readonly reuse: { readonly fit: Fit | null } | null
  readonly jobs: readonly Pick<JobState, 'summary'>[]
}

/** The folder in which a run asked, and the one in which it keeps its answers: what the service fitted is known by then. */
export function foldersOfRun(answers: string, run: FittedRun, now: () => number) {
  const folder = (of: Fit | null): AnswerFolder => new AnswerFolder(answers, scopeOf('row', run.plan, run.identity, of), now)
  return { asked: folder(run.reuse?.fit ?? null), kept: folder(findFit(run)) }
}
