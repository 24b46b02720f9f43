/** Fetches the tags of companies that a review accepted, after the run. */
import { action, FettleError } from '../../errors.ts'
import type { Journal, RunState } from '../../journal/index.ts'
import { fetchAcceptedStep, type Ports } from '../../run/index.ts'
import { identityOf } from '../env/identity.ts'
import { connectRun } from '../execution/run-connection.ts'
import type { RunSettings } from '../execution/run-settings.ts'
import { fetchAcceptedByJob } from '../execution/start.ts'
import type { RunDirectory } from '../runs/run-directory.ts'

/** Throws FETTLE_REVIEW for a pipeline that fetches no companies, FETTLE_FINGERPRINT for another user. */
export function checkFetch({ plan, runId, identity }: RunState, credentials: RunSettings['credentials']): void {
  if (plan.candidates?.fetch == null)
    throw new FettleError('FETTLE_REVIEW', `the pipeline of the run ${runId} does not set how accepted companies are fetched`, {
      hint: 'Add candidates: { fetch: job } or { fetch: report } to the pipeline, and run it again.',
      action: action('run', plan.file),
    })
  if (identity !== identityOf(plan.service, credentials))
    throw new FettleError('FETTLE_FINGERPRINT', `the run ${runId} was started with a different user name`)
}

/** Runs the stage over the companies of the last outputs, and writes the outputs again. Throws what the service answers. */
export async function fetchAccepted(
  journal: Journal,
  directory: RunDirectory,
  results: Ports['results'],
  source: Ports['source'],
  settings: RunSettings,
): Promise<void> {
  const state = journal.state
  if (state === null || state.accepted === null || state.accepted.isWritten) return
  const { plan } = state
  const { signal } = settings
  const { ports, close } = await connectRun({
    ...{ plan, directory, settings, source, results },
    isNeeded: true,
    fetchByJob: fetchAcceptedByJob,
    limit: { signal, grace: signal, left: () => plan.poll.timeoutMs },
    beforeEffect: () => {},
    onProgress: () => {},
  })
  try {
    for await (const event of fetchAcceptedStep.run(state, ports)) journal.append(event)
  } finally {
    await close().catch(() => {})
  }
}
