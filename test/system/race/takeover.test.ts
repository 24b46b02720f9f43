/** A run that lost its lock sends and records nothing more; a lock is taken over when its owner is gone. */
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { makePlace, outputsOf, type Place, start } from '../kill/kit.ts'
import { useService } from '../kill/use-service.ts'

let data: string
let service: FaultyService
let onPoint = (): void => {}

useService(
  started => {
    ;({ data, service } = started)
  },
  { onPoint: () => onPoint() },
)

const lockOf = ({ runsDir }: Place): string => join(runsDir, 'locks/killed')
const RUN = ['run', 'pipeline.yml', '--json']
const elsewhere = { pid: 4711, host: 'another-host', since: '2026-01-01T00:00:00.000Z', token: 'theirs' }

test.each(['setMappings', 'readJob', 'enrich'] as const)('taken over while %s is asked', async operation => {
  const place = makePlace(data, service)
  const { server } = service
  let seen = 0
  let journal = ''
  onPoint = () => {
    // The process was judged dead, wrongly: it was only slow to answer.
    writeFileSync(lockOf(place), JSON.stringify(elsewhere))
    seen = server.requests.length
    journal = readFileSync(runDirectory(place.runsDir, listRunIds(place.runsDir)[0]!).journal, 'utf8')
  }
  const armed = server.arm([{ operation, effect: { kind: 'point', name: 'taken over' } }])
  const { code, stderr, stdout } = await start(place, RUN).ended
  expect(armed.unconsumed()).toEqual([])
  expect(code, stderr).toBe(75)
  const said = stderr.replace(/\s+/g, ' ')
  expect(said).toContain('Process 4711 on another-host (since 2026-01-01T00:00:00.000Z) took over the run')
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 75, pipeline: 'killed' })
  expect(server.requests.slice(seen).map(one => one.operation)).toEqual([])
  const { runId } = JSON.parse(stdout)
  expect(readFileSync(runDirectory(place.runsDir, runId).journal, 'utf8')).toBe(journal)
  expect(JSON.parse(readFileSync(lockOf(place), 'utf8'))).toEqual(elsewhere)
  // As long as the other host shows that it lives, nobody else goes on; then somebody does, with the same job.
  const refused = await start(place, ['resume', runId, '--json']).ended
  expect([refused.code, refused.stderr]).toEqual([75, expect.stringContaining('process 4711 on another-host since')])
  utimesSync(lockOf(place), Date.now() / 1000 - 660, Date.now() / 1000 - 660)
  const taken = await start(place, ['resume', runId, '--json']).ended
  expect(taken.code, taken.stderr).toBe(0)
  expect(taken.stderr).toContain('took over the lock of process 4711')
  expect(server.effects(`fettle-${runId}`)).toMatchObject({ creates: 1, uploads: 1, submits: 1, enriches: 1 })
  rmSync(place.folder, { recursive: true, force: true })
})

test('a lock that cannot be read counts as held for ten minutes', async () => {
  const place = makePlace(data, service)
  service.server.arm([])
  mkdirSync(join(place.runsDir, 'locks'), { recursive: true })
  writeFileSync(lockOf(place), '{"pid":')
  const refused = await start(place, RUN).ended
  expect([refused.code, refused.stderr]).toEqual([75, expect.stringContaining('FETTLE_LOCKED')])
  utimesSync(lockOf(place), Date.now() / 1000 - 660, Date.now() / 1000 - 660)
  const { code, stderr } = await start(place, RUN).ended
  expect(code, stderr).toBe(0)
  expect(outputsOf(place)[0]).toContain('general.connectId')
  rmSync(place.folder, { recursive: true, force: true })
})
