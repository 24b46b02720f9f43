/** The remote jobs of a run before anything happened to them. */
import type { Plan } from '../pipeline/model/types.ts'
import type { JobState } from './events.ts'

const newJob = (part: number, name: string): JobState => ({
  part,
  name,
  requested: false,
  id: null,
  adopted: false,
  uploadRequested: false,
  uploaded: null,
  mapped: false,
  matchRequested: false,
  matchAccepted: false,
  matchFinished: false,
  enrichmentsAccepted: false,
  enrichRequested: null,
  enrichAccepted: false,
  enrichFinished: false,
  received: null,
  failure: null,
  status: null,
  history: [],
  polls: 0,
  summary: null,
  correlations: [],
})

/** A single job has the run's name; several add their number from 1. */
export const planJobs = ({ parts }: Pick<Plan, 'parts'>, name: string): JobState[] =>
  parts.map((_, part) => newJob(part, parts.length === 1 ? name : `${name}-${part + 1}`))

/** A job in place of one that was not ours: each stage checks whether it has happened, upload and submit included. */
export const replaced = (job: JobState): JobState => ({
  ...newJob(job.part, job.name),
  requested: true,
  uploadRequested: true,
  matchRequested: true,
  polls: job.polls,
  correlations: job.correlations,
})
