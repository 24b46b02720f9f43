/**
 * One run of a seed from start to verdict: repeats commands until the run has ended, and records its faults as a history that
 * can be replayed.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Armed, Fault, FaultInput, FaultServer, Policy, PolicyRequest } from '../../../src/testing/index.ts'
import { draw } from './chance.ts'
import { policyOf } from './draws.ts'
import { type Charge, type Judgement, judge, judgeFiles, type Outputs } from './judge.ts'
import { makePlace, type Product } from './place.ts'
import { LOGIN, type Service } from './service.ts'
import type { Command, Ended, Hands, Outcome } from './workers.ts'

/** What journeys have in common. */
export interface World {
  readonly product: Product
  readonly places: string
  readonly service: Service
  readonly workers: Hands
  /** What every run must come to. */
  readonly wanted: Outputs
  /** One more opinion on what happened, for tests of this very machinery. */
  readonly objection?: (fired: readonly Fault[]) => string | null
}

/** How a journey ended. */
export interface Journeyed {
  readonly seed: number
  /** What befell the run, ready to be planned again. */
  readonly history: readonly FaultInput[]
  /** How each command ended. */
  readonly commands: readonly string[]
  readonly fired: readonly Fault[]
  readonly requests: number
  readonly charges: readonly Charge[]
  readonly orphans: Judgement['orphans']
}

/** A command is repeated so often before faults are switched off. */
const MOST_COMMANDS = 25
/** No command lasts so long, with its waits shortened. */
const LONGEST_MS = 90_000
/** No request lasts so long. */
const PATIENCE_MS = 20_000

/** A run and all that happens to it. */
export class Journey {
  readonly #seed: number
  readonly #world: World
  readonly #planned: readonly FaultInput[] | null
  readonly #points: { readonly after: number; readonly fault: FaultInput }[] = []
  readonly #commands: string[] = []
  readonly #charges: Charge[] = []
  #server: FaultServer | null = null
  #command: Command | null = null
  #last: PolicyRequest | null = null
  #asked = 0
  #wasServiceKilled = false
  #isOwnKill = false

  /** By its seed, or `planned` in place of what the seed would bring. */
  constructor(seed: number, world: World, planned: readonly FaultInput[] | null = null) {
    this.#seed = seed
    this.#world = world
    this.#planned = planned
  }

  /** Told that the service is being killed. */
  serviceKilled(): void {
    this.#wasServiceKilled = true
    this.#note('restart')
  }

