/**
 * Checks a run: the five invariants of checkRun, the output of an undisturbed run, exit code 0, and an explanation for every
 * job that the network alone has created.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault, FaultServer } from '../../../src/testing/index.ts'
import { checkRun } from '../../support/check-run/check-run.ts'
import type { Violation } from '../../support/check-run/violation.ts'
import { OUTPUTS, type Product, ROWS } from './place.ts'
import { type Job, LOGIN, type Service } from './service.ts'
import type { Ended } from './workers.ts'

/** One of the five invariants, or `end`: not finished, or finished with something else than an undisturbed run. */
export interface Charge {
  readonly of: Violation['invariant'] | 'end'
  readonly what: string
}

/** The files of an undisturbed run, by name. */
export type Outputs = Readonly<Record<string, string>>

/** The outputs of a folder as far as they are there. */
export const outputsIn = (folder: string): Outputs =>
  Object.fromEntries(
    OUTPUTS.filter(name => existsSync(join(folder, name))).map(name => [name, readFileSync(join(folder, name), 'utf8')]),
  )

const charge = ({ invariant, what }: Violation): Charge => ({ of: invariant, what })

const runsIn = (folder: string, { runs }: Product): string[] => runs.listRunIds(join(folder, 'fettle-runs'))

/** Judges the files at any moment, also right after a kill: what bears its final name is whole. */
export async function judgeFiles(folder: string, wanted: Outputs, product: Product): Promise<readonly Charge[]> {
  const found: Charge[] = []
  for (const [name, text] of Object.entries(outputsIn(folder)))
    if (text !== wanted[name])
      found.push({ of: 'I3', what: `${name} is not that of an undisturbed run: ${text.length} characters` })
  for (const id of runsIn(folder, product)) {
    const runDirectory = join(folder, 'fettle-runs', id)
    const ofRun = (await checkRun({ runDirectory, inputRows: ROWS, outputs: OUTPUTS })).map(charge)
    // Killed after its last word: report and clearing up follow at the next start, and are judged at the end.
    if (!ofRun.some(({ what }) => what.startsWith('report.json says'))) found.push(...ofRun)
  }
  return found
}

/** What there is to judge at the end. */
export interface Evidence {
  readonly folder: string
  readonly ended: Ended
  readonly service: Service
  readonly server: FaultServer
  readonly fired: readonly Fault[]
  /** Whether the service was killed during the run: what it did right before, nobody saw. */
  readonly wasServiceKilled: boolean
  readonly said: readonly string[]
}

/** What came of the judgement. */
export interface Judgement {
  readonly charges: readonly Charge[]
  /** Jobs that the network alone has made, reported by the run or behind a create that was answered as if nothing were wrong. */
  readonly orphans: { readonly reported: number; readonly unreported: number }
}

/** Judges a run that came to its end. */
export async function judge(evidence: Evidence, wanted: Outputs, product: Product): Promise<Judgement> {
  const { folder, ended, server, service, wasServiceKilled, said } = evidence
  const charges: Charge[] = []
  const say = (of: Charge['of'], what: string): void => void charges.push({ of, what })
  if (ended.exitCode !== 0 || ended.finished !== true) say('end', `exit ${ended.exitCode}: ${ended.error}`)
  const got = outputsIn(folder)
  for (const name of OUTPUTS)
    if (got[name] !== wanted[name]) say('end', `${name} is ${got[name] === undefined ? 'missing' : 'another'}`)

  const deliveries = deliveredTwice(evidence)
  let orphans = { reported: 0, unreported: 0 }
  for (const id of runsIn(folder, product)) {
    const runDirectory = join(folder, 'fettle-runs', id)
    const found = await service.ask(access =>
      checkRun({
        runDirectory,
        inputRows: ROWS,
        outputs: OUTPUTS,
        service: access,
        server,
        orphans: deliveries.length,
        secrets: [LOGIN.password],
        said,
      }),
    )
    charges.push(...found.map(charge))
    if (id === ended.runId) orphans = judgeOrphans(await service.jobsNamed(`fettle-${id}`), evidence, say)
  }
  const { creates, submits, enriches } = server.effects()
  // A service killed between its work and its answer has done what nobody saw.
  if (!wasServiceKilled && (creates < 1 || submits !== 1 || enriches !== 1))
    say('I1', `${creates} creates, ${submits} submissions, ${enriches} enrichments`)
  return { charges, orphans }
}

/** Creates that the network delivered twice: true for those whose first answer the client was given. */
const deliveredTwice = ({ server }: Evidence): boolean[] =>
  server.requests.filter(one => one.operation === 'createJob' && one.effect === 'duplicate').map(one => one.given === 200)

/**
 * A create delivered twice to a service without keys makes a second job, and nobody can prevent it. The run must report it,
 * unless the create was answered as if nothing had happened: then nobody has reason to look. That nothing was ever sent to it,
 * the checker sees to.
 */
function judgeOrphans(jobs: readonly Job[], evidence: Evidence, say: (of: 'I1', what: string) => void): Judgement['orphans'] {
  const { ended } = evidence
  const others = jobs.filter(job => job.id !== ended.jobId)
  const reported = others.filter(job => ended.issues?.some(text => text.startsWith('FETTLE_JOB_ORPHAN') && text.includes(job.id)))
  const unreported = others.length - reported.length
  if (unreported > deliveredTwice(evidence).filter(isAnswered => isAnswered).length)
    say('I1', `${unreported} jobs besides our own are not reported: ${others.map(job => job.id).join(', ')}`)
  return { reported: reported.length, unreported }
}
