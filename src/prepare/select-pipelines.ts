/** `--select`: pipelines by tag, by name, by change and by failure. */

import { findIdentity } from '../env/identity.ts'
import { readCredentials } from '../env/trust.ts'
import { FettleError } from '../errors.ts'
import { nameMatcher } from '../files/paths.ts'
import type { RunState } from '../journal/index.ts'
import {
  changesOf,
  describeSeries,
  isAddress,
  nearest,
  type Pipeline,
  pipelineFormat,
  plainPipeline,
  type Secrets,
} from '../pipeline/index.ts'
import type { Target } from '../pipeline/project/project.ts'
import { listRunIds } from '../runs/run-directory.ts'
import { readStoredStatus } from '../runs/run-queries.ts'
import { findRun, idsOfSeries } from '../runs/run-store.ts'
import { credentialsIn, prepare } from './prepare.ts'
import { type Overrides, type PrepareContext, parseText, readText } from './read-pipeline.ts'
import { resolveService } from './resolve-service.ts'

export type SelectContext = PrepareContext & Overrides & { readonly runsDir: string }

interface Candidate {
  readonly file: string
  /** Null for a file that cannot be read: it is selected, so that its problems are reported. */
  readonly facts: { readonly name: string; readonly tags: readonly string[] } | null
  readonly pipeline: Pipeline | null
  readonly secrets: Secrets | null
  readonly target: Target | null
}

type Term = (candidate: Candidate, context: SelectContext) => boolean | Promise<boolean>

/** The files that any of the words selects. Throws FETTLE_USAGE for a tag or a name that no pipeline has. */
export async function selectPipelines(
  files: readonly string[],
  words: readonly string[],
  context: SelectContext,
): Promise<string[]> {
  const candidates = await Promise.all(files.map(file => readCandidate(file, context)))
  const terms = words.map(word => parseTerm(word, candidates))
  const chosen: string[] = []
  for (const candidate of candidates) {
    let isChosen = candidate.facts === null
    for (const term of terms) isChosen ||= await term(candidate, context)
    if (isChosen) chosen.push(candidate.file)
  }
  return chosen
}

async function readCandidate(file: string, context: SelectContext): Promise<Candidate> {
  const text = await readText(file)
  const parsed = typeof text === 'string' ? parseText(text, file, context) : text
  if (typeof text !== 'string' || 'code' in parsed) return { file, facts: null, pipeline: null, secrets: null, target: null }
  const { pipeline, secrets, project } = parsed
  return { file, pipeline, secrets, facts: pipeline ?? writtenFacts(text, file), target: project?.target ?? null }
}

/** Name and tags of a file with problems elsewhere, such as a variable that is not set here. */
function writtenFacts(text: string, file: string): Candidate['facts'] {
  try {
    const { name, tags } = plainPipeline(text, pipelineFormat(file) ?? 'yaml') as { name?: unknown; tags?: unknown }
    const isList = Array.isArray(tags) && tags.every(tag => typeof tag === 'string')
    return typeof name === 'string' && (tags === undefined || isList) ? { name, tags: isList ? tags : [] } : null
  } catch {
    return null
  }
}

function parseTerm(word: string, candidates: readonly Candidate[]): Term {
  if (word === 'changed') return isChanged
  if (word === 'failed') return hasFailed
  const tag = /^tag:(.+)$/.exec(word)?.[1]
  const isNamed = nameMatcher(word)
  const term = ({ facts }: Candidate): boolean =>
    facts !== null && (tag === undefined ? isNamed(facts.name) : facts.tags.includes(tag))
  if (candidates.some(candidate => candidate.facts === null || term(candidate))) return term
  const known = [...new Set(candidates.flatMap(({ facts }) => (tag === undefined ? [facts!.name] : facts!.tags)))].sort()
  const close = nearest(tag ?? word, tag === undefined ? [...known, 'changed', 'failed'] : known)
  const what = tag === undefined ? 'no pipeline has such a name' : 'no pipeline has this tag'
  throw new FettleError('FETTLE_USAGE', `cannot select ${word}: ${what}${close === null ? '' : `; did you mean ${close}?`}`, {
    hint: `Select changed, failed, or ${tag === undefined ? 'names' : 'tags'} such as ${known.slice(0, 10).join(', ') || 'none'}.`,
  })
}

const GOOD: readonly RunState['status'][] = ['success', 'warn', 'skipped']

/** The plan differs from the plan of the last good run; a list that is not a local file counts as changed. */
async function isChanged({ file, pipeline }: Candidate, context: SelectContext): Promise<boolean> {
  if (pipeline === null) return true
  const { path, sql } = pipeline.input
  const input = context.input ?? path
  if (input === '-' || isAddress(input) || sql !== undefined) return true
  const { plan, credentials, release } = await prepare(file, context)
  release()
  if (plan === null) return true
  const ids = idsOfSeries(context.runsDir, { plan, identity: findIdentity(plan.service, credentials) })
  const last = findRun(context.runsDir, ids, ({ finished, status }) => finished && GOOD.includes(status))
  return last === null || changesOf(plan, last.plan).length > 0
}

/** The newest run ended with an error or a failed check, or was stopped. */
function hasFailed(candidate: Candidate, context: SelectContext): boolean {
  const { runsDir } = context
  const last = findRun(runsDir, listRunIds(runsDir, candidate.facts!.name), seriesMatcher(candidate, context))
  if (last === null) return false
  const { status } = readStoredStatus(runsDir, last)
  return status === 'stopped' || (status === 'finished' && !GOOD.includes(last.status))
}

/** Whether a run is of the series of a pipeline: the register is read from the run, which needs no plan. */
function seriesMatcher({ pipeline, secrets, target }: Candidate, context: SelectContext): (run: RunState) => boolean {
  const fields = { target: target?.name, limit: context.limit ?? target?.limit ?? null }
  if (pipeline === null || secrets === null) return ({ plan }) => plan.target === fields.target && plan.limit === fields.limit
  const service = resolveService(context, pipeline)
  const identity = findIdentity(service, () => readCredentials(context.env, service, credentialsIn(secrets), context.service))
  return ({ plan, identity: recorded }) =>
    describeSeries({ ...plan, ...fields, service }, identity).name === describeSeries(plan, identity && recorded).name
}
