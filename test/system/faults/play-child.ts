/** Plays one cell with a program of its own: kills, signals, a failing disk, a closed pipe. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type FaultInput, startFaultServer } from '../../../src/testing/index.ts'
import { conclude } from './conclude.ts'
import type { BadConnections } from './connections.ts'
import type { Cell, Lever, Moment } from './data.ts'
import { brokenInvariants } from './invariants.ts'
import type { Played } from './judge.ts'
import type { Launch, Launched } from './launch.ts'
import { settled } from './play-here.ts'
import { prepareStart } from './run-here.ts'
import type { Scene } from './scene.ts'
import type { Play } from './suite.ts'

function pointOf(lever: Lever | undefined): FaultInput[] {
  const at = lever !== undefined && 'at' in lever ? (lever.at as Moment | string) : undefined
  if (lever?.kind === 'stdoutClosed' && at === 'report')
    return [{ operation: 'file', effect: { kind: 'point', name: 'lever', at: 'answered' } }]
  if (at === undefined || typeof at === 'string') return []
  return [{ operation: at.operation, nth: at.nth, effect: { kind: 'point', name: 'lever', at: at.when } }]
}

/** Plays cells, each with a program that `launch` starts. */
export const playWith =
  (launch: Launch): Play =>
  (cell, scene, bad, undisturbed) =>
    playChild(launch, cell, scene, bad, undisturbed)

/** Plays a cell; gives what came of it, and what of it was not expected. */
async function playChild(launch: Launch, cell: Cell, scene: Scene, bad: BadConnections, undisturbed: string): Promise<Played> {
  const { lever } = cell
  const folder = scene.folder()
  let child: Launched | null = null
  let isPulled = false
  const pull = async (): Promise<void> => {
    isPulled = true
    const target = child
    if (lever?.kind === 'stdoutClosed') target?.closeStdout()
    if (lever?.kind !== 'signal') return
    target?.kill(lever.signal)
    // Long enough for the first to be heard while the request is still on its way.
    if (lever.twice) await wait(150)
    if (lever.twice) target?.kill(lever.signal)
  }
  const server = await startFaultServer({
    target: scene.service.url,
    onKill: () => child?.kill('SIGKILL'),
    onPoint: pull,
  })
  const points = pointOf(lever)
  const armed = server.arm([...cell.instructions, ...points])
  if (lever?.kind === 'sameOutput') {
    const text = readFileSync(folder.pipeline, 'utf8').replace('"name":"conformance"', '"name":"another"')
    writeFileSync(join(folder.path, 'another.json'), text)
  }
  const files = lever?.kind === 'sameOutput' ? [folder.pipeline, join(folder.path, 'another.json')] : [folder.pipeline]
  child = launch({ args: ['run', ...files, '--json'], cwd: folder.path, env: folder.env(server.url), lever })
  const first = await child.ended
  await settled(() => server.pending() === 0)
  // The service notices later than the fault server that a transfer broke off.
  await wait(200)
  // The one who should have read it has gone, or the process had no time to say anything.
  const isMute = first.exit === 'SIGKILL' || lever?.kind === 'stdoutClosed' || (lever?.kind === 'signal' && lever.twice)
  const leftOver = [
    ...(first.hasLine || isMute ? [] : ['there is no whole result line on stdout']),
    ...armed.unconsumed().map(one => `the fault ${JSON.stringify(one)} was not consumed`),
    ...(points.length > 0 && !isPulled ? ['the lever was not pulled'] : []),
  ]
  const consumed = armed.report().reduce((sum, one) => sum + one.consumed, 0) + (points.length === 0 ? 1 : 0)
  const sent = server.requests.map(({ operation, at }) => ({ operation, host: '', at }))
  const firstOutput = folder.output()
  server.arm([])
  // The next process may as well be this one: what it finds is on the disk and at the service.
  const next = cell.expect.resume == null ? null : prepareStart({ folder, server, bad })
  const again = next === null ? null : await next.resume()
  await next?.close()
  leftOver.push(...(await brokenInvariants(cell, folder, scene, server, [first.message, again?.message ?? ''])))
  return conclude(cell, folder, server, { first, again, sent, faultedAt: 0, firstOutput, undisturbed, leftOver, consumed })
}
