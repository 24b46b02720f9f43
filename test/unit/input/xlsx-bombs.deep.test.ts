/** The workbooks of xlsx-bombs.test.ts, ten times as large, in a process of little memory: it ends by itself, with an exit code. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fettle, folderOf, pipelineOf, STACK } from '../../system/cli/fettle.ts'
import { bombs } from './bombs.ts'

const PIPELINE = pipelineOf('p', '').replace('rows.csv', 'list.xlsx')
const SECONDS = 120

test.each(bombs(10))('$name', async ({ make }) => {
  const cwd = folderOf({ 'p.yml': PIPELINE })
  writeFileSync(join(cwd, 'list.xlsx'), make())
  const began = process.hrtime.bigint()
  const { code, stderr } = await fettle(['check', 'p.yml'], { cwd, env: { NODE_OPTIONS: '--max-old-space-size=512' } })
  expect(Number(process.hrtime.bigint() - began) / 1e9).toBeLessThan(SECONDS)
  // The columns of the pipeline are not there (2), or the file is refused (65).
  expect([2, 65]).toContain(code)
  expect(stderr).not.toMatch(STACK)
  expect(stderr).not.toContain('FETTLE_BUG')
})
