/**
 * Compares a recorded run with the current pipeline file. A resume executes the recorded plan; only the keys marked `live` in
 * `pipeline/model/plan.ts` may have changed since. It does not read the input, which may be gone.
 */
import { readFileSync } from 'node:fs'
import type { Credentials } from '../env/environment.ts'
import { assertKnownOrigin, isUntrusted, readCredentials } from '../env/trust.ts'
import { action, FettleError } from '../errors.ts'
import type { LiveSettings, RunState } from '../journal/index.ts'
import { listReceivers, type Receiver } from '../observe/notify.ts'
import {
  FREE_KEYS,
  inputOptionsOf,
  isSameWork,
  type Links,
  liveSettingsOf,
  type ParsedPipeline,
  type Plan,
  type PlannedService,
  planRun,
  settingName,
  wholePlan,
} from '../pipeline/index.ts'
import { isSameInput } from '../staging/staged-input.ts'
import { credentialsIn, linksOfPipeline } from './prepare.ts'
import { NO_OVERRIDES, type Overrides, type PrepareContext, parseText } from './read-pipeline.ts'
import { registerNames } from './registers.ts'
import { resolveService } from './resolve-service.ts'

export interface ResumeContext {
  /** Reads the credentials when they are needed. Throws FETTLE_CREDENTIALS, FETTLE_SETTINGS. */
  readonly credentials: () => Credentials
  /** Null when the pipeline file is gone, no longer parses, or needs variables that are not recorded. */
  readonly live: LiveSettings | null
  readonly links: Links
  /** Empty when the pipeline file is gone. */
  readonly notify: readonly Receiver[]
}

/**
 * Reads the pipeline file of a recorded run. `isOffline`: nothing is sent, so the service need not be known here. Throws
 * FETTLE_FINGERPRINT, naming the changed keys, when the file describes another run now, and FETTLE_SERVICE_ORIGIN before anything is sent.
 */
export function findCurrentPipeline(state: RunState, surroundings: PrepareContext, isOffline = false): ResumeContext {
  const recorded = wholePlan(state.plan)
  const { env } = surroundings
  const options = { ...surroundings, ...readOverrides(state) }
  const parsed = readPipeline(state, surroundings)
  const credentials = credentialsFrom(parsed, state, surroundings)
  const pipeline = parsed?.pipeline ?? null
  const links = findLinks(parsed)
  const notify = parsed === null || pipeline === null || isUntrusted(env) ? [] : listReceivers(pipeline, parsed.secrets)
  if (parsed === null || pipeline === null || (Array.isArray(state.args.var) && state.args.var.length > 0)) {
    if (!isOffline) assertKnownOrigin(recorded.service, env)
    return { credentials, live: null, links, notify }
  }
  const service = isOffline ? recorded.service : resolveService(options, pipeline, recorded.service)
  const { shard, rows, sent, skipped = 0 } = recorded
  // The counts of a plan are about the whole list, which the plan of a shard does not have.
  const counted = shard === undefined ? { counts: { sent, skipped } } : { shard: { shard, rows, sent, skipped } }
  const named = options.register ?? registerNames(pipeline.register, surroundings.cwd)
  const register = service.kind === 'remote' ? undefined : sameRegisters(recorded.register, named)
  const wanted = pipeline.audit === null || pipeline.audit === true ? null : pipeline.audit.register
  const audited = registerNames(wanted, surroundings.cwd)
  const auditRegister = audited === null ? undefined : sameRegisters(recorded.auditRegister ?? [], audited)
  // The table is a part of the recorded plan: its file may be gone, or have changed for the next run.
  const { decide, decideOn: today } = recorded
  const context = {
    file: recorded.file,
    target: recorded.target,
    limit: recorded.limit,
    service,
    register,
    auditRegister,
    decide,
    today,
    ...counted,
  }
  const { plan } = planRun(pipeline, recorded.input, context)
  const changed = plan === null ? ['mappings'] : findChangedKeys(plan, recorded)
  const { path, sql } = inputOptionsOf(pipeline)
  if (!isSameInput(path, recorded.input) || sql !== recorded.input.query?.sql) changed.unshift('input')
  const table = pipeline.decide?.table ?? null
  if (table !== (decide?.path ?? null) || (table !== null && pipeline.decide?.asOf !== decide?.asOf)) changed.push('decide')
  if (changed.length > 0)
    throw new FettleError(
      'FETTLE_FINGERPRINT',
      `${recorded.file} means something else than when the run ${state.runId} began: ${changed.join(', ')}${otherService(recorded, service)}`,
      { hint: `${variablesHint(recorded.file)}Undo the change, then resume the run.`, action: action('resume', state.runId) },
    )
  if (!isOffline) assertKnownOrigin(recorded.service, env)
  return { credentials, live: plan === null ? null : liveSettingsOf(plan), links, notify }
}

