/**
 * Runs each CSV file of the folder in CORPORA: every row is accounted for, or the file is rejected before anything is sent.
 * Skipped without the variable.
 */
import { copyFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { options } from '../../unit/input/kit.ts'
import { sideBySide } from '../faults/side-by-side.ts'
import { useService } from '../kill/use-service.ts'
import { runAndJudge } from './place.ts'

const corpora = process.env.CORPORA
const files = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap(name => files(join(path, name))) : [path]

const pipeline = {
  name: 'corpus',
  input: { path: 'in.csv', empty: 'skip' },
  mappings: { name: { index: 0 } },
  poll: { every: '500ms', max: '1s' },
  output: { path: 'out.csv', columns: ['*', 'match.outcome'], unmatched: 'unmatched.csv' },
}

describe.skipIf(corpora === undefined)('every file of the corpora', () => {
  let service: FaultyService
  useService(started => {
    service = started.service
  })

  it('is accounted for row by row, or rejected before anything is sent', { timeout: 3_600_000 }, async () => {
    const tally: Record<string, number> = {}
    const wrong: string[] = []
    await sideBySide(files(corpora!), 2, async path => {
      const { facts } = await inspect(options(path))
      const { code, stderr, violations } = await runAndJudge(service, {
        pipeline,
        rows: facts?.rows ?? 0,
        fill: folder => copyFileSync(path, join(folder, 'in.csv')),
      })
      tally[`exit ${code}`] = (tally[`exit ${code}`] ?? 0) + 1
      if (code !== 0 && code !== 65) wrong.push(`${path}: exit ${code}: ${stderr}`)
      wrong.push(...violations.map(text => `${path}: ${text}`))
    })
    console.info(`corpora, whole runs: ${JSON.stringify(tally)}`)
    expect(wrong).toEqual([])
    expect(tally['exit 0']).toBeGreaterThan(0)
  })
})

it.runIf(corpora === undefined)('corpora: skipped, CORPORA names no folder', context => {
  console.info('corpora: not run (set CORPORA to a folder of CSV files)')
  context.skip('not run')
})
