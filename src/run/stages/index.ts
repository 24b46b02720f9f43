/** The stages of a run, in their order. */
import type { Stage } from '../stage.ts'
import { create } from './create.ts'
import { download } from './download.ts'
import { enrich } from './enrich.ts'
import { map } from './map.ts'
import { match } from './match.ts'
import { portfolio } from './portfolio.ts'
import { screen } from './screen.ts'
import { submit } from './submit.ts'
import { upload } from './upload.ts'

/** The stages after the outputs. */
export const POST_OUTPUT_STAGES: readonly Stage[] = [portfolio, screen]

/**
 * The stages in legs: jobs pass through a leg side by side, and none enters the second before all have left the first, since only
 * then is it known what enriching will cost. The third is about the companies of all jobs.
 */
export const STAGE_GROUPS: readonly (readonly Stage[])[] = [
  [create, upload, map, submit, match],
  [enrich, download],
  POST_OUTPUT_STAGES,
]

/** As far as a run goes that leaves the waiting to others: every job is the service's to carry on. */
export const SUBMIT_STAGES: typeof STAGE_GROUPS = [[create, upload, map, submit]]
