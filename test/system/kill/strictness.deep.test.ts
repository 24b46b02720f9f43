/**
 * Simulated kills are as strict as real ones: each seeded defect is built, and the cells that can reveal it are carried out in this
 * process and with processes. Both find it; what only a power cut reveals is found by the simulation alone.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compile } from '../../../scripts/build.mjs'
import type { FaultyService } from '../../../src/testing/index.ts'
import { DEFECTS, type Defect } from './defects.ts'
import { carryOutBy, makeData, makePlace, outputsOf, processes, type Start, simulate, start, startService } from './kit.ts'
import { openLanes, type Sweep, sweep } from './sweep.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let data: string
let opened: Awaited<ReturnType<typeof openLanes>>
let builds: string
let expected: string[]

beforeAll(async () => {
  data = await makeData()
  opened = await openLanes(data, 1)
  builds = mkdtempSync(join(tmpdir(), 'fettle-defects-'))
  const place = makePlace(data, opened.lanes[0]!.service)
  expect((await start(place, ['run', 'pipeline.yml', '--json']).ended).code).toBe(0)
  expected = outputsOf(place)
})
afterAll(async () => {
  await opened.close()
  for (const folder of [data, builds]) rmSync(folder, { recursive: true, force: true })
  console.log(['found by       simulation  processes', ...lines].join('\n'))
})

const lines: string[] = []

/** A copy of the build with the defect. */
function build({ file, patches }: Defect, name: string): string {
  const folder = join(builds, name)
  mkdirSync(folder)
  for (const one of ['build', 'package.json', 'samples']) cpSync(join(root, one), join(folder, one), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const source = join(root, 'src', file)
  let text = readFileSync(source, 'utf8')
  for (const [from, to] of patches) {
    expect(text.split(from), `the place in ${file} is unique: ${from}`).toHaveLength(2)
    text = text.replace(from, () => to)
  }
  writeFileSync(join(folder, 'build', file.replace(/ts$/, 'js')), compile(source, text))
  return join(folder, 'build')
}

/** The second of two starts is refused, and there is one job. */
async function startTwice(service: FaultyService, go: Promise<unknown>): Promise<string[]> {
  const place = makePlace(data, service)
  service.server.arm([{ operation: 'createJob', effect: { kind: 'point', name: 'second' } }])
  const first = start(place, ['run', 'pipeline.yml', '--json'])
  await go
  const second = await start(place, ['run', 'pipeline.yml', '--json']).ended
  first.child.kill('SIGKILL')
  await first.ended
  return second.code === 75 ? [] : [`the second process ended ${second.code}`]
}

/** The first violation in the cells of a defect; null when there is none. */
async function findBy(carrier: Start, cells: Defect['cells']): Promise<{ why: string; cell: Defect['cells'] } | null> {
  carryOutBy(carrier)
  if (cells === 'twice') {
    let reached = (): void => {}
    const go = new Promise<void>(resolve => {
      reached = resolve
    })
    let release = (): void => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const service = await startService(
      data,
      `twice-${Math.random()}`,
      () => {},
      () => {
        // Only the first run waits here.
        service.server.arm([])
        reached()
        return held
      },
    )
    const [why] = await startTwice(service, go)
    release()
    await service.close()
    return why === undefined ? null : { why, cell: cells }
  }
  for (const cell of cells)
    for (const at of cell.only ?? []) {
      const one: Sweep = { ...cell, only: [at] }
      const [why] = (await sweep(opened.lanes, one, expected)).violations
      if (why !== undefined) return { why, cell: [one] }
    }
  return null
}

test.each(DEFECTS.map((defect, at) => [defect.name, defect, at] as const))('found: %s', async (name, defect, at) => {
  const dist = build(defect, `${at}`)
  const simulated = await findBy(simulate(dist), defect.cells)
  const asProcesses = defect.cells === 'twice' ? 'twice' : defect.cells.map(({ powerCut: _, ...cell }) => cell)
  const real = await findBy(processes(dist), asProcesses)
  const word = (found: object | null): string => (found === null ? 'missed' : 'found').padEnd(12)
  lines.push(
    `${' '.repeat(15)}${word(simulated)}${word(real)}${name}: ${(simulated ?? real)?.why.replace(/\s+/g, ' ').slice(0, 160)}`,
  )
  expect(simulated).not.toBeNull()
  expect(real === null).toBe(defect.isPowerCutOnly === true)
})

test('the undisturbed build passes every one of these cells', async () => {
  for (const { cells } of DEFECTS) expect(await findBy(simulate(join(root, 'build')), cells)).toBeNull()
})
