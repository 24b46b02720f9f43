/** The schema of answers of earlier runs in reports. */
import { z } from 'zod'
import { byOutcome } from '../../model/results.ts'
import { count, known } from '../schema-values.ts'

const outcomes = z.object(byOutcome(() => count.describe('rows')))

export const reuseSchema = z
  .object({
    asked: known.describe('rows to look up'),
    known: known.describe('rows with an answer of an earlier run'),
    sent: known.describe('rows that were sent'),
    repeated: known.describe('rows equal to one that was sent'),
    fresh: known.describe('sent because they are new'),
    changed: known.describe('sent because the row of this key changed'),
    tooOld: known.describe('sent because the earlier answer is too old'),
    lacking: known.describe('sent because the earlier answer lacks tags'),
    refreshed: known.describe('sent because of a refresh'),
    outcomes: z
      .object({
        known: outcomes.describe('rows with an earlier answer, by outcome'),
        sent: outcomes.describe('the others, by outcome'),
      })
      .nullable()
      .describe('all rows by outcome'),
  })
  .nullable()
  .default(null)
  .describe('answers of earlier runs; null without reuse')
