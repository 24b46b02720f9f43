/** Executes a run with its observers: those of the caller, spans of OpenTelemetry, and lineage by HTTP. */
import type { RunState } from '../../journal/index.ts'
import { lineageEvent } from '../../report/index.ts'
import { httpLineage } from '../observe/lineage/http.ts'
import { namesOf } from '../observe/lineage/names.ts'
import { lineageSettings } from '../observe/lineage/settings.ts'
import { notifyReporter } from '../observe/notify/notify.ts'
import type { RunTrace } from '../observe/opentelemetry.ts'
import { createDispatcher } from '../observe/reporters.ts'
import type { RunResult, RunSettings } from './run-settings.ts'

/**
 * Calls `execute` with settings whose observers are complete, and reports start, lineage and end of the run to them. `before` is the
 * state that was resumed, null for a new run.
 */
export async function runWithObservers(
  state: RunState,
  before: RunState | null,
  trace: RunTrace,
  settings: RunSettings,
  execute: (settings: RunSettings) => Promise<RunResult>,
): Promise<RunResult> {
  const lineage = lineageSettings(settings.env)
  const http = lineage.http === null ? [] : [httpLineage(lineage.http, settings.env)]
  const spans = trace.reporter === null ? [] : [trace.reporter]
  const { notify = [], env, runsDir, signal, runtime } = settings
  const receivers = notify.length === 0 ? [] : [notifyReporter(notify, { env, runsDir, signal, clock: runtime.clock })]
  const observers = (settings.observers ?? createDispatcher([])).with([...spans, ...http, ...receivers])
  const emitLineage = (now: RunState, type: 'START' | 'RUNNING' | 'END'): void => {
    if (observers.has('onLineageEvent'))
      observers.emit('onLineageEvent', lineageEvent(now, type, namesOf(now, lineage, settings.cwd)))
  }
  observers.emit('onRunStart', state, before)
  if (trace.note !== null) observers.emit('onNote', trace.note)
  emitLineage(state, before === null ? 'START' : 'RUNNING')
  try {
    const result = await execute({ ...settings, observers })
    // A detached run ends in the process that collects it.
    if (!result.state.detached) emitLineage(result.state, 'END')
    observers.emit('onRunEnd', result.report, result.state)
    return result
  } finally {
    await observers.flush()
  }
}
