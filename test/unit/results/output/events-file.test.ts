import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { eventsCsv, readEventsFile } from '../../../../src/results/output/events-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'fettle-events-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', ',', '\n', '\r', ' ', "'", '=', '\ufeff'), fc.string({ unit: 'grapheme' })),
})
const event = fc.record({
  ...{ id: fc.nat(), at: text, processed: fc.constant(false), old: text, new: text, reference: text },
  company: fc.record({ id: text, name: text, country: text }),
  rule: fc.record({ code: fc.nat(), name: text }),
})

test('events of any text are read from their file as they were written', async () => {
  const path = join(folder, 'events.csv')
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 5 }), async events => {
      writeFileSync(path, eventsCsv(events))
      expect(await readEventsFile(path)).toEqual(events)
    }),
    { numRuns: 200 },
  )
})
