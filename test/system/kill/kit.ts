/** Shared by the kill tests: a small register, a list and a pipeline in a new folder, and a fettle process in it. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { importRegister } from '../../../src/service/registers/index.ts'
import { type FaultyService, serveWithFaults } from '../../../src/testing/index.ts'
import { unguarded } from '../../support/crash/guard.ts'
import { LosingDisk } from '../../support/crash/power-loss.ts'
import { type Ended, startProgram } from '../../support/crash/process.ts'
import { Disk } from '../../support/disk/operations.mjs'
import { atFileEnd } from '../../support/file-end.ts'
import { memoryFolder } from '../../support/memory-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A register and a list small enough for a thousand runs, real enough for every outcome. */
const REGISTER = [
  'id,name,country,orgNumber,town,postcode',
  // On the made-up list that is screened against.
  'v0,Varnix Steel Limited,GB,11076475,Aberystwyth,SY23 1AB',
  ...Array.from({ length: 40 }, (_, n) => `c${n},Harrow ${word(n)} Limited,GB,${10_000_000 + n},Leeds,LS1 ${n % 10}AB`),
].join('\n')
/** The list. */
export const INPUT = [
  'ref,Company,No,Country',
  ...Array.from({ length: 30 }, (_, n) => `${n},Harrow ${word(n * 2)} Ltd,${n % 3 === 0 ? 10_000_000 + n * 2 : ''},GB`),
  'x,Nobody Knows Them GmbH,,DE',
].join('\n')
/** Rows of the list. */
export const ROWS = 31

function word(n: number): string {
  return `${['Bell', 'Crag', 'Dale', 'Elm', 'Fern', 'Glen', 'Holm', 'Isle', 'Kiln', 'Lark'][n % 10]}${['brook', 'stone', 'field', 'worth', 'mere'][n % 5]}${['', 'ton', 'by', 'wick'][Math.floor(n / 10) % 4]} ${['Foundry', 'Optics', 'Dairy', 'Freight', 'Textiles', 'Pumps', 'Seeds'][n % 7]}`
}

/** `pad` has a prepared copy sent: one more file that may be half-written. */
const PIPELINE = `name: killed
input: { path: in.csv, key: ref }
mappings: { name: Company, orgNumber: { from: No, pad: 8 }, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
poll: { every: 500ms, max: 1s }
output: { path: out.csv, columns: ["*", general.connectId, match.outcome, match.score], unmatched: unmatched.csv }
`

/** The files a run writes, and what stands there before it. */
export const OUTPUTS = ['out.csv', 'unmatched.csv'] as const
export const OLD = 'what an earlier run wrote\n'

/** A folder with pipeline and input, and the environment of a fettle process in it. */
export interface Place {
  readonly folder: string
  readonly runsDir: string
  readonly env: NodeJS.ProcessEnv
}

/** A data folder with the register in it. */
export async function makeData(officers?: string): Promise<string> {
  const data = mkdtempSync(join(memoryFolder(), 'fettle-kill-data-'))
  const file = join(data, 'register.csv')
  writeFileSync(file, REGISTER)
  const people = officers === undefined ? undefined : join(data, 'officers.csv')
  if (people !== undefined) writeFileSync(people, officers!)
  await importRegister({
    file,
    officers: people,
    name: 'small',
    dir: join(data, 'registers'),
    now: new Date('2026-01-01T00:00:00Z'),
  })
  return data
}

/** Marked, so that a leak shows. */
export const CREDENTIALS = { username: 'sweep', password: 'CANARY-sweep-5d2f81' }

/** A service that knows no Idempotency-Key, as the public interface knows none, behind a fault server. */
export const startService = (
  data: string,
  name: string,
  onKill: () => unknown,
  onPoint?: (point: string) => unknown,
  without: readonly string[] = ['idempotency-key'],
) =>
  serveWithFaults({
    port: 0,
    dataDir: join(data, name),
    registerDir: join(data, 'registers'),
    registers: [],
    users: [CREDENTIALS],
    faults: { onKill, without, ...(onPoint === undefined ? {} : { onPoint }) },
  })

