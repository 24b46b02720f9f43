/** Pipelines that share a folder of answers against a service whose answers depend on the list. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock } from '../../../src/files/process-lock.ts'
import { type PipelineInput, run } from '../../../src/index.ts'
import { type Place, place } from '../../support/place.ts'
import { loginAt, realService } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const waiting = (runId: string): string =>
  `waiting for the run ${runId}, which asks the same: answers that both can use are not paid twice`

/** Pipelines over the same list, in a service of their own. */
async function pipelines() {
  const service = await realService()
  const { url } = service
  const reuse = { matched: '30d', unmatched: '30d', review: '30d' }
  const of = (name: string): PipelineInput => here.pipeline({ name, service: { url }, reuse, output: `${name}.csv` })
  return { of, options: { ...here.options(loginAt(service)), answersDir: 'shared' } }
}

test('pipelines with the same list use what they know, each and together, after their first nights', async () => {
  const { of, options } = await pipelines()
  const sent = async (name: string): Promise<unknown> => (await run(of(name), options)).results[0]?.plan.sent
  expect([await sent('one'), await sent('two')]).toEqual([2, 2])
  expect([await sent('one'), await sent('two')]).toEqual([0, 0])
  here.write('in.csv', 'name,country\nZyxwv Utsrqp Ltd,GB\nHarrow Optics Ltd,GB\nAcme Ltd,GB\n')
  expect([await sent('two'), await sent('one')]).toEqual([1, 0])
})

test('a run waits for a run of the same pipeline in another folder of runs that asks the same, and uses its answers', async () => {
  const { of, options } = await pipelines()
  await run(of('one'), options)
  here.write('in.csv', 'name,country\nAcme Ltd,GB\n')
  const { runId } = (await run(of('one'), { ...options, detach: true })).metadata
  const names = readdirSync(join(here.folder, 'shared'), { recursive: true, encoding: 'utf8' })
  const asked = names.find(name => name.endsWith(`${runId}.asked`))!
  const lock = takeLock(join(here.folder, 'shared', asked.replace(/asked$/, 'lock')), Date.now)
  const notes: string[] = []
  const onNote = (text: string): void => {
    notes.push(text)
    if (text.startsWith('waiting for the run')) lock.release()
  }
  await run(of('one'), { ...options, runsDir: 'elsewhere', reporters: [{ name: 'notes', onNote }] })
  expect(notes).toContain(waiting(runId))
})
