/**
 * Random histories of three pipelines on two machines that share their answers, against a service that charges: with faults, kills, steps
 * of the clock and runs at the same time, outputs are those of full nights, and nothing is paid twice. FETTLE_SEED draws other ones.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../src/index.ts'
import { startCharging } from '../../support/charging-service.ts'
import { memoryFolder } from '../../support/memory-folder.ts'
import { runs, sampled } from '../../support/runs.ts'
import { makeData } from '../kill/kit.ts'
import { calm, HEADER, type History, KINDS, type Name, pipelineOf, ROWS, someHistory, type Trouble } from './history.ts'
import type { Answers } from './judge.ts'
import { Campaign, type Stage } from './play.ts'
import { CampaignReferee } from './referee.ts'

let stage: Stage
let data: string

/** The answers to all rows, as a full night has them. */
async function answersTo(name: Name, service: Stage['service']): Promise<Answers[Name]> {
  const cwd = mkdtempSync(join(memoryFolder(), 'fettle-campaign-'))
  writeFileSync(join(cwd, 'all.csv'), [HEADER, ...ROWS.map((row, at) => `k${at},${row}`), ''].join('\n'))
  const { output, ...pipeline } = pipelineOf(name, false, 'all.csv')
  expect((await run({ ...pipeline, output }, { cwd, env: service.env })).exitCode).toBe(0)
  const rows = parse(readFileSync(join(cwd, `full-${name}-out.csv`)), { columns: true, bom: true }) as Record<string, string>[]
  rmSync(cwd, { recursive: true, force: true })
  const answerOf = (row: Record<string, string>): Record<string, string> => ({
    ...row,
    'match.outcome': row['match.outcome'] === 'duplicate' ? 'matched' : row['match.outcome']!,
    'match.why': row['match.why']!.replace(/ #\d+$/, ''),
  })
  return new Map(rows.map((row, at) => [ROWS[at]!, answerOf(row)]))
}

beforeAll(async () => {
  data = await makeData()
  const referee = new CampaignReferee()
  const service = await startCharging(data, [], referee)
  referee.time = { now: Date.now, jump: () => {}, sleep: async () => {}, era: 0 }
  const answers = {} as Record<Name, Answers[Name]>
  for (const name of Object.keys(KINDS) as Name[]) answers[name] = await answersTo(name, service)
  stage = { service, referee, answers }
})

afterAll(async () => {
  await stage?.service.close()
  rmSync(data, { recursive: true, force: true })
})

async function play(history: History): Promise<Campaign> {
  const campaign = new Campaign(history, stage)
  try {
    await campaign.play()
  } catch (error) {
    campaign.judge.faults.push(String((error as Error).stack))
  } finally {
    campaign.leave()
  }
  const { faults } = campaign.judge
  if (faults.length > 0) throw new Error([...faults, 'after:', ...campaign.lines].join('\n'))
  return campaign
}

test('a run that is killed at any write of its journal has named what it asks again', { timeout: 3_600_000 }, async () => {
  const troubles: Trouble[] = [{ operation: 'enrich', nth: 1, effect: 'killed when answered' }]
  for (const nth of sampled(
    Array.from({ length: 16 }, (_, at) => at + 1),
    8,
  ))
    await play({
      ...{ first: [0, 1, 2, 3, 4], split: null },
      turns: [
        { commands: [{ ...calm('alpha', 'plain'), troubles }], hours: 1 },
        { commands: [{ ...calm('beta', 'plain'), disk: { nth, of: 'journal' } }], hours: 1 },
      ],
    })
})

test('any nights of pipelines that share their answers write what full nights write, and pay nothing twice', {
  timeout: 3_600_000,
}, async () => {
  const seed = Number(process.env.FETTLE_SEED ?? Math.floor(Math.random() * 2 ** 31))
  const how = {
    ...{ numRuns: runs(5, 60), seed },
    interruptAfterTimeLimit: 1_800_000,
    endOnFailure: true,
  }
  let [rounds, payments, lines] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(someHistory, async history => {
      const before = stage.referee.payments.length
      const { lines: own } = await play(history)
      rounds++
      lines += own.length
      payments += stage.referee.payments.length - before
    }),
    how,
  )
  console.info(`${rounds} rounds, ${lines} commands and steps, ${payments} jobs paid`)
})
