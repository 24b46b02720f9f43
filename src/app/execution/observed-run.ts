/**
 * A run carried out before those who are told of it: reporters of the program, lineage where somebody wants it, spans. It carries
 * nothing out itself, and nobody who is told can change what becomes of a run.
 */
import type { RunEventInput, RunState } from '../../journal/index.ts'
import { lineageEvent } from '../../report/index.ts'
import { httpLineage } from '../observe/lineage/http.ts'
import { namesOf } from '../observe/lineage/names.ts'
import { lineageSettings } from '../observe/lineage/settings.ts'
import type { RunTrace } from '../observe/opentelemetry.ts'
import { createDispatcher } from '../observe/reporters.ts'
import type { RunResult, RunSettings } from './execute.ts'

/** The run as it stands, and as it stood when it was gone on with (null for a new one). */
export interface StartedRun {
  readonly state: RunState
  readonly before: RunState | null
}

/** Carries a run by `carry`, whose settings tell everybody. */
export async function runWithObservers(
  { state, before }: StartedRun,
  trace: RunTrace,
  settings: RunSettings,
  carry: (settings: RunSettings) => Promise<RunResult>,
): Promise<RunResult> {
  const lineage = lineageSettings(settings.env)
  const http = lineage.http === null ? [] : [httpLineage(lineage.http, settings.env)]
  const spans = trace.reporter === null ? [] : [trace.reporter]
  const told = createDispatcher([...spans, ...(settings.reporters ?? []), ...http], text =>
    (settings.onWarning ?? settings.onNote)?.(text),
  )
  const tellLineage = (now: RunState, type: 'START' | 'RUNNING' | 'END'): void => {
    if (told.has('lineage')) told.tell('lineage', lineageEvent(now, type, namesOf(now, lineage, settings.cwd)))
  }
  told.tell('begin', state, before)
  tellLineage(state, before === null ? 'START' : 'RUNNING')
  const onFact = (fact: RunEventInput, now: RunState): void => {
    settings.onFact?.(fact, now)
    told.tell('fact', fact, now)
  }
  try {
    const result = await carry({ ...settings, onFact, trace })
    // Whoever collects a run that was left to the service tells its end.
    if (!result.state.detached) tellLineage(result.state, 'END')
    told.tell('end', result.report, result.state)
    return result
  } finally {
    await told.settled()
  }
}
