/** Plays one cell in this process: arms its faults, applies its change, resumes, and compares the outcome. */
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type RunEventInput, resealed } from '../../../src/journal/index.ts'
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import { findRun } from '../../../src/runs/run-store.ts'
import type { Service } from '../../../src/service/index.ts'
import { type Armed, type FaultInput, startFaultServer } from '../../../src/testing/index.ts'
import { conclude } from './conclude.ts'
import type { BadConnections } from './connections.ts'
import type { Cell, Lever, Moment } from './data.ts'
import { brokenInvariants } from './invariants.ts'
import type { Played } from './judge.ts'
import { type Ended, prepareStart, type Start } from './run-here.ts'
import type { Folder, Scene } from './scene.ts'

/** The fact by which a run knows that an operation was answered. */
const ANSWERED: Readonly<Record<string, RunEventInput['type']>> = {
  createJob: 'job.created',
  upload: 'upload.accepted',
  setMappings: 'mapping.accepted',
  submit: 'match.accepted',
  setEnrichments: 'enrichments.accepted',
  enrich: 'enrich.accepted',
  enrichment: 'enrich.finished',
}

const isDripping = ({ instructions }: Cell): boolean => instructions.some(({ effect }) => effect.kind === 'drip')

const momentOf = (lever: Lever | undefined): Moment | undefined =>
  lever !== undefined && 'at' in lever ? (lever.at as Moment) : undefined

/** What was found out by pulling a lever that is more than a fault. */
interface Findings {
  second?: Ended
  changed?: Ended
  damaged?: Ended
}

/** Plays a cell; gives what came of it, and what of it was not expected. */
export async function playHere(cell: Cell, scene: Scene, bad: BadConnections, undisturbed: string): Promise<Played> {
  const folder = scene.folder()
  const findings: Findings = {}
  let start: Start | null = null
  let faultedAt = 0
  let isPulled = false
  const pull = async (): Promise<void> => {
    isPulled = true
    if (start !== null) await pullLever(cell.lever, start, folder, async () => (findings.second = await startSecond()))
  }
  const server = await startFaultServer({
    target: scene.service.url,
    onPoint: pull,
    ...(cell.withoutKeys ? { without: ['idempotency-key'] } : {}),
  })
  const startSecond = async (): Promise<Ended> => {
    const second = prepareStart({ folder, server, bad })
    const ended = await second.run()
    await second.close()
    return ended
  }

  const at = momentOf(cell.lever)
  const points: FaultInput[] =
    at === undefined || typeof at === 'string'
      ? []
      : [{ operation: at.operation, nth: at.nth, effect: { kind: 'point', name: 'lever', at: at.when } }]
  let armed: Armed = server.arm(cell.after === undefined ? [...cell.instructions, ...points] : points)
  const spoil = (): void => {
    faultedAt = start?.connections.sent.length ?? 0
    for (const { operation, times, effect } of cell.instructions)
      if (effect.kind === 'stall') start?.connections.hurry(operation, times)
    if (cell.lever?.kind === 'connection') start?.connections.spoil(cell.lever)
  }
  const after = cell.after === undefined ? null : ANSWERED[cell.after]
  const onFact = (fact: RunEventInput): void => {
    if (fact.type === after) {
      armed = server.arm(cell.instructions)
      spoil()
    }
    if (fact.type === 'run.finished' && at === 'report') void pull()
  }
  start = prepareStart({
    folder,
    server,
    bad,
    isShort: isDripping(cell),
    timeoutMs: cell.timeoutMs ?? null,
    onFact,
    onPlanned: () => {
      if (at === 'start') void pull()
    },
  })
  if (after === null) spoil()
  const first = await start.run()
  await settled(() => server.pending() === 0)
  const leftOver = [
    ...armed.unconsumed().map(one => `the fault ${JSON.stringify(one)} was not consumed`),
    ...(at !== undefined && !isPulled ? ['the lever was not pulled'] : []),
    ...(cell.lever?.kind === 'connection' && start.connections.spoiled() === 0 ? ['no request met the bad connection'] : []),
    ...(server.pending() > 0 ? [`${server.pending()} requests are left pending`] : []),
  ]
  const consumed = armed.report().reduce((sum, one) => sum + one.consumed, 0) + start.connections.spoiled() + (isPulled ? 1 : 0)
  const { sent } = start.connections
  const firstOutput = folder.output()
  await start.close()
  server.arm([])

  await meddle(cell, folder, findings, scene.service, () => startAgain('resume'))
  const again = cell.expect.resume === null || cell.expect.resume === undefined ? null : await startAgain('resume')
  leftOver.push(...(await brokenInvariants(cell, folder, scene, server, [first.message, again?.message ?? ''])))
  const seen = { first, again, ...findings, sent, faultedAt, firstOutput, undisturbed, leftOver, consumed }
  return conclude(cell, folder, server, seen)

  async function startAgain(how: 'run' | 'resume'): Promise<Ended> {
    const next = prepareStart({ folder, server, bad })
    const ended = await next[how]()
    await next.close()
    return ended
  }
}

