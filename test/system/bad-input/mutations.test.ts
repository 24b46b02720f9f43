/**
 * Random mutations of the samples, by bytes, words and lines, read in a child process so that an abort of Node is detected.
 * MUTANTS sets the number of pipelines; a fifth as many tables are tried. SEED repeats a failing one.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { folderOf, follow, ROOT } from '../cli/fettle.ts'

const mutants = Number(process.env.MUTANTS ?? runs(250, 1_000))
const seed = Number(process.env.SEED ?? 20_260_731)
const SAMPLES = ['clean.csv', 'suppliers.csv', 'suppliers-de.csv']

test.concurrent.each([
  ['pipeline', mutants, [0, 2, 65]],
  ['csv', Math.ceil(mutants / 5), [0, 65]],
] as const)('mutated files, %s: %i answers, each of the right form', async (kind, count, codes) => {
  const cwd = folderOf(
    kind === 'pipeline' ? Object.fromEntries(SAMPLES.map(name => [`samples/${name}`, 'id,name,country\n1,A,GB\n'])) : {},
  )
  const child = spawn(
    process.execPath,
    [join(ROOT, 'test/system/bad-input/mutate-child.mjs'), kind, String(count), String(seed)],
    { cwd },
  )
  const { code, stdout, stderr } = await follow(child).ended
  expect({ code, stderr }, `seed ${seed}`).toEqual({ code: 0, stderr: '' })
  const counts: Record<string, number> = JSON.parse(stdout)
  console.info(`mutated ${kind} files, seed ${seed}: ${count} tried, exit codes ${JSON.stringify(counts)}`)
  expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(count)
  // The same mutants must not all fail for one reason.
  expect(
    Object.keys(counts)
      .map(Number)
      .every(one => (codes as readonly number[]).includes(one)),
  ).toBe(true)
  expect(Object.keys(counts).length).toBeGreaterThan(1)
})
