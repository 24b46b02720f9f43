/** What a run reads and writes, wherever it lies: a plan's source and results, over files here and objects elsewhere alike. */
import { dirname } from 'node:path'
import { realClock } from '../../client/clock.ts'
import { openSink } from '../../files/atomic-file.ts'
import { openSource } from '../../input/index.ts'
import { isAddress, type Plan } from '../../pipeline/index.ts'
import { openResults } from '../../results/index.ts'
import type { ResultsOptions } from '../../results/options.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { localiseInput, openRemoteSink, type StorageOptions } from '../staging/remote-files.ts'

/** What a run reads and writes. */
export interface RunPorts {
  readonly source: ReturnType<typeof openSource>
  readonly results: ReturnType<typeof openResults>
}

/** Source and results of a plan. An input elsewhere is asked for when somebody first wants its rows. */
export function openRunPorts(plan: Plan, { path }: RunDirectory, extra: ResultsOptions, reach: StorageOptions): RunPorts {
  const all: ResultsOptions = {
    ...extra,
    now: realClock.now,
    openSink: (to, options) => (isAddress(to) ? openRemoteSink(to, path, options, reach) : openSink(to, options)),
  }
  const source = openSource(plan, path, all)
  const results = openResults(plan, path, all)
  if (!isAddress(plan.input.path)) return { source, results }
  const here = async (): Promise<Plan> => localiseInput(plan, dirname(path), reach)
  let near: Promise<typeof source> | null = null
  const nearSource = (): Promise<typeof source> => {
    near ??= here().then(found => openSource(found, path, all))
    near.catch(() => {
      near = null
    })
    return near
  }
  return {
    source: { ...source, upload: async (part: number) => (await nearSource()).upload(part) },
    results: {
      ...results,
      publish: async (...how: Parameters<typeof results.publish>) => openResults(await here(), path, all).publish(...how),
    },
  }
}
