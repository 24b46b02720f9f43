/**
 * The walk of a scheduler: fettle, its task, the scheduler and everything at once are killed with SIGKILL at five moments of a run that
 * the scheduler started. Every tick must have one job, one enrichment and the bytes of one run. Prints a table.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atEnd, ROOT } from '../../cli/fettle.ts'
import { CREDENTIALS, realService } from '../../cli/servers.ts'
import { outputsOf, outputsOfOneRun } from '../kit.ts'
import { pythonMissing } from '../python.ts'
import { type Cell, MOMENTS, openCell, until, type Victim } from './cell.ts'
import { Family, kill } from './processes.ts'

/** A scheduler, as far as the walk needs it. */
export interface Tool {
  readonly name: string
  /** Matches the arguments of the command whose result is lost after its end. */
  readonly lastOf: string
  start(): Promise<void>
  /** One tick of the schedule for each cell. */
  tick(cells: readonly Cell[]): Promise<void>
  /** The processes of the task in which this process of fettle runs. */
  taskOf(pid: number): readonly number[]
  schedulers(): readonly number[]
  /** Starts again what was killed; `isAll`: everything was. */
  restart(isAll: boolean): Promise<void>
  /** How the run of the tick ended, and what it took, in the words of examples/README.md; null while it goes on. */
  endOf(cell: Cell): Promise<{ readonly isGood: boolean; readonly text: string } | null>
  /** Ends the run of the tick, as the button of the user interface does. */
  terminate(cell: Cell): Promise<void>
  /** Whether the tool shows the run as ended by that. */
  isTerminated(cell: Cell): Promise<boolean>
}

interface Row {
  readonly victim: Victim
  readonly moment: Cell['moment']
  readonly jobs: number
  readonly enriched: number
  readonly isSame: boolean
  readonly isGood: boolean
  readonly text: string
}

export interface Walk {
  readonly family: Family
  /** The outputs of one run that nothing interrupts. */
  readonly wanted: readonly string[]
}

/** Opens a walk; its processes are killed at the end. */
export async function openWalk(): Promise<Walk> {
  const { url } = await realService()
  const family = new Family(`FETTLE_WALK_MARK=${randomUUID()}`)
  atEnd(() => family.kill())
  return { family, wanted: await outputsOfOneRun({ ...CREDENTIALS, FETTLE_URL: url }) }
}

/** Kills the victim at every moment, of runs that are under way side by side. */
async function round(tool: Tool, walk: Walk, victim: Victim): Promise<Row[]> {
  const cells = await Promise.all(MOMENTS.map(moment => openCell(victim, moment, tool.lastOf)))
  await tool.tick(cells)
  const heldAt = (cell: Cell) => until(`${tool.name}: held ${cell.moment}, ${victim}`, () => cell.held())
  if (victim === 'fettle' || victim === 'task')
    await Promise.all(
      cells.map(async cell => {
        const pid = await heldAt(cell)
        for (const one of victim === 'fettle' ? [pid] : tool.taskOf(pid)) await kill(one)
        cell.release()
      }),
    )
  else {
    await Promise.all(cells.map(heldAt))
    if (victim === 'machine') await walk.family.kill()
    else for (const pid of tool.schedulers()) await kill(pid)
    for (const cell of cells) cell.release()
    await tool.restart(victim === 'machine')
  }
  const rows = await Promise.all(
    cells.map(async cell => {
      const end = await until(
        `${tool.name}: the end of the run, ${victim} killed ${cell.moment}`,
        () => tool.endOf(cell),
        1_800_000,
      )
      // A task that was killed may have left a process that goes on by itself.
      const isSame = cell.isDone() && JSON.stringify(outputsOf(cell.work)) === JSON.stringify(walk.wanted)
      return { victim, moment: cell.moment, ...(await cell.counts()), isSame, ...end }
    }),
  )
  process.stdout.write(tableOf(tool.name, rows))
  return rows
}

const tableOf = (tool: string, rows: readonly Row[]): string =>
  rows
    .map(
      ({ victim, moment, jobs, enriched, isSame, isGood, text }) =>
        `| ${tool} | ${victim} | ${moment} | ${jobs} | ${enriched} | ${isSame ? 'same' : 'DIFFERENT'} | ${isGood ? '' : 'FAILED: '}${text} |\n`,
    )
    .join('')

function expectOneJobEach(rows: readonly Row[]): void {
  const bad = rows.filter(({ jobs, enriched, isSame, isGood }) => jobs !== 1 || enriched !== 1 || !isSame || !isGood)
  expect(bad).toEqual([])
  expect(rows).toHaveLength(MOMENTS.length)
}

const VICTIM_WORDS: Readonly<Record<Victim, RegExp>> = {
  fettle: /^fettle$/,
  task: /^the (task and its supervisor|step and its run|flow run's process)$/,
  scheduler: /^(the scheduler|the daemon|server and `serve`), started again$/,
  machine: /^everything, started again$/,
}

/** What examples/README.md says of a tool and a victim, at each moment. */
function documented(tool: string, victim: Victim): readonly string[] {
  const lines = readFileSync(join(ROOT, 'examples/README.md'), 'utf8').split('\n')
  const cells = lines.map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
  const head = cells.findIndex(([first]) => first?.startsWith(tool) === true && first.endsWith(': killed'))
  const row = cells.slice(head).find(([first]) => VICTIM_WORDS[victim].test(first ?? ''))
  expect(cells[head]?.slice(1)).toEqual([...MOMENTS])
  return row?.slice(1) ?? []
}

/** The tests of a tool: a file for each part of the victims, so that none takes more than minutes. */
export function describeWalk(name: string, open: (family: Family) => Promise<Tool>, victims: readonly Victim[]): void {
  describe.skipIf(pythonMissing !== null)(`killed in ${name}`, () => {
    let tool: Tool
    let walk: Walk
    beforeAll(async () => {
      walk = await openWalk()
      tool = await open(walk.family)
      await tool.start()
    })

    test.each(victims)('%s: one job a tick, as the table of examples/README.md has it', async victim => {
      const rows = await round(tool, walk, victim)
      expectOneJobEach(rows)
      expect(rows.map(({ text }) => text)).toEqual(documented(name, victim))
    })
  })
}
