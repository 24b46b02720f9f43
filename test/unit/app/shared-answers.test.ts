/** Pipelines that share a folder of answers against a service whose answers depend on the list. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock } from '../../../src/files/process-lock.ts'
import { type PipelineInput, run } from '../../../src/index.ts'
import { loginAt, realService } from '../../system/cli/servers.ts'
import { type Place, place } from './place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const waiting = (runId: string): string =>
  `waiting for the run ${runId}, which asks the same questions: answers that both can use are not paid twice`

/** What another run notes about answers while the run named is at work, which ends once it is waited for. */
async function waitsFor(runId: string, other: (onNote: (text: string) => void) => Promise<unknown>): Promise<string[]> {
  const lock = takeLock(join(here.folder, 'shared/.asking', runId), Date.now)
  const notes: string[] = []
  await other(text => {
    notes.push(text)
    if (text.startsWith('waiting for the run')) lock.release()
  })
  lock.release()
  return notes.filter(text => text.includes('answers') && !text.startsWith('fetching'))
}

/** Pipelines over the same list, in a service of their own. */
async function pipelines() {
  const service = await realService()
  const { url } = service
  const reuse = { matched: '30d', unmatched: '30d', review: '30d' }
  const of = (name: string): PipelineInput => here.pipeline({ name, service: { url }, reuse, output: `${name}.csv` })
  return { of, options: { ...here.options(loginAt(service)), answersDir: 'shared' } }
}

test('the first night of a pipeline does not wait for answers that depend on the list of another, and later nights do', async () => {
  const { of, options } = await pipelines()
  const first = await run(of('one'), options)
  expect(first).toMatchObject({ exitCode: 0, results: [{ inRegister: expect.any(Number), plan: { sent: 2 } }] })
  here.write('in.csv', 'name,country\nAcme Ltd,GB\nBolt Ltd,GB\n')
  const { runId } = (await run(of('one'), { ...options, detach: true })).metadata
  expect(readdirSync(join(here.folder, 'shared/.asking'))).toEqual([`${runId}.questions`])

  const two = (onNote: (text: string) => void) => run(of('two'), { ...options, onNote })
  expect(await waitsFor(runId, two)).toEqual([
    'the answers of other pipelines depend on their lists, and are not used in the first night of two',
  ])
  here.write('in.csv', 'name,country\nAcme Ltd,GB\nCork SA,FR\n')
  const { runId: again } = (await run(of('one'), { ...options, detach: true, runsDir: 'elsewhere' })).metadata
  expect(await waitsFor(again, two)).toEqual([waiting(again)])
})

test('pipelines with the same list use what they know, each and together, after their first nights', async () => {
  const { of, options } = await pipelines()
  const sent = async (name: string): Promise<unknown> => (await run(of(name), options)).results[0]?.plan.sent
  expect([await sent('one'), await sent('two')]).toEqual([2, 2])
  expect([await sent('one'), await sent('two')]).toEqual([0, 0])
  here.write('in.csv', 'name,country\nZyxwv Utsrqp Ltd,GB\nHarrow Optics Ltd,GB\nAcme Ltd,GB\n')
  expect([await sent('two'), await sent('one')]).toEqual([1, 0])
})

test('the first night of a pipeline waits for a run of the same pipeline in another folder', async () => {
  const { of, options } = await pipelines()
  await run(of('one'), options)
  const { runId } = (await run(of('two'), { ...options, detach: true })).metadata
  const elsewhere = (onNote: (text: string) => void) => run(of('two'), { ...options, runsDir: 'elsewhere', onNote })
  expect(await waitsFor(runId, elsewhere)).toContain(waiting(runId))
})
