/** The folder of answers over many runs: of each key the newest answer is found, and none is left once its age has passed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf } from '../../../src/files/file-chunks.ts'
import { AnswerFolder } from '../../../src/reuse/answer-folder.ts'
import { AnswersWriter } from '../../../src/reuse/files/answers.ts'
import { openFiles } from '../../../src/reuse/known-answers.ts'

const DAY = 86_400_000
const AGE = 5 * DAY
const START = Date.UTC(2026, 0, 1)

/** Runs in their order: the keys that each one asked, and the days since the one before. */
const someRuns = fc.array(
  fc.record({
    tags: fc.constantFrom([], ['contact.city']),
    keys: fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 60 }),
    days: fc.constantFrom(0.1, 0.5, 1, 3, 6),
  }),
  { minLength: 1, maxLength: 14 },
)

test('finds the newest answer to each key, and keeps none whose age has passed', async () => {
  await fc.assert(
    fc.asyncProperty(someRuns, async runs => {
      const place = mkdtempSync(join(tmpdir(), 'fettle-answers-'))
      let now = START
      const folder = new AnswerFolder(join(place, 'answers'), 'ab'.repeat(32), () => now)
      const waiting = {
        clock: { now: () => now, sleep: async () => {} },
        signal: new AbortController().signal,
        onWait: () => {},
      }
      const newest = new Map<number, number>()
      try {
        for (const [at, { tags, keys, days }] of runs.entries()) {
          now += days * DAY
          const run = `run-${at}`
          const writer = new AnswersWriter(join(place, `${run}.draft`))
          for (const key of keys) {
            await writer.add({ key: digestOf(String(key)), owner: null, row: null, source: 0, outcome: 'matched', cells: [run] })
            newest.set(key, now)
          }
          const source = { run, job: run, at: new Date(now).toISOString(), columns: [] }
          await writer.publish(folder.facts({ age: AGE, tags: [...tags], sources: [source] }))
          await folder.keep(run, [writer.path], waiting)
          const known = folder.open([], now)
          for (const [key, time] of newest) {
            const found = known.find(digestOf(String(key)))
            expect(found === null ? null : Date.parse(found.source.at)).toBe(time + AGE > now ? time : null)
          }
          known.close()
          for (const file of openFiles(folder.path)) {
            expect(file.facts.sources.every(({ at }) => Date.parse(at) + AGE > now)).toBe(true)
            file.close()
          }
        }
      } finally {
        rmSync(place, { recursive: true, force: true })
      }
    }),
    { numRuns: 60 },
  )
})
