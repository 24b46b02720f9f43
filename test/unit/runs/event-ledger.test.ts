/** From when an event counts: an answer that is older is asked for again. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunState } from '../../../src/journal/index.ts'
import type { KeyedEvent } from '../../../src/model/requests.ts'
import type { Plan } from '../../../src/pipeline/index.ts'
import { openEventStore, readChangedCompanies } from '../../../src/runs/event-store.ts'
import { runDirectory } from '../../../src/runs/run-directory.ts'

const ASKED = '2026-03-11T03:17:00.000Z'
const event = (id: number, company: string, at: string): KeyedEvent => ({
  ...{ id, at, processed: false, old: 'a', new: 'b', reference: '' },
  company: { id: company, name: company, country: 'GB' },
  rule: { code: 1, name: 'Town' },
})

test.each([
  ['a time', ['2026-03-10T21:17:00.5Z'], '2026-03-10T21:17:00.500Z'],
  ['the end of a whole second', ['2026-03-10 21:17:00'], '2026-03-10T21:17:00.999Z'],
  ['the last of several', ['2026-03-10 21:17:00', '2026-03-10 22:17:00', '2026-03-09 23:00:00'], '2026-03-10T22:17:00.999Z'],
  ['its reading, for a day without a time', ['2026-03-10 00:00:00'], ASKED],
  ['its reading, for a date that cannot be read', ['yesterday'], ASKED],
  ['its reading, for a time in the future', ['2026-03-12 21:17:00'], ASKED],
])('an event counts from %s', async (_, dates, expected) => {
  const root = mkdtempSync(join(tmpdir(), 'fettle-ledger-'))
  const directory = runDirectory(join(root, 'runs'), '20260311T031700Z-small-abcdef')
  mkdirSync(directory.path, { recursive: true })
  const plan = { name: 'small', events: { output: 'events.csv', mark: false } } as unknown as Plan
  const store = openEventStore(plan, { directory, identity: 'x', root, baseline: null })
  await store.stage(
    ASKED,
    dates.map((at, index) => event(index, 'GB-X-1', at)),
  )
  const state = { plan, identity: 'x', events: { read: { portfolio: { id: 7 } } } } as unknown as RunState
  // Before the run is at its end, and after.
  for (let time = 0; time < 2; time++) {
    expect([...readChangedCompanies(directory, state)]).toEqual([['GB-X-1', Date.parse(expected)]])
    await store.deliver(7)
  }
  rmSync(root, { recursive: true })
})
