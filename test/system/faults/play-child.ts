/** Plays one cell with a child process of the built program: kills, signals, a failing disk, a closed pipe. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type FaultInput, startFaultServer } from '../../../src/testing/index.ts'
import { conclude } from './conclude.ts'
import type { BadConnections } from './connections.ts'
import type { Cell, Lever, Moment } from './data.ts'
import { brokenInvariants } from './invariants.ts'
import type { Played } from './judge.ts'
import { type Ended, prepareStart } from './run-here.ts'
import type { Scene } from './scene.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const preload = fileURLToPath(new URL('preload.mjs', import.meta.url))

/** Where the disk fails first: a text of the journal, or the end of a file's name. */
const FIRST_WRITE: Readonly<Record<string, string>> = {
  login: 'latest',
  create: '"type":"job.requested"',
  upload: '"type":"upload.requested"',
  map: '"type":"mapping.accepted"',
  submit: '"type":"match.requested"',
  match: '"type":"status.observed"',
  enrich: '"type":"enrich.requested"',
  download: 'enriched-0.csv.partial',
  report: 'report.html',
}
const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 }

/** The environment that makes the preload do what a lever says. */
function preloaded(lever: Lever | undefined): NodeJS.ProcessEnv {
  if (lever?.kind === 'disk') return { AT: FIRST_WRITE[lever.at], DO: lever.errno }
  const at = lever !== undefined && 'at' in lever && lever.at === 'report' ? { AT: '"type":"run.finished"' } : null
  if (at !== null && lever?.kind === 'kill') return { ...at, DO: 'SIGKILL' }
  if (at !== null && lever?.kind === 'signal') return { ...at, DO: `${lever.signal}${lever.twice ? '2' : ''}` }
  return {}
}

function pointOf(lever: Lever | undefined): FaultInput[] {
  const at = lever !== undefined && 'at' in lever ? (lever.at as Moment | string) : undefined
  if (lever?.kind === 'stdoutClosed' && at === 'report')
    return [{ operation: 'file', effect: { kind: 'point', name: 'lever', at: 'answered' } }]
  if (at === undefined || typeof at === 'string') return []
  return [{ operation: at.operation, nth: at.nth, effect: { kind: 'point', name: 'lever', at: at.when } }]
}

/** Plays a cell; gives what came of it, and what of it was not expected. */
export async function playChild(cell: Cell, scene: Scene, bad: BadConnections, undisturbed: string): Promise<Played> {
  const { lever } = cell
  const folder = scene.folder()
  let child: ChildProcess | null = null
  let isPulled = false
  const pull = async (): Promise<void> => {
    isPulled = true
    const target = child
    if (lever?.kind === 'stdoutClosed') target?.stdout?.destroy()
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
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => {
    child = spawn(process.execPath, ['--import', preload, join(root, 'dist/cli/main.js'), ...args, '--json'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, WAIT_DIVISOR: '100', ...folder.env(server.url), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return endOf(child)
  }

  if (lever?.kind === 'sameOutput') {
    const text = readFileSync(folder.pipeline, 'utf8').replace('"name":"conformance"', '"name":"another"')
    writeFileSync(join(folder.path, 'another.json'), text)
  }
  const files = lever?.kind === 'sameOutput' ? [folder.pipeline, join(folder.path, 'another.json')] : [folder.pipeline]
  const first = await start(['run', ...files], preloaded(lever))
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

async function endOf(child: ChildProcess): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', text => {
      said[name] += text
    })
  const [code, signal] = await new Promise<[number | null, string | null]>(resolve =>
    child.on('close', (...ended) => resolve(ended)),
  )
  const exit = code ?? SIGNALS[signal ?? ''] ?? signal ?? 'gone'
  const line = lineOf(said.stdout)
  // A command that could not begin names its error in its line; a run that stopped names it in its report.
  const named = line?.error?.code ?? /\b(FETTLE_[A-Z_]+):/.exec(said.stderr)?.[1] ?? null
  const isWhole = line !== null && line.exitCode === exit
  return { exit, code: exit === 0 ? null : named, message: said.stderr, result: null, hasLine: isWhole }
}

/** The result line, null when there is none or it is not whole. */
function lineOf(stdout: string): { exitCode?: unknown; error?: { code: string } | null } | null {
  try {
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  } catch {
    return null
  }
}
