/** The way back from a plan to a pipeline, for runs that do a part of its work. */
import type { Plan, PlannedPortfolio, PlannedScreen, PlannedService } from '../model/plan.ts'

/**
 * The pipeline of a plan as a person may write it. Columns are named by number; the caller chooses the paths of input and outputs, and
 * leaves out the keys that its run is not about. Absent keys are undefined.
 */
export function restorePipeline(plan: Plan) {
  const { name, register, input, key, parts, concurrency, collapse, companyNumbers, send, headers, budget, output } = plan
  const { precision, service, enrich, retry, checks, portfolio, screen, dedupe, after, accept, candidates } = plan
  return {
    name,
    service: restoreService(service),
    register: register?.map(({ name }) => name),
    input: { header: input.header !== null, key: restoreColumn(key) },
    mappings: Object.fromEntries(plan.mappings.map(rule => [rule.mapping, restoreMapping(rule)])),
    job: { split: parts.length > 1 ? parts[0]?.rows : undefined, concurrency, collapse, companyNumbers },
    matching: { precision },
    send,
    enrich: enrich === null ? 'none' : { ...enrich, headers },
    budget: withoutNulls(budget),
    poll: restorePoll(plan),
    retry,
    checks: Object.fromEntries(
      checks.map(({ name, warn, fail, within }) => [
        name,
        { warn: warn?.text, fail: fail?.text, ...restoreAge('within', within) },
      ]),
    ),
    output: output === null ? undefined : { columns: restoreColumns(output) },
    accept: accept === null ? undefined : { ...withoutNulls(accept), pattern: restoreLetters(accept.pattern) },
    candidates: candidates === null ? undefined : withoutNulls(candidates),
    portfolio: portfolio === null ? undefined : restorePortfolio(portfolio),
    screen: screen === null ? undefined : restoreScreen(screen),
    dedupe,
    after,
  }
}

const restoreAge = (key: 'age' | 'within', ms: number | undefined) => (ms === undefined ? {} : { [key]: `${ms}ms` })

const restoreScreen = ({ lists, monitor, ...screen }: PlannedScreen) => ({
  ...withoutNulls(screen),
  countries: orAbsent(screen.countries),
  lists: lists && restoreAge('age', lists.age),
  monitor: monitor && { remove: restoreRemoval(monitor.remove) },
})

const withoutNulls = <T extends object>(given: T): { readonly [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as ReturnType<typeof withoutNulls<T>>

const orAbsent = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list)

const restoreColumn = (column: Plan['key']) => (column === null ? undefined : { index: column.index })

const restoreMapping = ({ index, value, pad, trim }: Plan['mappings'][number]) =>
  value === undefined ? { index, pad: pad ?? undefined, trim } : { value }

/** Columns of the list, which may be named by headers that the list lacks now, come with `*`. */
function restoreColumns({ columns, rename = {}, own = {} }: NonNullable<Plan['output']>) {
  const names = new Set(columns.map(from => (own[from] === undefined ? from : '*')))
  return [...names].map(from => (rename[from] === undefined ? from : { from, as: rename[from] }))
}

const restoreLetters = (pattern: Readonly<Record<string, string>> | null) =>
  pattern === null ? undefined : Object.fromEntries(Object.entries(pattern).map(([part, letters]) => [part, [...letters]]))

function restoreService(service: PlannedService) {
  if (service.kind === 'embedded') return service.kind
  const { url, rate, fileHosts, insecure } = service
  return { url, rate: rate === null ? undefined : { requests: rate.requests, per: `${rate.perMs}ms` }, fileHosts, insecure }
}

/** A plan polls the embedded service sooner than a pipeline may ask for, and its `maxMs` is what `every` was. */
function restorePoll({ service, poll: { everyMs, maxMs, timeoutMs } }: Plan) {
  return { every: `${service.kind === 'embedded' ? maxMs : everyMs}ms`, max: `${maxMs}ms`, timeout: `${timeoutMs}ms` }
}

const restoreRemoval = ({ max }: { readonly max: number | null }) =>
  max === null ? 'gone' : { max: `${Number((max * 100).toFixed(3))}%` }

function restorePortfolio({ name, id, reference, rules, sync, remove }: PlannedPortfolio) {
  return {
    ...withoutNulls({ name, id }),
    reference: restoreColumn(reference),
    rules,
    sync,
    remove: remove && restoreRemoval(remove),
  }
}
