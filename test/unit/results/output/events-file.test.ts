import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventsCsv } from '../../../../src/results/output/events-file.ts'

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('"', ',', '\n', '\r', ' ', "'", '=', '\ufeff'), fc.string({ unit: 'grapheme' })),
})
const event = fc.record({
  ...{ id: fc.nat(), at: text, processed: fc.constant(false), old: text, new: text, reference: text },
  company: fc.record({ id: text, name: text, country: text }),
  rule: fc.record({ code: fc.nat(), name: text }),
})

test('events of any text are read from their file as they were written', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), events => {
      const rows = events.map(({ id, at, company, reference, rule, old, new: now }) => [
        ...[String(id), at, company.id, company.name, company.country, reference],
        ...[String(rule.code), rule.name, old, now],
      ])
      expect(parse(eventsCsv(events), { from: 2 })).toEqual(rows)
    }),
    { numRuns: 200 },
  )
})