const credentialsFrom =
  (parsed: ParsedPipeline | null, { plan }: RunState, { env }: PrepareContext) =>
  (): Credentials =>
    readCredentials(env, wholePlan(plan).service, parsed === null ? {} : credentialsIn(parsed.secrets))

/** The credentials of a recorded run, for a look at it: the pipeline may have changed since, or lack a variable here. */
export const credentialsOfRun = (state: RunState, surroundings: PrepareContext): (() => Credentials) =>
  credentialsFrom(readPipeline(state, surroundings), state, surroundings)

export const linksOfRun = (state: RunState, surroundings: PrepareContext): Links => findLinks(readPipeline(state, surroundings))

const findLinks = (parsed: ParsedPipeline | null): Links =>
  parsed?.pipeline == null ? new Map() : linksOfPipeline(parsed.pipeline)

/** The variables that the file takes from the environment: one of them may have had another value. */
function variablesHint(file: string): string {
  const names = new Set(Array.from(readFileSync(file, 'utf8').matchAll(/\$\{([A-Z_][A-Z0-9_]*)/g), ([, name]) => name!))
  if (names.size === 0) return ''
  return `Set ${[...names].join(', ')} as in the run. `
}

/** The service may have changed by the environment alone. */
function otherService({ service: then }: Plan, now: PlannedService): string {
  const [was, is] = [then, now].map(service => (service.kind === 'embedded' ? 'embedded' : service.url))
  return was === is ? '' : ` (it was ${was} and is ${is})`
}

/** The recorded registers while the same ones are asked for; one imported since the run began does not join it. */
function sameRegisters(register: Plan['register'], wanted: readonly string[] | null): Plan['register'] {
  if (register === undefined || wanted === null) return register
  return wanted.map(name => register.find(known => known.name === name) ?? { name, snapshotDate: null, sha256: null })
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const readOverrides = ({ args, plan }: RunState): Overrides => ({
  ...NO_OVERRIDES,
  target: plan.target ?? null,
  service: text(args.service),
  register: Array.isArray(args.register) ? args.register : null,
  input: text(args.input),
  output: text(args.output),
  limit: plan.limit,
})

/** Null for a file that is gone or cannot be parsed. */
function readPipeline(state: RunState, surroundings: PrepareContext): ParsedPipeline | null {
  const { file } = state.plan
  const options = { ...surroundings, ...readOverrides(state) }
  try {
    const parsed = parseText(readFileSync(file, 'utf8'), file, options, state.startedAt.slice(0, 10))
    return 'code' in parsed ? null : parsed
  } catch {
    return null
  }
}

/** The keys of the pipeline file whose change makes another plan; empty while the fingerprints are the same. */
function findChangedKeys(now: Plan, then: Plan): string[] {
  if (isSameWork(now, then)) return []
  // The split of a merged run comes from its shards, not from the pipeline.
  const ofMerge = then.merged === undefined ? [] : ['merged', 'parts']
  const free: readonly string[] = [...FREE_KEYS, 'sent', ...ofMerge]
  const keys = Object.keys(then) as (keyof Plan)[]
  const changed = keys.filter(key => !free.includes(key) && JSON.stringify(now[key]) !== JSON.stringify(then[key]))
  return changed.map(settingName)
}