  /** Carries the run out in the processes of a slot. */
  async carryOut(slot: number): Promise<Journeyed> {
    const { service, places, product } = this.#world
    const next = draw(this.#seed, 'world')
    const folder = makePlace(join(places, `${this.#seed}-${slot}`))
    await using server = await product.testing.startFaultServer({
      target: await service.url,
      onKill: () => this.#kill(),
      onPoint: name => this.#onPoint(name),
      // The interface has no keys; the embedded service honours them. Half of the runs meet each.
      without: next() < 0.5 ? [] : ['idempotency-key'],
    })
    this.#server = server
    const follow = (url: string): void => server.retarget(url)
    service.onStart.add(follow)
    try {
      const armed = server.arm(this.#planned ?? this.#recording(policyOf(this.#seed, this.#world.workers.runsEach)))
      const again = next() < 0.5 ? 'run' : 'resume'
      const task = { folder, env: envOf(folder, server.url), isPatient: next() < 0.5, again } as const
      const ended = await this.#toTheEnd(slot, task, armed)
      return await this.#verdict(folder, ended, armed, server)
    } finally {
      service.onStart.delete(follow)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }

  async #toTheEnd(slot: number, task: Omit<Parameters<Hands['give']>[1], 'seed'>, armed: Armed): Promise<Ended> {
    for (let count = 1; ; count++) {
      if (count > MOST_COMMANDS) armed.disarm()
      const outcome = await this.#give(slot, { ...task, seed: this.#seed + count })
      const isGuilty = await this.#look(task.folder)
      if (outcome !== 'killed' && (outcome.exitCode === 0 || outcome.finished || isGuilty || count > MOST_COMMANDS + 5)) {
        armed.disarm()
        // A run at its end is only told again.
        const told = await this.#give(slot, { ...task, seed: this.#seed })
        return told === 'killed' ? outcome : told
      }
    }
  }

  async #give(slot: number, task: Parameters<Hands['give']>[1]): Promise<Outcome> {
    const { service, workers } = this.#world
    this.#server?.retarget(await service.url)
    this.#isOwnKill = false
    this.#command = await workers.give(slot, task)
    const late = setTimeout(() => this.#hung(), LONGEST_MS)
    const outcome = await this.#command.outcome
    clearTimeout(late)
    this.#command = null
    if (outcome === 'killed' && !this.#isOwnKill) this.#note('kill')
    this.#commands.push(
      outcome === 'killed'
        ? `killed${this.#isOwnKill ? '' : ' with its process'}`
        : `${outcome.exitCode}${outcome.error === null ? '' : ` ${outcome.error}`}`,
    )
    await this.#calm()
    return outcome
  }

  #hung(): void {
    const last = JSON.stringify(this.#server?.requests.slice(-2))
    this.#charges.push({ of: 'end', what: `no end after ${LONGEST_MS / 1000} s; the last requests: ${last}` })
    this.#kill()
  }

  /** What is still on its way when a client dies arrives before anybody starts it again. */
  async #calm(): Promise<void> {
    const until = performance.now() + PATIENCE_MS
    while ((this.#server?.pending() ?? 0) > 0) {
      if (performance.now() > until) {
        const left = this.#server?.requests.filter(one => one.given === null).slice(-3)
        this.#charges.push({ of: 'I4', what: `requests are left pending, such as one of these: ${JSON.stringify(left)}` })
        return
      }
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  async #look(folder: string): Promise<boolean> {
    const found = await judgeFiles(folder, this.#world.wanted, this.#world.product)
    this.#charges.push(...found)
    return found.length > 0
  }

  async #verdict(folder: string, ended: Ended, armed: Armed, server: FaultServer): Promise<Journeyed> {
    const { product, service, wanted, objection } = this.#world
    const fired = armed
      .report()
      .filter(({ consumed }) => consumed > 0)
      .map(({ fault }) => fault)
    const wasServiceKilled = this.#wasServiceKilled
    const evidence = { folder, ended, service, server, fired, wasServiceKilled, said: this.#commands }
    const { charges, orphans } = await judge(evidence, wanted, product)
    const objected = objection?.(fired) ?? null
    return {
      seed: this.#seed,
      history: this.#history(armed),
      commands: this.#commands,
      fired,
      requests: server.requests.length,
      charges: [...this.#charges, ...charges, ...(objected === null ? [] : [{ of: 'end' as const, what: objected }])],
      orphans,
    }
  }

  /** The policy, with an eye on where the run stands. */
  #recording(policy: Policy): Policy {
    return request => {
      this.#last = request
      const effect = policy(request)
      if (effect !== null) this.#asked++
      return effect
    }
  }

  /** Notes what befell the run besides its own faults, at the request it was about. */
  #note(name: 'kill' | 'restart'): void {
    if (this.#planned !== null || this.#last?.operation == null) return
    const { operation, nth } = this.#last
    const at = (this.#server?.pending() ?? 0) > 0 ? 'arrival' : 'answered'
    this.#points.push({ after: this.#asked, fault: { operation, nth, effect: { kind: 'point', name, at } } })
  }

  #history(armed: Armed): FaultInput[] {
    const faults = armed.report()
    if (this.#planned !== null) return faults.map(({ fault }) => fault)
    const pointsAt = (index: number): FaultInput[] =>
      this.#points.filter(({ after }) => after === index).map(({ fault }) => fault)
    const hits = faults.flatMap(({ fault, consumed }, index) => [...pointsAt(index), ...(consumed > 0 ? [fault] : [])])
    return [...hits, ...pointsAt(faults.length)]
  }

  #onPoint(name: string): void {
    if (name === 'kill') this.#kill()
    if (name === 'restart') {
      this.#wasServiceKilled = true
      this.#world.service.restart().catch(() => {})
    }
  }

  #kill(): void {
    this.#isOwnKill = true
    this.#command?.kill()
  }
}

const envOf = (folder: string, url: string): NodeJS.ProcessEnv => ({
  HOME: folder,
  FETTLE_DATA: join(folder, 'data'),
  FETTLE_URL: url,
  FETTLE_USERNAME: LOGIN.username,
  FETTLE_PASSWORD: LOGIN.password,
})
