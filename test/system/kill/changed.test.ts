/** Changes between a stop and a resume: the input (F40), the pipeline (F41), the journal (F42). */
import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { recorded } from './judge.ts'
import { makePlace, OLD, outputsOf, type Place, settled, start } from './kit.ts'
import { useService } from './use-service.ts'

let data: string
let service: FaultyService
let onPoint = (): void => {}
let kill = (): void => {}

useService(
  started => {
    ;({ data, service } = started)
  },
  { onKill: () => kill(), onPoint: () => onPoint() },
)

const RUN = ['run', 'pipeline.yml', '--json']
const RESUME = ['resume', '--json']
const point = { kind: 'point', name: 'change' } as const

/** A run that was killed when its job had been submitted, or otherwise was `answered`. */
async function killed(answered: 'submit' | 'createJob' = 'submit'): Promise<Place> {
  const place = makePlace(data, service)
  const armed = service.server.arm([{ operation: answered, effect: { kind: 'killClient', at: 'answered' } }])
  const { child, ended } = start(place, RUN)
  kill = () => void child.kill('SIGKILL')
  await ended
  await settled(service)
  expect(armed.unconsumed()).toEqual([])
  return place
}

const journalOf = (place: Place): string => runDirectory(place.runsDir, recorded(place)!.runId).journal

test('an input that changed before it was sent is 65: start a new run', async () => {
  const place = makePlace(data, service)
  const uploads = service.server.effects().uploads
  service.server.arm([{ operation: 'createJob', effect: point }])
  onPoint = () => appendFileSync(join(place.folder, 'in.csv'), '\n99,One More Ltd,,GB')
  const { code, stderr, stdout } = await start(place, RUN).ended
  expect(code, stderr).toBe(65)
  expect(stderr).toMatch(
    /in\.csv changed since the run was planned[\s\S]*FETTLE_INPUT_CHANGED: Start a new run, or restore the planned file/,
  )
  // Nobody is told to go on as if nothing had happened.
  expect(stderr).not.toMatch(/go on +fettle resume/)
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 65, status: 'error' })
  expect(service.server.effects().uploads).toBe(uploads)
  // The same command is the new run.
  service.server.arm([])
  const again = await start(place, RUN).ended
  expect(again.code, again.stderr).toBe(0)
  expect(JSON.parse(again.stdout)).toMatchObject({ totals: { rows: 32 } })
  rmSync(place.folder, { recursive: true, force: true })
})

test('an input that changed after the upload does not disturb matching, and the paid results are kept', async () => {
  const place = makePlace(data, service)
  const input = join(place.folder, 'in.csv')
  copyFileSync(input, `${input}.kept`)
  service.server.arm([{ operation: 'submit', effect: point }])
  onPoint = () => appendFileSync(input, '\n99,One More Ltd,,GB')
  const { code, stderr } = await start(place, RUN).ended
  expect(code, stderr).toBe(65)
  expect(stderr).toContain('FETTLE_INPUT_CHANGED')
  const state = recorded(place)!
  expect(state.jobs[0]).toMatchObject({ enrichFinished: true, received: { rows: 31 } })
  expect(existsSync(join(runDirectory(place.runsDir, state.runId).path, 'enriched-0.csv.gz'))).toBe(true)
  copyFileSync(`${input}.kept`, input)
  service.server.arm([])
  const again = await start(place, RESUME).ended
  expect(again.code, again.stderr).toBe(0)
  expect(service.server.effects(state.jobName)).toMatchObject({ creates: 1, submits: 1, enriches: 1 })
  rmSync(place.folder, { recursive: true, force: true })
})

/** Puts another file in the place of the input, of its size and with its time; gives what puts the first one back. */
function replaceInput(place: Place, change = (text: string): string => text.replace('Harrow', 'Barrow')): () => void {
  const input = join(place.folder, 'in.csv')
  const other = `${input}.other`
  const text = readFileSync(input, 'utf8')
  writeFileSync(other, change(text))
  execFileSync('touch', ['-r', input, other])
  renameSync(input, `${input}.kept`)
  renameSync(other, input)
  expect(readFileSync(input)).toHaveLength(text.length)
  return () => renameSync(`${input}.kept`, input)
}