/** Waits for what is still on its way at the fault server; a drip notices between two drops that nobody listens. */
export async function settled(isSettled: () => boolean): Promise<void> {
  for (let looks = 0; looks < 600 && !isSettled(); looks++) await new Promise(resolve => setTimeout(resolve, 5))
}

async function pullLever(lever: Lever | undefined, start: Start, folder: Folder, second: () => Promise<unknown>): Promise<void> {
  switch (lever?.kind) {
    case 'clock':
      return start.clock.jump(lever.jumpMs)
    case 'sleep':
      return start.clock.jump(lever.forMs)
    case 'second':
      await second()
      return
    case 'input':
      return changeInput(folder, lever.change)
    case 'pipelineChanged':
    case 'journal':
      return start.terminate()
  }
}

function changeInput({ input }: Folder, change: 'longer' | 'same length' | 'gone'): void {
  if (change === 'gone') rmSync(input)
  else if (change === 'longer') writeFileSync(input, `${readFileSync(input, 'utf8')}f,One More Ltd,,GB\n`)
  else {
    // With its time as well, as `touch -r` and `mv` leave it: a size and a time of writing prove nothing.
    const other = `${input}.other`
    writeFileSync(other, readFileSync(input, 'utf8').replace('Optics', 'Optica'))
    execFileSync('touch', ['-r', input, other])
    renameSync(other, input)
  }
}

/** What is changed between the end of the first start and its resume, and put back. */
async function meddle(
  { lever }: Cell,
  folder: Folder,
  findings: Findings,
  service: Service,
  resume: () => Promise<Ended>,
): Promise<void> {
  if (lever?.kind === 'input') writeFileSync(folder.input, folder.original)
  if (lever?.kind === 'pipelineChanged') {
    const before = readFileSync(folder.pipeline, 'utf8')
    writeFileSync(folder.pipeline, before.replace('"orgNumber"', '"vatNumber"'))
    findings.changed = await resume()
    writeFileSync(folder.pipeline, before)
  }
  if (lever?.kind === 'journal') {
    const { journal } = runDirectory(
      folder.runsDir,
      findRun(folder.runsDir, listRunIds(folder.runsDir, 'conformance'), () => true)?.runId ?? '',
    )
    const before = readFileSync(journal)
    const other = lever.damage === 'other job' ? await createAnotherJob(service) : ''
    writeFileSync(journal, damaged(before.toString('utf8'), lever.damage, other))
    findings.damaged = await resume()
    if (findings.damaged.exit !== 0) writeFileSync(journal, before)
  }
}

/** The id of a job that is none of ours, in the same account. */
async function createAnotherJob({ url, username, password }: Service): Promise<string> {
  const post = async (path: string, body: object, headers = {}): Promise<Record<string, string>> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    return (await fetch(url + path, init)).json() as Promise<Record<string, string>>
  }
  const { token } = await post('/authenticate', { username, password })
  const { id } = await post('/dataCleaning/jobs', { name: 'somebody else’s' }, { authorization: `Bearer ${token}` })
  return id ?? ''
}

function damaged(text: string, how: Extract<Lever, { kind: 'journal' }>['damage'], other: string): string {
  const lines = text.trimEnd().split('\n')
  if (how === 'torn') return `${text}{"type":"stage.star`
  if (how === 'other job') {
    const ours = /"type":"job\.created".*?"id":"([^"]+)"/.exec(text)?.[1] ?? ''
    return `${resealed(lines.map(line => line.replaceAll(ours, other))).join('\n')}\n`
  }
  if (how === 'newer') return [lines[0]?.replace('"journal":1', '"journal":99'), ...lines.slice(1), ''].join('\n')
  const at = Math.floor(lines.length / 2)
  lines[at] = how === 'nul' ? '\u0000'.repeat(64) : (lines[at] ?? '').slice(0, 20)
  return `${lines.join('\n')}\n`
}
