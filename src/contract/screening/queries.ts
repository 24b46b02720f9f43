/** The queries of AML lists: contract §2.3, §6.1. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { fromOne, truth } from '../query.ts'

export const searchesQuery = lazy(() => z.looseObject({ ...fromOne(), isScheduled: truth }))

/** Query of a list of hits; the decision is read in any case (contract §14.3). */
export const hitsQuery = lazy(() => z.looseObject({ ...fromOne(), hitDecisions: z.string().max(200).optional() }))