/** A fresh folder; `service` null: the run starts its own. */
export function makePlace(data: string, service: FaultyService | null): Place {
  const folder = mkdtempSync(join(memoryFolder(), 'fettle-kill-'))
  writeFileSync(join(folder, 'in.csv'), INPUT)
  writeFileSync(join(folder, 'pipeline.yml'), PIPELINE)
  for (const name of OUTPUTS) writeFileSync(join(folder, name), OLD)
  const remote = {
    FETTLE_URL: service?.url,
    FETTLE_USERNAME: CREDENTIALS.username,
    FETTLE_PASSWORD: CREDENTIALS.password,
  }
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    FETTLE_DATA: data,
    WAIT_DIVISOR: '50',
    ...(service === null ? {} : remote),
  }
  return { folder, runsDir: join(folder, 'fettle-runs'), env }
}

export type { Ended }

/** What the disk does to a process: `EFFECT@N` of test/support/faulty-disk.mjs, and where it tells. */
export interface DiskFault {
  readonly fault: string
  readonly log: string
  readonly ops?: string
  /** What counts; everything in the place if absent. */
  readonly paths?: string
  /** A kill takes with it what was not synced; only where commands are carried out in this process. */
  readonly isPowerCut?: true
}

const DIST = join(root, 'dist')

/** The command line of fettle, with the preload that shortens its waits. */
export const commandOf = (args: readonly string[], dist = DIST): [string, ...string[]] => [
  process.execPath,
  '--import',
  join(root, 'test/support/faulty-disk.mjs'),
  join(dist, 'cli/main.js'),
  ...args,
]

/** Starts fettle in a process of its own; `within` is a command that gets fettle's as its last arguments. */
export function startProcess(
  place: Place,
  args: readonly string[],
  disk?: DiskFault,
  options: SpawnOptions = {},
  within: readonly string[] = [],
  dist = DIST,
): { child: ChildProcess; ended: Promise<Ended> } {
  const { fault: FAULT, log: FAULT_LOG, ops: FAULT_OPS = '', paths: FAULT_PATHS = place.folder } = disk ?? {}
  const env = disk === undefined ? place.env : { ...place.env, FAULT, FAULT_LOG, FAULT_OPS, FAULT_PATHS }
  const [command, ...rest] = [...within, ...commandOf(args, dist)]
  const child = spawn(command!, rest, { cwd: place.folder, env, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  let stdout = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  child.stdout?.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  const ended = new Promise<Ended>(resolve => child.on('close', (code, signal) => resolve({ code, signal, stderr, stdout })))
  return { child, ended }
}

/** Carries a command out, and can kill it. */
export type Start = (
  place: Place,
  args: readonly string[],
  disk?: DiskFault,
) => {
  readonly child: { readonly pid?: number | undefined; kill(signal?: NodeJS.Signals): boolean }
  readonly ended: Promise<Ended>
}

/** Carries commands of the modules in `build` out in this process. */
export const simulate =
  (dist: string): Start =>
  ({ folder, env }, args, disk) => {
    const { fault = '', paths = folder, log: file = null, ops = '', isPowerCut = false } = disk ?? {}
    const log = (text: string): void => {
      if (file === null) return
      const to = unguarded.openSync(file, 'a')
      unguarded.writeSync(to, text)
      unguarded.closeSync(to)
    }
    log('')
    const options = { fault, paths: paths.split(delimiter), ops: ops === '' ? null : ops.split(','), log }
    return startProgram({
      dist,
      args,
      cwd: folder,
      env,
      makeDisk: hooks => (isPowerCut ? new LosingDisk({ ...options, ...hooks }, folder) : new Disk({ ...options, ...hooks })),
    })
  }

/** Carries commands of the build in `dist` out in processes of their own. */
export const processes =
  (dist: string): Start =>
  (place, args, disk) =>
    startProcess(place, args, disk, {}, [], dist)

const inThisProcess = simulate(join(root, 'build'))
let carryOut = inThisProcess

/** Carries out all commands of the test file so: in this process unless it is called. */
export function carryOutBy(start: Start): void {
  carryOut = start
  atFileEnd(() => {
    carryOut = inThisProcess
  })
}

/** Starts fettle in a place. */
export const start: Start = (place, args, disk) => carryOut(place, args, disk)

/** Requests of a process that was killed have ended: the next one starts later than that. */
export async function settled({ server }: FaultyService): Promise<void> {
  while (server.pending() > 0) await wait(5)
  // The service notices later than the fault server that a transfer broke off.
  await wait(100)
}

/** Both outputs as they stand. */
export const outputsOf = ({ folder }: Place): string[] => OUTPUTS.map(name => readFileSync(join(folder, name), 'utf8'))
