/** The code of each stage, in the groups and the order of the table of stages. */
import { type StageName, stagesIn } from '../../model/stages.ts'
import type { JobStage, Named, RunStep } from '../stage.ts'
import { accepted } from './accepted.ts'
import { archive } from './archive.ts'
import { ask } from './ask.ts'
import { candidates } from './candidates.ts'
import { create } from './create.ts'
import { decide } from './decide.ts'
import { download } from './download.ts'
import { enrich } from './enrich.ts'
import { deliver, events } from './events.ts'
import { map } from './map.ts'
import { match } from './match.ts'
import { monitor } from './monitor.ts'
import { portfolio } from './portfolio.ts'
import { screen } from './screen.ts'
import { submit } from './submit.ts'
import { tree } from './tree.ts'
import { upload } from './upload.ts'

const JOB_STAGES: Readonly<Record<StageName<'submit' | 'match' | 'enrich'>, JobStage>> = {
  create,
  upload,
  map,
  submit,
  match,
  enrich,
  download,
}

const named = (group: StageName<'submit' | 'match' | 'enrich'>[]): readonly Named<JobStage>[] =>
  group.map(name => ({ name, ...JOB_STAGES[name] }))

/** A detached run ends after these: the service continues each job without us. */
export const SUBMIT_STAGES = named(stagesIn('submit'))

/** No job enters a group before every job left the one before. */
export const STAGE_GROUPS = [named(stagesIn('submit', 'match')), named(stagesIn('enrich'))]

/** What is left of a job that was paid, but for the outputs. */
export const PAID_STAGES: readonly Named<JobStage>[] = STAGE_GROUPS[1]!.map(({ afterJobs: _, ...stage }) => stage)

/** Before the rows that are sent are chosen. */
const EARLY_STEPS: Readonly<Record<StageName<'early'>, RunStep>> = { events, tree }

export const EARLY_STAGES: readonly Named<RunStep>[] = stagesIn('early').map(name => ({ name, ...EARLY_STEPS[name] }))

const RUN_STEPS: Readonly<Record<StageName<'companies'>, RunStep>> = {
  candidates,
  accepted,
  portfolio,
  screen,
  monitor,
  ask,
  decide,
  deliver,
  archive,
}

export const COMPANY_STAGES: readonly Named<RunStep>[] = stagesIn('companies').map(name => ({ name, ...RUN_STEPS[name] }))
