/** Durations as people write them: `500ms`, `30s`, `5m`, `2h`, `1d`. */

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/

/** Milliseconds of a duration, null when it is not of the accepted form or is zero. */
export function parseDuration(text: string): number | null {
  const [, digits, unit] = DURATION.exec(text) ?? []
  if (digits === undefined) return null
  return Number(digits) * UNITS[unit as keyof typeof UNITS] || null
}

export function formatDuration(ms: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find(one => ms % UNITS[one] === 0) ?? 'ms'
  return `${ms / UNITS[unit]}${unit}`
}
