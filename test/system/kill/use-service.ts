/** A small register and a service behind a fault server for all tests of a file or a describe; both are removed afterwards. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import type { FaultyService } from '../../../src/testing/index.ts'
import { makeData, type start, startService } from './kit.ts'

/** What was started: the data folder with the register, and the service. */
export interface Started {
  readonly data: string
  readonly service: FaultyService
}

export type Child = ReturnType<typeof start>['child']

/** Starts before the tests and hands over what it started; `onKill` and `onPoint` are the fault server's. */
export function useService(
  take: (started: Started) => void,
  { onKill = () => {}, onPoint }: { readonly onKill?: () => unknown; readonly onPoint?: () => unknown } = {},
): void {
  let started: Started | null = null
  beforeAll(async () => {
    const data = await makeData()
    started = { data, service: await startService(data, 'service', onKill, onPoint) }
    take(started)
  })
  afterAll(async () => {
    if (started === null) return
    await started.service.close()
    rmSync(started.data, { recursive: true, force: true })
  })
}

/** The same, with a process that the service kills when a fault tells it to: the test sets `child`. */
export function useServiceThatKills(): Started & { child: Child | null } {
  const used = { child: null } as Started & { child: Child | null }
  useService(started => Object.assign(used, started), { onKill: () => used.child?.kill('SIGKILL') })
  return used
}
