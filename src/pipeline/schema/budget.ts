/** The key `budget`: what a run may spend at most. */
import { z } from 'zod'
import { map, orNull, whole } from './forms.ts'

const MAX_ROWS = 1_000_000_000

export const budget = map({
  rows: orNull(whole(1, MAX_ROWS)).describe('Refuse to send more rows.'),
  credits: orNull(whole(1, MAX_ROWS)).describe('Refuse to enrich more rows.'),
  month: orNull(whole(1, MAX_ROWS)).describe(
    'Refuse a run that could exceed these credits together with all runs of the account in this month (UTC) and folder of runs.',
  ),
  account: orNull(z.enum(['refuse'])).describe(
    'refuse: refuse a run that could need more than the account has left (GET /access).',
  ),
})
  .transform(({ month, account, ...rest }) => ({
    ...rest,
    ...(month === null ? {} : { month }),
    ...(account === null ? {} : { account }),
  }))
  .prefault({})
  .describe('Refuse before spending more.')
