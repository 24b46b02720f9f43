/** Formats counts, shares, sizes, durations and times, equally in every locale and time zone. */
import { count, counted } from '../counted.ts'
import { actionOf, type Issue, type Place } from '../errors.ts'
import { hintWithCommand } from '../shell-command.ts'

export { count, counted }

export const formatHint = (issue: Pick<Issue, 'hint' | 'action'> & { readonly code: string }): string =>
  issue.hint === null ? '' : hintWithCommand(issue.hint, actionOf(issue))

/** `82.4%`. Only all is 100%, only nothing is 0%. */
export function percent(ratio: number | null): string {
  if (ratio === null) return 'unknown'
  if (ratio > 0 && ratio < 0.001) return '<0.1%'
  if (ratio < 1 && ratio > 0.999) return '>99.9%'
  return `${(ratio * 100).toFixed(1).replace(/\.0$/, '')}%`
}

/** `201`, or `≈ 318,503` of an estimate. */
export const about = (value: number, isEstimate: boolean): string => `${isEstimate ? '≈ ' : ''}${count(value)}`

/** `+12`, `−3`, `±0`; with a true minus sign. */
export const signed = (value: number): string => (value > 0 ? '+' : value < 0 ? '−' : '±') + count(Math.abs(value))

/** A difference of two shares in percentage points: `+1.2 points`. */
export function points(difference: number): string {
  const tenths = Math.round(difference * 1000)
  return `${tenths > 0 ? '+' : tenths < 0 ? '−' : '±'}${(Math.abs(tenths) / 10).toFixed(1)} points`
}

/** `0.8 s`, `1 m 31 s`, `2 h 05 m`, from milliseconds. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const

/** `18.3 MB`, decimal units. */
export function bytes(value: number): string {
  if (value < 1000) return counted(value, 'byte')
  // A little above the value: 999,960 is 1.0 MB, not 1000.0 kB.
  const power = Math.min(Math.floor(Math.log10(value * 1.00005) / 3), UNITS.length)
  return `${(value / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`
}

/** `2025-11-20 02:17:04`, of an ISO time; the caller adds UTC once. */
export const time = (iso: string): string => iso.slice(0, 19).replace('T', ' ')

/** `02:17:04`, of an ISO time. */
export const clockTime = (iso: string): string => iso.slice(11, 19)

/** `and 3 more`, or empty if all are shown. */
export const more = (total: number, shown: number): string => (total > shown ? `and ${count(total - shown)} more` : '')

/** `pipelines/nightly.yml:14:5`, as far as known. */
export const place = ({ file, line, column }: Place): string =>
  [file, line, line === null ? null : column].filter(part => part !== null).join(':')
