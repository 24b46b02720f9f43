/** Plays a variant: a run at the foreign service, its outputs compared with the outputs of an undisturbed run, and a resume after a refusal. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolder } from '../../support/memory-folder.ts'
import type { BadConnections } from '../faults/connections.ts'
import { type Ended, prepareStart } from '../faults/run-here.ts'
import type { ListName } from './list.ts'
import { listText } from './list.ts'
import { type ForeignService, startForeignService } from './service.ts'
import type { Change, Ending, Variant } from './variant.ts'

const PREVIOUS = 'the output of the run before\n'
const OUTPUTS = ['out.csv', 'unmatched.csv'] as const
const PASSWORD = 'canary-password-of-the-variants'

/** How a run ended; `wrong`: it wrote something else than an undisturbed run, or published although it failed. */
export type Seen = Ending | 'wrong'

export interface Played {
  readonly variant: Variant
  readonly first: Seen
  readonly resumed: Seen | null
  readonly exit: number | string
  readonly code: string | null
  readonly message: string
  /** What is wrong in any case: a job, a submission or an enrichment too many. */
  readonly twice: readonly string[]
  readonly outputs: readonly string[]
}

/** The outputs of an undisturbed run of each list. */
export type Undisturbed = Readonly<Record<ListName, readonly string[]>>

// The spoiling of connections is not used.
const NO_BAD = {} as BadConnections

export async function play(variant: Variant, undisturbed: Undisturbed | null): Promise<Played> {
  const { changes } = variant
  const list = listOf(changes)
  const path = mkdtempSync(join(memoryFolder(), 'fettle-variant-'))
  const service = await startForeignService(changes)
  const folder = makeFolder(path, list, changes)
  const start = async (how: 'run' | 'resume'): Promise<Ended> => {
    const next = prepareStart({
      folder,
      server: service,
      bad: NO_BAD,
      isShort: changes.some(({ isSilent }) => isSilent === true),
    })
    const ended = await next[how]()
    await next.close()
    return ended
  }
  const seen = (ended: Ended): Seen => {
    const outputs = folder.outputs()
    if (ended.exit !== 0) return outputs.every(text => text === PREVIOUS) ? 'refused' : 'wrong'
    return undisturbed === null || outputs.every((text, at) => text === undisturbed[list][at]) ? 'right' : 'wrong'
  }
  const ended = await start('run')
  const first = seen(ended)
  const resumed = first === 'refused' ? seen(await start('resume')) : null
  const played: Played = {
    variant,
    first,
    resumed,
    exit: ended.exit,
    code: ended.code,
    message: ended.message,
    twice: tooMany(service),
    outputs: folder.outputs(),
  }
  await service.close()
  rmSync(path, { recursive: true, force: true })
  return played
}

const listOf = (changes: readonly Change[]): ListName => changes.findLast(({ list }) => list !== undefined)?.list ?? 'letters'

const tooMany = ({ effects }: ForeignService): string[] =>
  Object.entries(effects).flatMap(([effect, count]) => (count > 1 ? [`${effect} took effect ${count} times`] : []))

function makeFolder(path: string, list: ListName, changes: readonly Change[]) {
  const input = join(path, 'in.csv')
  const pipeline = join(path, 'pipeline.json')
  writeFileSync(input, listText(list))
  for (const name of OUTPUTS) writeFileSync(join(path, name), PREVIOUS)
  writeFileSync(
    pipeline,
    JSON.stringify({
      name: 'conformance',
      input: { path: input, key: 'ref' },
      mappings: { name: 'Company', orgNumber: 'Reg No', address1: 'Street', town: 'Town', country: 'Country' },
      enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
      poll: { every: '2s', max: '30s', timeout: '1h' },
      output: { path: 'out.csv', columns: ['*', 'general.connectId', 'general.companyName'], unmatched: 'unmatched.csv' },
      ...Object.assign({}, ...changes.map(({ pipeline: keys }) => keys)),
    }),
  )
  return {
    path,
    input,
    pipeline,
    runsDir: join(path, 'fettle-runs'),
    env: (url: string) => ({ FETTLE_URL: url, FETTLE_USERNAME: 'variants', FETTLE_PASSWORD: PASSWORD, FETTLE_DATA: path }),
    outputs: (): string[] => OUTPUTS.map(name => readFileSync(join(path, name), 'utf8')),
  }
}
