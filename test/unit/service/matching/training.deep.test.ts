/** The shipped weights and thresholds are what the training gives, to the last digit. Needs the labelled sets: FETTLE_MATCHING_DATA names their folder. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const data = process.env.FETTLE_MATCHING_DATA ?? ''
const isHere = ['uk-gpg', 'listed', 'sec'].every(set => existsSync(join(data, set, 'queries.csv')))
if (!isHere) process.stderr.write('SKIPPED: the training needs labelled sets; FETTLE_MATCHING_DATA names their folder\n')

test.runIf(isHere)('the training reproduces the shipped weights and thresholds', () => {
  const ended = spawnSync(process.execPath, [join(ROOT, 'scripts/train-matching.mjs'), '--data', data, '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(ended.status, ended.stderr).toBe(0)
})
