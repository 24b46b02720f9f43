/** What happens to an operation: half of a write, and something after it. */
export interface Fate {
  readonly isShort: boolean
  readonly after: () => void
}

export interface DiskOptions {
  /** EFFECT@N or EFFECT@N+ of test/support/faulty-disk.mjs. */
  readonly fault?: string
  readonly paths: readonly string[]
  readonly ops?: readonly string[] | null
  readonly log?: (line: string) => void
  readonly signal: (name: string) => void
  readonly end?: () => void
}

export class Disk {
  constructor(options: DiskOptions)
  /** What a power cut does. */
  lose(): void
  watches(path: string | null): boolean
  meet(operation: string, path: string | null, args?: readonly unknown[]): Fate
}

export function watchDisks(current: () => Disk | null): Promise<void>
