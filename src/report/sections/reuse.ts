/** Answers of earlier runs in reports. */
import type { z } from 'zod'
import type { RunState } from '../../journal/index.ts'
import type { reuseSchema } from './reuse-schema.ts'

export const reuseOf = ({ reuse }: RunState): z.infer<typeof reuseSchema> =>
  reuse && {
    ...reuse.counts,
    outcomes: reuse.outcomes && { known: { ...reuse.outcomes.known }, sent: { ...reuse.outcomes.sent } },
  }
