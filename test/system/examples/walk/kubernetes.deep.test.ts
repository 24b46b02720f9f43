/**
 * The walk of Kubernetes: the pods of examples/kubernetes are started by the rules that its job controller keeps, one index after the other. At
 * five moments a pod is lost (SIGKILL), or doubled: its node does not answer, so another pod of its index starts while it goes on. Each
 * shard must have one job and one enrichment, and the outputs the bytes of one run.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { CREDENTIALS, realService } from '../../cli/servers.ts'
import { example, outputsOf, outputsOfOneRun } from '../kit.ts'
import { actionAfter, type Container, type Rule, runPod } from '../kubernetes.ts'
import { type Cell, MOMENTS, openCell, until } from './cell.ts'
import { kill } from './processes.ts'

interface JobSpec {
  readonly completions?: number
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly podFailurePolicy: { readonly rules: readonly Rule[] }
  readonly template: { readonly spec: { readonly containers: readonly [Container] } }
}

/** Kubernetes waits 10 s before the first retry; a pod that is locked out meanwhile ends with 75. */
const PAUSE_MS = 250
const LOCKED = 75

/** Runs every index of a Job to its end. Returns the exit codes of all pods; throws where Kubernetes would fail the index or the Job. */
async function runJob(cell: Cell, spec: JobSpec, uid: string): Promise<number[]> {
  const most = spec.backoffLimitPerIndex ?? spec.backoffLimit ?? 0
  const codes: number[] = []
  for (let index = 0; index < (spec.completions ?? 1); index++)
    for (let failures = 0; ; await sleep(PAUSE_MS)) {
      const { code } = await runPod(cell.work, spec.template.spec.containers[0], uid, index)
      codes.push(code)
      if (code === 0) break
      if (actionAfter(spec.podFailurePolicy.rules, code) !== 'Count' || ++failures > most)
        throw new Error(`index ${index} of ${uid} failed with ${code}`)
    }
  return codes
}

async function runBoth(cell: Cell): Promise<number[]> {
  const codes = await runJob(cell, example('kubernetes/shards.yml').spec, 'shards')
  return [...codes, ...(await runJob(cell, example('kubernetes/merge.yml').spec, 'merge'))]
}

/** Starts the pod that is held once more, while it lives, and resolves to its exit code. */
async function double({ moment, work }: Cell): Promise<number> {
  const job = moment === 'writing' ? 'merge' : 'shards'
  const { code } = await runPod(work, example(`kubernetes/${job}.yml`).spec.template.spec.containers[0], job)
  return code
}

let wanted: readonly string[]
let undisturbed: Awaited<ReturnType<Cell['counts']>>
beforeAll(async () => {
  const { url } = await realService()
  wanted = await outputsOfOneRun({ ...CREDENTIALS, FETTLE_URL: url })
  const cell = await openCell('fettle', 'before create', '--shard')
  cell.release()
  await runBoth(cell)
  undisturbed = await cell.counts()
  expect(undisturbed.jobs).toBeGreaterThan(1)
  expect(undisturbed.enriched).toBe(undisturbed.jobs)
}, 240_000)

test.each(MOMENTS)('a pod that is lost %s', async moment => {
  const cell = await openCell('fettle', moment, '--shard')
  const both = runBoth(cell)
  await kill(await until(`a pod held ${moment}`, () => cell.held()))
  cell.release()
  expect((await both).filter(code => code !== 0)).toEqual([137])
  expect(await cell.counts()).toEqual(undisturbed)
  expect(outputsOf(cell.work)).toEqual(wanted)
})

test.each(MOMENTS)('a pod that is doubled %s', async moment => {
  const cell = await openCell('fettle', moment, '--shard')
  const both = runBoth(cell)
  const first = await until(`a pod held ${moment}`, () => cell.held())
  const second = double(cell)
  // After the end it reports the finished run, and is held as well.
  if (moment === 'after the end') await until('the other pod held', () => cell.held() !== first)
  else expect(await second).toBe(LOCKED)
  cell.release()
  await second
  for (let tries = 0; (await double(cell)) !== 0; tries++) expect(tries).toBeLessThan(7)
  expect((await both).filter(code => code !== 0 && code !== LOCKED)).toEqual([])
  expect(await cell.counts()).toEqual(undisturbed)
  expect(outputsOf(cell.work)).toEqual(wanted)
})
