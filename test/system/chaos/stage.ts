/** Sets up and removes what runs need: a copy of the product, a service, processes. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { draw } from './chance.ts'
import { Journey, type World } from './journey.ts'
import { outputsIn } from './judge.ts'
import { copyProduct, makePlace, makeRegister, makeRoot } from './place.ts'
import { LOGIN, Service } from './service.ts'
import { SimulatedWorkers } from './simulated-workers.ts'
import { type Hands, type WorkerOptions, Workers } from './workers.ts'

/** What may be chosen. */
export interface StageOptions {
  /** The build under test. */
  readonly dist: string
  readonly seed: number
  readonly processes: number
  readonly runsEach: number
  /** Whether processes also die at operations on files. */
  readonly disk: boolean
  /** Runs are executed in this process, as if it were several. */
  readonly isSimulated?: boolean
  readonly objection?: World['objection']
}

/** A stage to carry journeys out on. */
export interface Stage {
  readonly world: World
  close(): Promise<void>
}

/** Puts everything up, and carries out one run undisturbed: what it leaves, all others must leave. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const root = makeRoot()
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of closing.reverse()) await one()
    root.remove()
  }
  try {
    const product = await copyProduct(root.path, options.dist)
    await makeRegister(join(root.path, 'registers'), product)
    const places = join(root.path, 'places')
    mkdirSync(places)
    const service = new Service(product.folder, root.path)
    closing.push(() => service.close())
    await service.start()
    const { processes, runsEach, seed, isSimulated = false } = options
    const open = (how: WorkerOptions): Hands => (isSimulated ? new SimulatedWorkers(how) : new Workers(how))
    const disk = options.disk ? draw(seed, 'disk') : null
    const workers = open({ product: product.folder, places, processes, runsEach, disk })
    closing.push(() => workers.close())
    const wanted = await undisturbed(
      open({ product: product.folder, places, processes: 1, runsEach: 1, disk: null }),
      places,
      service,
    )
    const { objection } = options
    return { world: { product, places, service, workers, wanted, ...(objection === undefined ? {} : { objection }) }, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The outputs of a run against the service itself. */
async function undisturbed(workers: Hands, places: string, service: Service) {
  const folder = makePlace(join(places, 'undisturbed'))
  try {
    const env = {
      HOME: folder,
      FETTLE_DATA: join(folder, 'data'),
      FETTLE_URL: await service.url,
      FETTLE_USERNAME: LOGIN.username,
      FETTLE_PASSWORD: LOGIN.password,
    }
    const { outcome } = await workers.give(0, { folder, env, seed: 1, isPatient: true, again: 'run' })
    const ended = await outcome
    if (ended === 'killed' || ended.exitCode !== 0) throw new Error(`a run without faults failed: ${JSON.stringify(ended)}`)
    return outputsIn(folder)
  } finally {
    await workers.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One run alone, of a seed or with a planned history. */
export const journeyAlone = ({ world }: Stage, seed: number, planned: ConstructorParameters<typeof Journey>[2] = null) =>
  new Journey(seed, world, planned).carryOut(0)
