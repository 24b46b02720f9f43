/** A campaign of random faults, kills and restarts, and what must come of it. CHAOS_SEED repeats one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const run = fileURLToPath(new URL('run.mjs', import.meta.url))

/** As many runs as `seconds` allow, 500 at most; `flags` are further ones of `npm run test:chaos`. */
export function testCampaign(seconds: number, flags: readonly string[]): void {
  test('no second job, no second effect, no lost row, no partial file, no secret', async ({ signal }) => {
    const seed = process.env.CHAOS_SEED === undefined ? [] : ['--seed', process.env.CHAOS_SEED]
    const args = [run, '--runs', '500', '--within', `${seconds}`, '--shrink', '1', '--json', ...flags, ...seed]
    // A campaign that hangs ends with its test.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], signal, killSignal: 'SIGKILL' })
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    console.log(printed)
    const last = printed.trim().split('\n').at(-1) ?? ''
    expect(last, 'the campaign broke off').toMatch(/^{"seed":/)
    const figures = JSON.parse(last)
    expect(figures.charged, printed).toEqual({ I1: 0, I2: 0, I3: 0, I4: 0, I5: 0, end: 0 })
    expect(code).toBe(0)
    // A machine too busy for this fails, since few runs prove little.
    expect(figures.runs).toBeGreaterThanOrEqual(24)
    expect(Object.keys(figures.faults).length).toBeGreaterThanOrEqual(10)
    expect(figures.kills.felt).toBeGreaterThan(0)
  })
}
