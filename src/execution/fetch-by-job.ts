/**
 * Fetches companies by their ids in a separate remote job: a run inside the directory of the run that wants them, so that it is
 * journalled and continues after a kill like any other.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ErrorCode, EXIT, FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { csvText } from '../formats/text-formats.ts'
import type { RunState } from '../journal/index.ts'
import type { AcceptedCompany } from '../model/results.ts'
import { type Plan, restorePipeline } from '../pipeline/index.ts'
import { prepareValue } from '../prepare/prepare.ts'
import { NO_OVERRIDES } from '../prepare/read-pipeline.ts'
import { readFetchedFile } from '../results/index.ts'
import type { FetchedByJob } from '../run/index.ts'
import type { FetchByJob, RunResult, RunSettings } from './run-settings.ts'

const FOLDER = 'accepted'
const [LIST, OUTPUT] = ['companies.csv', 'fetched.csv']
/** A list of the same companies is the same run. */
const RUN_KEY = 'accepted'

/** Throws what ended the run inside; called again with the same companies it is continued, or its result is taken. */
export async function fetchByJob(
  companies: readonly AcceptedCompany[],
  needs: Parameters<FetchByJob>[1],
  start: (plan: Plan, settings: RunSettings, fresh: boolean) => Promise<RunResult>,
): Promise<FetchedByJob> {
  const { directory, settings } = needs
  const cwd = resolve(settings.cwd, directory.path, FOLDER)
  await mkdir(cwd, { recursive: true, mode: 0o700 })
  const style = { delimiter: ',', lineEnd: '\n', columns: 3 }
  const lines = companies.map(({ id, name, country }) => [id, name, country])
  await writeAtomic(join(cwd, LIST), csvText([['companyId', 'name', 'country'], ...lines], style))
  const runsDir = join(cwd, 'runs')
  const context = { ...NO_OVERRIDES, env: settings.env, cwd, runsDir }
  const { plan, issues } = await prepareValue(fetchPipeline(needs.plan, join(cwd, LIST)), context)
  const [problem] = issues.filter(({ severity }) => severity === 'error')
  if (plan === null || problem !== undefined)
    throw new FettleError('FETTLE_BUG', `the job for accepted companies cannot be planned: ${problem?.message ?? ''}`)
  const { env, credentials, signal, runtime } = settings
  const own = { cwd, runsDir, args: { command: 'accepted' }, timeoutMs: null, runKey: RUN_KEY }
  const { state } = await start(plan, { env, credentials, signal, runtime, ...own }, false)
  if (state.error !== null || (state.exitCode !== EXIT.ok && state.exitCode !== EXIT.checks)) throw rebuildError(state)
  const found = await readFetchedFile(join(cwd, OUTPUT), companies)
  const { matched, duplicates } = state.outcomes ?? { matched: 0, duplicates: 0 }
  return { job: state.jobs[0]?.id ?? null, paid: (matched ?? 0) + (duplicates ?? 0), companies: found }
}

function fetchPipeline(plan: Plan, input: string) {
  const { name, service, register, poll, retry, after } = restorePipeline(plan)
  const { enrich } = plan
  return {
    ...{ name, service, register, input, poll, retry, after },
    mappings: { companyId: 'companyId', name: 'name', country: 'country' },
    enrich,
    output: { path: OUTPUT, columns: ['*', ...(enrich?.tags ?? [])] },
  }
}

function rebuildError({ error, runId }: RunState): FettleError {
  const { code, message, hint, correlationId } = error ?? { code: 'FETTLE_BUG', message: `the run ${runId} did not end` }
  return new FettleError(code as ErrorCode, `fetching the accepted companies: ${message}`, {
    hint,
    correlationId: correlationId ?? null,
  })
}
