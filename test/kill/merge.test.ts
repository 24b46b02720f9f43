/**
 * The plug is pulled in the middle of `merge`, at every few operations on a file: the same command again joins the shards into
 * the same bytes, asks nobody, and leaves one run that came to its end.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { halfFiles } from './judge.ts'
import { type Disk, makeData, makePlace, OUTPUTS, outputsOf, type Place, start } from './kit.ts'

const isFull = process.env.FETTLE_SWEEP === 'full'
const [FIRST, STEP] = isFull ? [1, 1] : [3, 17]

let data: string
let shards: Place
let expected: string[]

const ok = async (place: Place, ...args: string[]): Promise<string> => {
  const { code, stderr, stdout } = await start(place, [...args, '--json']).ended
  expect(code, stderr).toBe(0)
  return stdout
}

/** A place of its own with the same shards, done. */
function another(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-kill-merge-'))
  cpSync(shards.folder, folder, { recursive: true })
  return { folder, runsDir: join(folder, 'fettle-runs'), env: { ...shards.env, HOME: folder } }
}

beforeAll(async () => {
  data = await makeData()
  const whole = makePlace(data, null)
  await ok(whole, 'run', 'pipeline.yml')
  expected = outputsOf(whole)
  rmSync(whole.folder, { recursive: true, force: true })
  shards = makePlace(data, null)
  for (const shard of ['1/2', '2/2']) await ok(shards, 'run', 'pipeline.yml', '--shard', shard)
})
afterAll(() => {
  rmSync(shards.folder, { recursive: true, force: true })
  rmSync(data, { recursive: true, force: true })
})

test.for(['SIGKILL', 'ENOSPC'])('%s in the middle of a merge', async effect => {
  let points = 0
  for (let at = FIRST; ; at += STEP) {
    const place = another()
    const disk: Disk = { fault: `${effect}@${at}`, log: join(data, `log-${effect}`) }
    const first = await start(place, ['merge', 'killed', '--json'], disk).ended
    const fired = readFileSync(disk.log, 'utf8').includes(` ${effect}\n`)
    rmSync(disk.log)
    if (!fired) {
      expect([first.code, outputsOf(place)], first.stderr).toEqual([0, expected])
      rmSync(place.folder, { recursive: true, force: true })
      break
    }
    expect(halfFiles(place, expected), `${effect} ${at}`).toEqual([])
    await ok(place, 'merge', 'killed')
    expect(outputsOf(place), `${effect} ${at}`).toEqual(expected)
    expect(readdirSync(place.folder).filter(name => name.endsWith('.part'))).toEqual([])
    const told = JSON.parse(await ok(place, 'status', 'killed')) as { status: string; totals: { rows: number } }
    expect(told).toMatchObject({ status: 'success' })
    rmSync(place.folder, { recursive: true, force: true })
    points++
  }
  console.info(`${effect}: ${points} points of a merge, ${OUTPUTS.length} outputs the same each time`)
  expect(points).toBeGreaterThan(isFull ? 30 : 1)
})
