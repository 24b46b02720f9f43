/** Opens the service of a run and makes the ports of its stages. */
import { OUTAGE_MS } from '../../model/requests.ts'
import type { Plan } from '../../pipeline/index.ts'
import type { Ports, ProgressEvent } from '../../run/index.ts'
import { proxiesOf, traceOf } from '../env/environment.ts'
import { DEFAULT_RUNTIME } from '../env/runtime.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import type { FetchByJob, RunSettings } from './run-settings.ts'
import { offline, openService, type ReadyService, type ServiceNeeds } from './service-connection.ts'

export interface ConnectionNeeds
  extends Pick<Ports, 'source' | 'results' | 'events' | 'keepAnswers' | 'earlier' | 'signal' | 'grace'>,
    Pick<ServiceNeeds, 'list' | 'facts' | 'beforeEffect' | 'onWarning' | 'recorder'> {
  readonly plan: Plan
  readonly directory: RunDirectory
  readonly settings: RunSettings
  readonly fetchByJob: FetchByJob
  /** False for remaining stages that send nothing: no service is opened. */
  readonly isNeeded: boolean
  /** Milliseconds left before the run's time limit. */
  readonly left: () => number
  readonly onProgress: (progress: ProgressEvent) => void
}

/** The ports of a run, and how to close its service. */
export interface RunConnection extends Pick<ReadyService, 'issues' | 'close'> {
  readonly ports: Ports
}

export async function connectRun(needs: ConnectionNeeds): Promise<RunConnection> {
  const { plan, directory, settings, source, results, list, facts, signal, grace, onProgress, onWarning, recorder } = needs
  const world = settings.world ?? DEFAULT_RUNTIME
  const ready = !needs.isNeeded
    ? offline()
    : await openService({
        service: plan.service,
        world,
        credentials: settings.credentials,
        env: settings.env,
        register: plan.register ?? null,
        stateDir: directory.service,
        ...(list === undefined || (plan.shard === undefined && plan.parts.length === 1) ? {} : { list }),
        facts: { ...facts, ...(plan.companyNumbers === undefined ? {} : { companyNumbers: plan.companyNumbers }) },
        attempts: plan.retry.attempts,
        // Without a limit of time a wrong address is named at once.
        outage: { ms: OUTAGE_MS, atStart: settings.timeoutMs !== null },
        traceparent: (settings.trace ?? traceOf(settings.env)).traceparent,
        proxies: () => proxiesOf(settings.env),
        onRetry: message => onProgress({ type: 'retry', message }),
        ...(onWarning === undefined ? {} : { onWarning }),
        ...(recorder === undefined ? {} : { recorder }),
        // A pause requested by the service is limited, like any wait.
        deadline: () => Math.min(needs.left(), plan.poll.timeoutMs),
        beforeEffect: needs.beforeEffect,
        stop: signal,
      })
  const service = settings.trace?.client(ready.service) ?? ready.service
  const ports: Ports = {
    service,
    portfolios: service,
    screening: service,
    candidates: service,
    reports: service,
    fetchByJob: companies => needs.fetchByJob(companies, { plan, directory, settings: { ...settings, signal } }),
    source,
    results,
    ...(needs.events === undefined ? {} : { events: needs.events }),
    ...(needs.keepAnswers === undefined ? {} : { keepAnswers: needs.keepAnswers }),
    ...(needs.earlier === undefined ? {} : { earlier: needs.earlier }),
    clock: world.clock,
    tick: onProgress,
    signal,
    grace,
  }
  return { ports, issues: ready.issues, close: () => ready.close() }
}
