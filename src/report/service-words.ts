/** The service that answered, in words: its address, or the embedded one with the registers it matched against. */
import type { Result } from './schema.ts'

export function serviceWords({ service, registers }: Pick<Result, 'service' | 'registers'>): string {
  const names = (registers ?? []).map(({ name, snapshotDate }) => (snapshotDate === null ? name : `${name} of ${snapshotDate}`))
  return names.length === 0 ? service : `${service}, register ${names.join(' and ')}`
}
