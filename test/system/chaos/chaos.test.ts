/**
 * Random faults at CI size: 500 runs with faults, kills and restarts, or as many as a minute allows. CHAOS_SEED repeats a
 * campaign.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const run = fileURLToPath(new URL('run.mjs', import.meta.url))
const WITHIN_SECONDS = 60

test('no second job, no second effect, no lost row, no partial file, no secret', async () => {
  const seed = process.env.CHAOS_SEED === undefined ? [] : ['--seed', process.env.CHAOS_SEED]
  const args = [run, '--runs', '500', '--within', `${WITHIN_SECONDS}`, '--shrink', '1', '--json', ...seed]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  console.log(said)
  const last = said.trim().split('\n').at(-1) ?? ''
  expect(last, 'the campaign broke off').toMatch(/^{"seed":/)
  const figures = JSON.parse(last)
  expect(figures.charged, said).toEqual({ I1: 0, I2: 0, I3: 0, I4: 0, I5: 0, end: 0 })
  expect(code).toBe(0)
  // Where little is carried out little is proved: a machine too busy for this says so.
  expect(figures.runs).toBeGreaterThanOrEqual(24)
  expect(Object.keys(figures.faults).length).toBeGreaterThanOrEqual(10)
  expect(figures.kills.felt).toBeGreaterThan(0)
})
