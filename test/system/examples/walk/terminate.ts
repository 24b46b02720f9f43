/** A run that a person ends in the tool: fettle gets the signal, and spends nothing after it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../../../src/errors.ts'
import { fettle } from '../../cli/fettle.ts'
import { pythonMissing } from '../python.ts'
import { BEFORE_ENRICHING, openCell, until } from './cell.ts'
import type { Family } from './processes.ts'
import { openWalk, type Tool } from './walk.ts'

export function describeTerminate(name: string, open: (family: Family) => Promise<Tool>): void {
  describe.skipIf(pythonMissing !== null)(`ended in ${name}`, () => {
    let tool: Tool
    beforeAll(async () => {
      const { family } = await openWalk()
      tool = await open(family)
      await tool.start()
    }, 480_000)

    test('a run that is ended before it enriches stops fettle, spends nothing, and can be resumed', async () => {
      const cell = await openCell('fettle', BEFORE_ENRICHING, tool.lastOf)
      await tool.tick([cell])
      await until(`${name}: held ${BEFORE_ENRICHING}`, () => cell.held())
      await tool.terminate(cell)
      await until(`${name}: the end of fettle`, () => cell.pids().length === 0)
      cell.release()
      await until(`${name}: the end of the run`, () => tool.isTerminated(cell))
      expect(cell.pids()).toEqual([])
      expect(await cell.counts()).toEqual({ jobs: 1, enriched: 0 })
      expect(cell.isDone()).toBe(false)
      // Stopped by the signal, and resumable.
      expect((await fettle(['status'], cell.work)).code).toBe(EXIT.sigterm)
    })
  })
}
