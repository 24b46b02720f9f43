/** A run killed at the requests of its last stage: its job is archived, and nothing is sent or written twice. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nextCommand } from './copies.ts'
import { recorded } from './judge.ts'
import { makePlace, outputsOf, settled, start } from './kit.ts'
import { unarchived } from './scenes.ts'
import { useServiceThatKills } from './use-service.ts'

const used = useServiceThatKills()

const RUN = ['run', 'pipeline.yml', '--json']

test.each([
  ['arrives', 'arrival'],
  ['was carried out', 'carriedOut'],
  ['was answered', 'answered'],
] as const)('a run killed when its request to archive %s archives the job when it is given again', async (_, at) => {
  const { data, service } = used
  const place = makePlace(data, service)
  const pipeline = join(place.folder, 'pipeline.yml')
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}after: archive\n`)
  const armed = service.server.arm([{ operation: 'archive', effect: { kind: 'killClient', at } }])
  const first = start(place, RUN)
  used.child = first.child
  expect((await first.ended).signal).toBe('SIGKILL')
  used.child = null
  await settled(service)
  armed.disarm()
  const written = outputsOf(place)
  expect(recorded(place)).toMatchObject({ finished: false, outputs: [{}, {}] })
  const { code, stderr, stdout } = await start(place, nextCommand(place, RUN)).ended
  expect([code, stderr.includes('FETTLE_ARCHIVE')]).toEqual([0, false])
  expect(JSON.parse(stdout)).toMatchObject({ status: 'success' })
  expect(await unarchived(place, service)).toEqual([])
  expect(outputsOf(place)).toEqual(written)
  const { creates, uploads, submits, enriches } = service.server.effects(recorded(place)?.jobName)
  expect([creates, uploads, submits, enriches]).toEqual([1, 1, 1, 1])
  rmSync(place.folder, { recursive: true, force: true })
})
