/** The queries of AML lists: contract §2.3, §6.1. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { fromOne, maybe, truth } from '../query.ts'
import { written } from '../written.ts'
import { HIT_DECISIONS } from './words.ts'

const ANY_DECISION = `(?:${HIT_DECISIONS.join('|')})`
const decisions = written(maybe(200), { type: 'string', pattern: `^${ANY_DECISION}(?:,${ANY_DECISION})*$`, maxLength: 200 })

export const searchesQuery = lazy(() => z.looseObject({ ...fromOne(), isScheduled: truth }))

/** Query of a list of hits; decisions are read in any case (contract §14.3). */
export const hitsQuery = lazy(() => z.looseObject({ ...fromOne(), hitDecisions: decisions }))
