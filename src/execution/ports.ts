/** The source and results of a run, for local files and remote objects. */
import { dirname, join } from 'node:path'
import { realClock } from '../client/clock.ts'
import { openSink } from '../files/atomic-file.ts'
import { openSource, sentRows } from '../input/index.ts'
import { planRows } from '../input/table/records.ts'
import { isAddress, type Plan, RUN_OUTPUT, recordedInput } from '../pipeline/index.ts'
import { ROWS_FILE } from '../results/file-names.ts'
import { openResults } from '../results/index.ts'
import type { ResultsOptions } from '../results/output/writers.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { localiseInput, openRemoteSink, openTableSink, type StorageOptions } from '../staging/remote-files.ts'

export interface RunPorts {
  readonly source: ReturnType<typeof openSource>
  readonly results: ReturnType<typeof openResults>
  /** The rows of the input, as the plan reads them. */
  readonly rows: () => AsyncIterable<readonly string[]>
  /** The mapped cells of all rows that are sent of the list, by any part or shard. */
  readonly list: () => AsyncIterable<Readonly<Record<string, string>>>
}

/** Whether the input is somewhere else than its path, and read there when it is needed. */
const isElsewhere = ({ input }: Plan): boolean => ['object', 'kept'].includes(recordedInput(input).kind)

/** The plan with the place where its input can be read now. */
export const readablePlan = async (plan: Plan, { path }: RunDirectory, storage: StorageOptions): Promise<Plan> =>
  isElsewhere(plan) ? localiseInput(plan, dirname(path), storage) : plan

/** Source and results of a plan. A remote input is downloaded, and a kept copy looked for, when rows are first needed. */
export function openRunPorts(plan: Plan, { path }: RunDirectory, extra: ResultsOptions, storage: StorageOptions): RunPorts {
  const all: ResultsOptions = {
    ...extra,
    now: realClock.now,
    groups: async readable => {
      const { groupsOfPlan } = await import('../dedupe/planned.ts')
      return groupsOfPlan(readable, extra)
    },
    auditRegister: async ({ auditRegister = [] }) => {
      const { openAuditRegister } = await import('./audit-register.ts')
      return openAuditRegister(auditRegister, storage.env)
    },
    openSink: (to, options) => {
      if (to === RUN_OUTPUT) return openSink(join(path, ROWS_FILE), { tag: options.tag ?? '' })
      if (plan.output?.table !== undefined && to === plan.output.path) return openTableSink(plan.output, path, options, storage)
      return isAddress(to) ? openRemoteSink(to, path, options, storage) : openSink(to, options)
    },
  }
  const source = openSource(plan, path, all)
  const results = openResults(plan, path, all)
  if (!isElsewhere(plan))
    return { source, results, rows: () => planRows(plan, extra.root), list: () => sentRows(plan, extra.root) }
  const here = async (): Promise<Plan> => localiseInput(plan, dirname(path), storage)
  let near: Promise<typeof source> | null = null
  const nearSource = (): Promise<typeof source> => {
    near ??= here().then(found => openSource(found, path, all))
    near.catch(() => {
      near = null
    })
    return near
  }
  async function* rows(): AsyncGenerator<readonly string[]> {
    yield* planRows(await here(), extra.root)
  }
  async function* list(): AsyncGenerator<Readonly<Record<string, string>>> {
    yield* sentRows(await here(), extra.root)
  }
  return {
    rows,
    list,
    source: { ...source, upload: async (part: number) => (await nearSource()).upload(part) },
    results: {
      ...results,
      publish: async (...how: Parameters<typeof results.publish>) => openResults(await here(), path, all).publish(...how),
    },
  }
}