test('an input replaced after a kill by one of the same size and time is 65: no answer is joined to another row', async () => {
  const place = await killed()
  service.server.arm([])
  const putBack = replaceInput(place)
  const refused = await start(place, RESUME).ended
  expect(refused.code, refused.stderr).toBe(65)
  expect(refused.stderr).toContain('FETTLE_INPUT_CHANGED')
  expect(outputsOf(place)).toEqual([OLD, OLD])
  putBack()
  const again = await start(place, RESUME).ended
  expect(again.code, again.stderr).toBe(0)
  expect(service.server.effects(recorded(place)!.jobName)).toMatchObject({ creates: 1, submits: 1, enriches: 1 })
  rmSync(place.folder, { recursive: true, force: true })
})

test('an input replaced before the upload is 65, and one with equal bytes continues', async () => {
  const place = await killed('createJob')
  service.server.arm([])
  const putBack = replaceInput(place)
  const refused = await start(place, RESUME).ended
  expect(refused.code, refused.stderr).toBe(65)
  const { jobName } = recorded(place)!
  expect(service.server.effects(jobName)).toMatchObject({ creates: 1, uploads: 0 })
  putBack()
  replaceInput(place, text => text)
  const again = await start(place, RESUME).ended
  expect(again.code, again.stderr).toBe(0)
  expect(service.server.effects(jobName)).toMatchObject({ creates: 1, uploads: 1, submits: 1 })
  rmSync(place.folder, { recursive: true, force: true })
})

test('an input replaced by one of the same size and time while the job is created is not sent', async () => {
  const place = makePlace(data, service)
  service.server.arm([{ operation: 'createJob', effect: point }])
  onPoint = () => void replaceInput(place)
  const { code, stderr } = await start(place, RUN).ended
  expect(code, stderr).toBe(65)
  expect(stderr).toContain('FETTLE_INPUT_CHANGED')
  expect(service.server.effects(recorded(place)!.jobName)).toMatchObject({ creates: 1, uploads: 0 })
  rmSync(place.folder, { recursive: true, force: true })
})

test('a pipeline with another meaning is 2 and names the keys; one with other waits continues', async () => {
  const place = await killed()
  const file = join(place.folder, 'pipeline.yml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(', country: Country', '').replace('out.csv', 'other.csv'))
  const refused = await start(place, RESUME).ended
  expect(refused.code, refused.stderr).toBe(2)
  expect(refused.stderr).toMatch(/FETTLE_FINGERPRINT[\s\S]*means something else than when the run .* began: mappings, output/)
  writeFileSync(file, text.replace('max: 1s', 'max: 2s'))
  const again = await start(place, RESUME).ended
  expect(again.code, again.stderr).toBe(0)
  expect(recorded(place)?.plan.poll.maxMs).toBe(2_000)
  rmSync(place.folder, { recursive: true, force: true })
})

test('a journal damaged in the middle is 73 with the line, for resume and for run; nothing is sent', async () => {
  const place = await killed()
  const journal = journalOf(place)
  const text = readFileSync(journal, 'utf8')
  const lines = text.split('\n')
  writeFileSync(journal, lines.with(4, lines[4]!.slice(0, 30)).join('\n'))
  const asked = service.server.requests.length
  for (const args of [RESUME, RUN]) {
    const { code, stderr } = await start(place, args).ended
    expect(code, stderr).toBe(73)
    expect(stderr).toMatch(/FETTLE_JOURNAL_DAMAGED .*journal\.jsonl:5[\s\S]*line 5 is damaged/)
  }
  expect(service.server.requests).toHaveLength(asked)
  // Torn in its last line, as a power cut leaves it, it goes on.
  writeFileSync(journal, `${text}{"type":"match.fin`)
  const again = await start(place, RESUME).ended
  expect(again.code, again.stderr).toBe(0)
  rmSync(place.folder, { recursive: true, force: true })
})

test('a journal of a newer fettle is 2 and stays unchanged', async () => {
  const place = await killed()
  const journal = journalOf(place)
  const text = readFileSync(journal, 'utf8').replace('"journal":1', '"journal":2')
  writeFileSync(journal, text)
  for (const args of [RESUME, RUN]) {
    const { code, stderr } = await start(place, args).ended
    expect(code, stderr).toBe(2)
    expect(stderr).toContain('written by a newer fettle')
  }
  expect(readFileSync(journal, 'utf8')).toBe(text)
  expect(outputsOf(place)[0]).toContain('an earlier run')
  rmSync(place.folder, { recursive: true, force: true })
})
