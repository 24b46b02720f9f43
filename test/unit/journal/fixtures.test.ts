/**
 * Journals of every released version from real runs, stopped in each stage and resumed. They are never edited: they fold, and each of
 * them, cut at any line, resumes to the end with one job.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fold, type JobState, type RunEvent, readJournal } from '../../../src/journal/index.ts'
import { STAGE_NAMES } from '../../../src/model/stages.ts'
import { FakeAccount } from '../run/fake-account.ts'
import { FakeService } from '../run/fake-service.ts'
import { FakeResults, MemoryJournal, worldOf } from '../run/world.ts'

const folder = new URL('fixtures/', import.meta.url)
const versions = readdirSync(folder)
const journals = versions.flatMap(version =>
  readdirSync(new URL(`${version}/`, folder))
    .filter(name => /-(finished|interrupted)\.jsonl$/.test(name))
    .map(name => `${version}/${name}`),
)
const eventsOf = (name: string): readonly RunEvent[] => readJournal(new URL(name, folder).pathname).events
/** The stages of the recorded runs. */
const THEN = STAGE_NAMES.filter(stage => journals.some(name => name.includes(`/${stage}-`)))
const stageOf = (name: string) => STAGE_NAMES.find(stage => name.includes(`/${stage}-`))!

test.each(versions)('the journals of %s are as that release wrote them, one stopped and one finished a stage', version => {
  const sums = readFileSync(new URL(`${version}/SHA256SUMS`, folder), 'utf8')
    .trimEnd()
    .split('\n')
  for (const [, sum, name] of sums.map(line => /^(\w+) {2}(.+)$/.exec(line) ?? [])) {
    const bytes = readFileSync(new URL(`${version}/${name}`, folder))
    expect(createHash('sha256').update(bytes).digest('hex'), name).toBe(sum)
  }
  const names = THEN.flatMap(stage => [`${version}/${stage}-finished.jsonl`, `${version}/${stage}-interrupted.jsonl`])
  expect(journals.filter(name => name.startsWith(`${version}/`))).toEqual(names.sort())
  expect(sums).toHaveLength(2 * names.length)
})

describe.each(journals.filter(name => name.includes('-finished')))('%s', name => {
  const state = fold(eventsOf(name))!

  test('folds to a run that was stopped once and finished', () => {
    expect(state).toMatchObject({ finished: true, status: 'success', exitCode: 0, error: null, resumedAt: [expect.any(String)] })
    expect(state.stages.map(one => one.status)).toEqual(THEN.map(() => 'success'))
    expect(state.outcomes).toMatchObject({ matched: 21, review: 9, unmatched: 1, duplicates: 0 })
    expect(state.jobs).toMatchObject([{ matchFinished: true, enrichFinished: true, received: { rows: 31 } }])
    expect(state.outputs.map(one => [one.path, one.rows])).toEqual([
      ['out.csv', 31],
      ['unmatched.csv', 1],
    ])
  })

  test('stays unchanged on a resume', async () => {
    const world = worldAfter(eventsOf(name))
    expect(await world.run()).toEqual(state)
    expect(world.service.calls).toEqual([])
  })
})

describe.each(journals.filter(name => name.includes('-interrupted')))('%s', name => {
  const events = eventsOf(name)

  test('folds to a run that was stopped in the stage', () => {
    const state = fold(events)!
    expect(state).toMatchObject({
      finished: false,
      status: 'cancelled',
      exitCode: expect.toSatisfy(code => code === 130 || code === 143),
    })
    expect(state.stages.find(one => one.name === stageOf(name))?.attempts).toBe(1)
    expect(state.stages.slice(STAGE_NAMES.indexOf(stageOf(name)) + 1).every(one => one.attempts === 0)).toBe(true)
  })

  test('cut at any line, resumes to the end with one job', async () => {
    for (let lines = 1; lines <= events.length; lines++) {
      const world = worldAfter(events.slice(0, lines))
      world.journal.append({ type: 'run.resumed', pid: 1, host: 'h' })
      const state = await world.run()
      expect(state, `after line ${lines}`).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
      expect(world.service.jobs, `after line ${lines}`).toHaveLength(1)
      expect(world.service.only.status).toBe('enrichmentComplete')
    }
  })
})

/** How far the job of a state is at the service at least, and what it does next. */
function remoteOf(job: JobState): { status: string; ahead: string[] } {
  if (job.enrichAccepted) return { status: 'enriching', ahead: ['enrichmentComplete'] }
  if (job.matchFinished) return { status: 'jobMatchingComplete', ahead: [] }
  if (job.matchAccepted) return { status: 'matching', ahead: ['jobMatchingComplete'] }
  if (job.mapped) return { status: 'ready', ahead: [] }
  return { status: job.uploaded === null ? 'created' : 'uploaded', ahead: [] }
}

/** A new process that finds these events, and the service as they say it must be. */
function worldAfter(events: readonly RunEvent[]) {
  const service = new FakeService()
  service.summary = { totalRows: 31, matched: 21, manualMatched: 0, unmatched: 10, duplicates: 0 }
  const journal = new MemoryJournal()
  journal.events.push(...events)
  const state = fold(events)!
  const [job] = state.jobs
  if (job?.id != null) Object.assign(service.add(job.name), { id: job.id, ...remoteOf(job) })
  const world = worldOf(state.plan, { service, journal, account: new FakeAccount(), results: new FakeResults() })
  world.results.outcomes = { matched: 21, manualMatched: 0, review: 9, unmatched: 1, duplicates: 0, failed: 0, skipped: 0 }
  return world
}
