/** Plays many cells at the same time, prints the outcomes, and makes a test of each fault. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFaultServer } from '../../../src/testing/index.ts'
import { everyThird } from '../../support/runs.ts'
import { type BadConnections, openBadConnections } from './connections.ts'
import { type Cell, data } from './data.ts'
import type { Played } from './judge.ts'
import { prepareStart } from './run-here.ts'
import { openScene, type Scene } from './scene.ts'
import { sideBySide } from './side-by-side.ts'
import { isTold, readRows, tableRow } from './table.ts'

/** Plays a cell of the scene; `undisturbed` is what a run writes that nothing befalls. */
export type Play = (cell: Cell, scene: Scene, bad: BadConnections, undisturbed: string) => Promise<Played>

/**
 * `npm run test:faults` plays every cell; the deep project one of each place of the matrix (a fault at a stage), not always the
 * first; `npm test` those of every third place, and of each fault at least one.
 */
const isFull = process.env.FAULTS === 'full'

function sampleOf(cells: readonly Cell[]): Cell[] {
  const placeOf = ({ fault, stage }: Cell): string => `${fault}/${stage}`
  const faults = [...new Set(cells.map(({ fault }) => fault))]
  const sample = [...new Set(cells.map(placeOf))].flatMap((place, at) => {
    const variants = cells.filter(cell => placeOf(cell) === place)
    return variants[at % variants.length] ?? []
  })
  // Faults begin at different stages.
  return faults.flatMap((fault, nth) =>
    everyThird(
      sample.filter(cell => cell.fault === fault),
      nth,
    ),
  )
}

/** The cells whose id contains FAULTS_ONLY, when that is set: for whoever mends one of them. */
const only = process.env.FAULTS_ONLY
const wanted = (cells: readonly Cell[]): readonly Cell[] => {
  if (only !== undefined) return cells.filter(cell => cell.id.includes(only))
  return isFull ? cells : sampleOf(cells)
}

/** Plays the cells that `mine` picks before the tests, and makes a test of each fault among them. `isEach`: all of them at any size. */
export function conformanceOf(mine: (cell: Cell) => boolean, play: Play, width: number, isEach = false): void {
  const all = data.cells.filter(mine)
  const cells = isEach && only === undefined ? all : wanted(all)
  const played = new Map<string, Played>()
  let scene: Scene
  let bad: BadConnections
  let tookMs = 0

  beforeAll(async () => {
    const from = performance.now()
    scene = await openScene()
    bad = await openBadConnections()
    const undisturbed = await playUndisturbed(scene, bad)
    const queue = cells.toSorted((a, b) => weight(b) - weight(a))
    for (const one of await sideBySide(queue, width, cell => play(cell, scene, bad, undisturbed))) played.set(one.cell.id, one)
    tookMs = performance.now() - from
  }, 3_600_000)

  afterAll(async () => {
    await bad?.close()
    await scene?.close()
    const all = [...played.values()]
    const good = all.filter(({ wrong }) => wrong.length === 0).length
    const consumed = all.reduce((sum, one) => sum + one.consumed, 0)
    console.log(`${all.length} cells, ${good} as expected, ${consumed} faults consumed, ${(tookMs / 1000).toFixed(1)} s`)
  })

  const faults = [...new Set(cells.map(one => one.fault))]
  const rowOf = (fault: string): Played[] => cells.filter(cell => cell.fault === fault).flatMap(cell => played.get(cell.id) ?? [])

  test.each(faults)('%s', fault => {
    const row = rowOf(fault)
    expect(row).toHaveLength(cells.filter(cell => cell.fault === fault).length)
    const complaints = row.flatMap(({ cell, wrong }) => wrong.map(text => `${cell.id}: ${text}`))
    expect(complaints.join('\n'), data.faults[fault]?.title).toBe('')
  })

  test.skipIf(only !== undefined)('outcomes.md shows what was observed', () => {
    const folder = process.env.FAULTS_ROWS
    if (!isFull || isEach) {
      const rows = readRows()
      const unknown = [...played.values()].filter(one => !isTold(rows[one.cell.fault] ?? '', one))
      expect(unknown.map(({ cell, outcome }) => `${cell.id}: ${outcome}`)).toEqual([])
      return
    }
    const rows = faults.map(fault => tableRow(fault, rowOf(fault)))
    if (folder === undefined) expect(readRows()).toMatchObject(Object.fromEntries(rows))
    else for (const [fault, row] of rows) writeFileSync(join(folder, fault), row)
  })
}

/** Real silence takes real time: what waits longest begins first. */
const weight = ({ instructions, lever, expect: { exit } }: Cell): number =>
  instructions.reduce(
    (sum, { effect, times }) => sum + (effect.kind === 'stall' || effect.kind === 'drip' ? (times === 'always' ? 20 : 2) : 0),
    (lever?.kind === 'connection' && lever.how === 'connectTimeout' ? 5 : 0) + (exit === 0 ? 0 : 1),
  )

async function playUndisturbed(scene: Scene, bad: BadConnections): Promise<string> {
  const folder = scene.folder()
  const server = await startFaultServer({ target: scene.service.url })
  const start = prepareStart({ folder, server, bad })
  const ended = await start.run()
  expect(ended, ended.message).toMatchObject({ exit: 0, code: null })
  await start.close()
  await server.close()
  const output = folder.output()
  expect(output).not.toBeNull()
  return output ?? ''
}
