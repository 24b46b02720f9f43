/** Opens the service of a run and makes the ports of its stages. */

import { findProxies, traceOf } from '../env/environment.ts'
import type { Fit } from '../model/list.ts'
import { OUTAGE_MS } from '../model/requests.ts'
import type { RunTrace } from '../observe/opentelemetry.ts'
import type { Plan } from '../pipeline/index.ts'
import type { Ports, ProgressEvent } from '../run/index.ts'
import { changedAuditRegisters } from './audit-register.ts'
import type { RunPorts } from './ports.ts'
import type { Attempt, FetchByJob } from './run-settings.ts'
import { offline, openService, type ReadyService, type ServiceNeeds } from './service-connection.ts'

export interface ConnectionNeeds
  extends Pick<Ports, 'source' | 'results' | 'events' | 'monitor' | 'keepAnswers' | 'earlier'>,
    Pick<ServiceNeeds, 'beforeEffect' | 'onWarning' | 'recorder'>,
    Pick<Attempt, 'directory' | 'settings' | 'limit'> {
  readonly plan: Plan
  /** What is known of the whole list, and the rows that are sent of it. */
  readonly fit?: Fit
  readonly list?: RunPorts['list']
  /** The spans of the run; none if absent. */
  readonly trace?: RunTrace
  readonly fetchByJob: FetchByJob
  /** False for remaining stages that send nothing: no service is opened. */
  readonly isNeeded: boolean
  readonly onProgress: (progress: ProgressEvent) => void
}

/** The ports of a run, and how to close its service. */
export interface RunConnection extends Pick<ReadyService, 'issues' | 'close'> {
  readonly ports: Ports
}

export async function connectRun(needs: ConnectionNeeds): Promise<RunConnection> {
  const { plan, directory, settings, limit, trace, fit, list, onProgress } = needs
  const { clock } = settings.runtime
  const isOfSeveral = plan.shard !== undefined || plan.parts.length > 1
  // Before anything is paid: a register that is missing here is refused.
  const changed = await changedAuditRegisters(plan, settings.env)
  const ready = !needs.isNeeded
    ? offline()
    : await openService({
        service: plan.service,
        runtime: settings.runtime,
        credentials: settings.credentials,
        env: settings.env,
        register: plan.register ?? null,
        stateDir: directory.service,
        list: {
          facts: plan.companyNumbers === undefined ? fit : { ...fit, companyNumbers: plan.companyNumbers },
          rows: isOfSeveral ? list : undefined,
          precision: plan.precision,
        },
        attempts: plan.retry.attempts,
        // Without a limit of time a wrong address is named at once.
        outage: { ms: OUTAGE_MS, atStart: settings.timeoutMs !== null },
        traceparent: (trace ?? traceOf(settings.env)).traceparent,
        proxies: () => findProxies(settings.env),
        onRetry: message => onProgress({ type: 'retry', message }),
        onWarning: needs.onWarning,
        recorder: needs.recorder,
        // A pause requested by the service is limited, like any wait.
        deadline: () => Math.min(limit.left(), plan.poll.timeoutMs),
        beforeEffect: needs.beforeEffect,
        stop: limit.signal,
      })
  const service = needs.isNeeded && trace !== undefined ? trace.client(ready.service) : ready.service
  const ports: Ports = {
    ...{ service, portfolios: service, screening: service, candidates: service, reports: service, trees: service },
    fetchByJob: companies => needs.fetchByJob(companies, { plan, directory, settings }),
    source: needs.source,
    results: needs.results,
    events: needs.events,
    monitor: needs.monitor,
    keepAnswers: needs.keepAnswers,
    earlier: needs.earlier,
    clock,
    tick: onProgress,
    signal: limit.signal,
    grace: limit.grace,
  }
  return { ports, issues: [...changed, ...ready.issues], close: () => ready.close() }
}
