/** The schema of answers of earlier runs in reports. */
import { z } from 'zod'
import { byOutcome } from '../../model/results.ts'
import { count, known } from '../schema-values.ts'

const outcomes = z.object(byOutcome(() => count.describe('rows; null: unknown')))

export const reuseSchema = z
  .object({
    asked: known.describe('rows with a question: all but empty ones, and with job.collapse each different one once'),
    known: known.describe('of these, rows with an answer of an earlier run'),
    sent: known.describe('rows that were sent: each different one of the others once'),
    repeated: known.describe('rows with the question of one that was sent'),
    fresh: known.describe('sent because the question was never asked'),
    changed: known.describe('sent because the row of this key had another question'),
    tooOld: known.describe('sent because the earlier answer is too old'),
    lacking: known.describe('sent because the earlier answer lacks tags'),
    refreshed: known.describe('sent because the caller asks again'),
    outcomes: z
      .object({
        known: outcomes.describe('rows with an earlier answer, by outcome'),
        sent: outcomes.describe('the others, by outcome'),
      })
      .nullable()
      .describe('all rows by outcome: those with an earlier answer, and the others; null before the outputs are written'),
  })
  .nullable()
  .default(null)
  .describe('answers of earlier runs; null without reuse')
