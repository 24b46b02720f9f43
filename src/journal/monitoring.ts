/** The state of the stage `monitor`, from its events. */
import type { RunEvent } from './events.ts'

type Fields<T extends RunEvent['type']> = Omit<RunEvent & { readonly type: T }, 'type' | 'at'>

export interface MonitorState {
  /** The first comparison; null before it. */
  readonly compared: Fields<'monitor.compared'> | null
  readonly settled: Fields<'monitor.settled'> | null
  readonly written: Fields<'alerts.written'> | null
}

export const NOT_MONITORED: MonitorState = { compared: null, settled: null, written: null }

export function afterMonitoring(state: MonitorState, { at: _, ...event }: RunEvent): MonitorState {
  if (event.type === 'monitor.compared') {
    const { type, ...compared } = event
    return { ...state, compared }
  }
  if (event.type === 'monitor.settled') {
    const { type, ...settled } = event
    return { ...state, settled }
  }
  if (event.type !== 'alerts.written') return state
  const { type, ...written } = event
  return { ...state, written }
}
