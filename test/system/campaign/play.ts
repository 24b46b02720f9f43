/** Plays a history with simulated processes in virtual time, and hands each end to the judge. */
import fs, { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../../src/errors.ts'
import { type Clock, type Report, resume, run } from '../../../src/index.ts'
import { listRunIds, readRun } from '../../../src/runs/run-directory.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import type { ChargingService } from '../../support/charging-service.ts'
import { current, passInterval } from '../../support/crash/guard.ts'
import { type Host, openHost } from '../../support/crash/host.ts'
import { Disk } from '../../support/disk/operations.mjs'
import { memoryFolder } from '../../support/memory-folder.ts'
import { changedList, type List } from '../kill/nights.ts'
import { type Command, calm, describeCommand, HEADER, type History, MACHINES, type Name, pipelineOf, ROWS } from './history.ts'
import { type Answers, Judge } from './judge.ts'
import type { CampaignReferee } from './referee.ts'

const HOUR = 3_600_000
/** A lock of a killed process counts for as long as the clock was set back since. */
const STUCK_MS = 12 * 60 * 60_000
const STEP_MS = 5_000

/** How a command ended. */
export type End = { readonly report: Report } | { readonly error: unknown } | 'killed'

/** Files get the time of the clock: their age is that of locks and of what was asked. */
class ClockedDisk extends Disk {
  override meet(operation: string, path: string | null, args: readonly unknown[] = []) {
    const from = String(args[0])
    if (operation === 'link' || (operation === 'rename' && path?.endsWith('.asked') === true)) {
      const seconds = this.now() / 1000
      utimesSync(from, seconds, seconds)
    }
    return super.meet(operation, path)
  }
  now = (): number => Date.now()
}
const { utimesSync } = fs

/** What all campaigns share. */
export interface Stage {
  readonly service: ChargingService
  readonly referee: CampaignReferee
  readonly answers: Answers
}

export class Campaign {
  readonly lines: string[] = []
  readonly judge: Judge
  readonly #root = mkdtempSync(join(memoryFolder(), 'fettle-campaign-'))
  readonly #clock: VirtualClock
  readonly #service: ChargingService
  readonly #referee: CampaignReferee
  readonly #history: History
  readonly #lists = new Map<string, List>()
  readonly #listOfRun = new Map<string, List>()
  /** Runs that have written their outputs, and by machine and pipeline the last of them. */
  readonly #written = new Set<string>()
  readonly #lastToWrite = new Map<string, string>()
  #key = 0
  #era = 0
  #ends = 0

  constructor(history: History, { service, referee, answers }: Stage) {
    this.#history = history
    this.#service = service
    this.#referee = referee
    this.#clock = new VirtualClock({ start: Date.now(), looks: 1, isIdle: () => referee.pending === 0 })
    const campaign = this
    referee.time = {
      now: () => this.#clock.now(),
      jump: hours => this.#jump(hours),
      sleep: ms => current.exit(() => this.#clock.sleep(ms)),
      get era() {
        return campaign.#era
      },
    }
    this.judge = new Judge(
      referee,
      answers,
      MACHINES.map(machine => this.#runsDir(machine)),
    )
    for (const machine of MACHINES) mkdirSync(join(this.#root, machine))
  }

  async play(): Promise<void> {
    for (const { commands, hours } of this.#history.turns) {
      await this.#turn(commands)
      this.lines.push(`the clock steps ${hours} h`)
      this.#jump(hours)
    }
    await this.#finish()
  }

  leave(): void {
    rmSync(this.#root, { recursive: true, force: true })
  }

  readonly #runsDir = (machine: string): string => join(this.#root, machine, 'fettle-runs')

  #jump(hours: number): void {
    if (hours < 0) this.#era++
    this.#clock.jump(hours * HOUR)
    passInterval()
  }

  /** The commands at once. */
  async #turn(commands: readonly Command[]): Promise<void> {
    const taken = new Set<string>()
    const all = commands.map(command => {
      const owner = `${command.machine} ${command.name}`
      // A list that a run is reading stays as it is.
      const isFirst = !taken.has(owner)
      taken.add(owner)
      return this.#carryOut(isFirst ? command : { ...command, change: null, verb: 'run' })
    })
    await this.#moving(Promise.all(all))
  }

  /** Every history ends: each pipeline is resumed where it stopped, and run, and knows everything then. */
  async #finish(): Promise<void> {
    const used = new Set(this.#history.turns.flatMap(turn => turn.commands.map(({ machine, name }) => `${machine} ${name}`)))
    this.lines.push('then, without faults:')
    for (const owner of used) {
      const [machine, name] = owner.split(' ') as [Command['machine'], Name]
      for (const id of this.#unfinished(machine, name)) await this.#moving(this.#carryOut(calm(machine, name, 'resume'), id))
      const last = calm(machine, name)
      const before = listRunIds(this.#runsDir(machine), name)
      const first = await this.#moving(this.#carryOut(last))
      // A run that had only its end to write is ended by this, and its answers may be old.
      if (typeof first === 'object' && 'report' in first && before.includes(first.report.metadata.runId))
        await this.#moving(this.#carryOut(last))
      const again = await this.#moving(this.#carryOut(last))
      const sent = typeof again === 'object' && 'report' in again ? again.report.results[0]?.plan.sent : again
      if (sent !== 0) this.judge.faults.push(`${owner}: the last night sends ${JSON.stringify(sent)} rows again`)
    }
    this.judge.judgePayments()
    const [machine, name] = [...used][0]!.split(' ') as [Command['machine'], Name]
    await this.#moving(this.#compareFull(machine, name))
  }

  /** Fails when nobody moves any more. */
  async #moving<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const over = work.finally(() => {
      isOver = true
    })
    const watch = async (): Promise<T> => {
      let [before, still] = ['', 0]
      while (!isOver) {
        await this.#clock.sleep(STEP_MS)
        if ((still / STEP_MS) % 12 === 0) passInterval()
        const now = `${this.#referee.requests} ${this.#ends}`
        still = now === before ? still + STEP_MS : 0
        before = now
        if (still > STUCK_MS) throw new Error(`deadlock: nobody has moved for ${STUCK_MS / 3_600_000} hours`)
      }
      return over
    }
    return Promise.race([over, watch()])
  }

  #hasWritten(machine: string, id: string): boolean {
    try {
      return readRun(this.#runsDir(machine), id).outputs.length > 0
    } catch {
      return false
    }
  }

  #unfinished(machine: string, name: Name): string[] {
    return listRunIds(this.#runsDir(machine), name).filter(id => {
      try {
        return !readRun(this.#runsDir(machine), id).finished
      } catch {
        return false
      }
    })
  }

  async #carryOut(command: Command, wanted?: string): Promise<End> {
    const { machine, name } = command
    const owner = `${machine} ${name}`
    const id = command.verb === 'resume' ? (wanted ?? this.#unfinished(machine, name)[0]) : undefined
    let list = this.#lists.get(owner) ?? this.#history.first.map((row): List[number] => [`k${this.#key++}`, row])
    if (id !== undefined) list = this.#listOfRun.get(id) ?? list
    else if (command.change !== null) list = changedList(list, command.change, () => `k${this.#key++}`)
    this.#lists.set(owner, list)
    this.#write(machine, `${name}.csv`, list)
    const before = listRunIds(this.#runsDir(machine), name)
    const at = this.lines.push(`${describeCommand(command)}${id === undefined ? '' : ` (${id})`}`) - 1
    const end = await this.#start(command, id)
    for (const made of listRunIds(this.#runsDir(machine), name))
      if (!before.includes(made) && !this.#listOfRun.has(made)) this.#listOfRun.set(made, list)
    for (const made of listRunIds(this.#runsDir(machine), name))
      if (!this.#written.has(made) && this.#hasWritten(machine, made)) {
        this.#written.add(made)
        this.#lastToWrite.set(owner, made)
      }
    this.lines[at] += `: ${this.#judgeEnd(command, end, id)}`
    // A scheduler makes another attempt.
    const isLate = typeof end === 'object' && exitOf(end) === 75
    const isFresh = command.troubles.length > 0 || command.disk !== null
    return isLate && isFresh ? this.#carryOut({ ...command, change: null, troubles: [], disk: null }, id) : end
  }

  /** Returns the end in words. */
  #judgeEnd({ machine, name, verb, limit }: Command, end: End, id: string | undefined): string {
    if (end === 'killed') return 'killed'
    const code = codeOf(end)
    if (exitOf(end) === 0 && 'report' in end) {
      const { runId } = end.report.metadata
      const path = join(this.#root, machine, `${name}-out.csv`)
      const list = (this.#listOfRun.get(runId) ?? []).slice(0, readRun(this.#runsDir(machine), runId).plan.limit ?? undefined)
      // A run that was killed after its outputs were written does not write them again.
      if (this.#lastToWrite.get(`${machine} ${name}`) === runId)
        this.judge.judgeOutput(runId, list, readFileSync(path, 'utf8'), end.report)
      return `${runId} ended`
    }
    const isAllowed = exitOf(end) === 75 || code === 'FETTLE_ABORTED' || (verb === 'resume' && code === 'FETTLE_SUPERSEDED')
    const words = `${code} ${'error' in end ? ((end.error as Error).message ?? '') : JSON.stringify(end.report.results[0]?.error)}`
    if (!isAllowed) this.judge.faults.push(`${machine}: ${verb} ${name} ${limit ?? ''} ${id ?? ''} ended with ${words}`)
    return words
  }

  #write(machine: string, file: string, list: List): void {
    const text = [HEADER, ...list.map(([key, row]) => `${key},${ROWS[row]}`), ''].join('\n')
    const path = join(this.#root, machine, file)
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
  }

  async #start({ machine, name, limit, troubles, disk }: Command, id?: string): Promise<End> {
    const { split } = this.#history
    const host = await openHost({
      cwd: join(this.#root, machine),
      hostname: machine,
      makeDisk: hooks => {
        const paths = disk?.of === 'journal' ? ['*journal.jsonl'] : [this.#root]
        const made = new ClockedDisk({ fault: disk === null ? '' : `SIGKILL@${disk.nth}`, paths, ...hooks })
        made.now = () => this.#clock.now()
        return made
      },
    })
    const stop = new AbortController()
    this.#referee.plans.set(host.pid, { troubles, seen: new Map(), host, stop: () => stop.abort() })
    const options = {
      cwd: join(this.#root, machine),
      env: this.#service.env,
      answersDir: join(this.#root, 'answers'),
      clock: this.#clockOf(host),
      signal: stop.signal,
    }
    const pipeline = { ...pipelineOf(name, true), ...(split === null ? {} : { job: { split } }) }
    const act = async (): Promise<Report> =>
      id === undefined
        ? run(pipeline, { ...options, ...(limit === null ? {} : { limit }), acceptList: true })
        : resume(id, options)
    const acted = host.run(act).then(
      (report): End => ({ report }),
      (error: unknown): End => ({ error }),
    )
    const killed = host.ended.then((): End => 'killed')
    const first = await Promise.race([acted, killed])
    const end = host.isGone ? 'killed' : first
    host.end(0, null)
    await host.ended
    this.#referee.plans.delete(host.pid)
    this.judge.noteKept()
    this.#ends++
    return end
  }

  /** The clock for a process: it hears nothing of it any more once it is gone, and looks less often while it waits for long. */
  #clockOf(host: Host): Clock {
    const clock = this.#clock
    let [waits, requests] = [0, 0]
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      random: () => clock.random(),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          waits = requests === this.#referee.requests ? waits + 1 : 0
          requests = this.#referee.requests
          const slept = current.exit(() => clock.sleep(waits > 20 ? ms * 20 : ms, signal))
          slept.then(
            () => host.isGone || resolve(),
            (error: unknown) => host.isGone || reject(error),
          )
        }),
    }
  }

  /** The last output of a pipeline is that of a night that sends all rows, but for the jobs that are named. */
  async #compareFull(machine: string, name: Name): Promise<void> {
    const folder = join(this.#root, machine)
    const text = (file: string): string => readFileSync(join(folder, file), 'utf8').replace(/ #\d+/g, '')
    const report = await run(pipelineOf(name, false), { cwd: folder, env: this.#service.env, clock: this.#clock, fresh: true })
    if (report.exitCode !== 0 || text(`full-${name}-out.csv`) !== text(`${name}-out.csv`))
      this.judge.faults.push(`${machine} ${name}: the output is not that of a full night`)
  }
}

const codeOf = (end: Exclude<End, 'killed'>): string =>
  'report' in end
    ? (end.report.results[0]?.error?.code ?? `exit ${end.report.exitCode}`)
    : FettleError.is(end.error)
      ? end.error.code
      : `unexpected ${(end.error as Error)?.stack}`

const exitOf = (end: Exclude<End, 'killed'>): number =>
  'report' in end ? (end.report.exitCode ?? 70) : FettleError.is(end.error) ? end.error.exitCode : 70
