/** `connect`: the methods of a client, each a few lines over `core.call`. */

import { waiting } from '../../abort.ts'
import { type ColumnMapping, type JobRecord, parseWireDate, spellStatus, type UploadRecord } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { ListFacts } from '../../model/list.ts'
import type {
  CallOptions,
  CompanyRequests,
  Effect,
  EffectOptions,
  HttpCounts,
  JobRequests,
  Upload,
} from '../../model/requests.ts'
import { SPARE_MS } from '../auth/session.ts'
import type { Redactor } from '../redact.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import type { ConnectOptions } from '../types.ts'
import { type Api, createApi } from './api.ts'
import { createCompanyRequests } from './company-actions.ts'
import { Core } from './core.ts'
import { openLink } from './download.ts'
import { createRequest, type Request } from './request.ts'

/** The service over HTTP: the requests of a run, and `api` with one method for each operation. Requests are retried inside. */
export interface Client extends JobRequests, CompanyRequests {
  /** The whole interface: `client.api.readJob({ id })`. */
  readonly api: Api
  /** An operation that `api` does not have: `client.request('GET', '/images/{imageId}', { params: { imageId }, as: 'bytes' })`. */
  readonly request: Request
  /** One page of jobs, filtered as contract §5.10. */
  listJobs(query?: Readonly<Record<string, string | number | boolean>>, options?: CallOptions): Promise<readonly JobRecord[]>
  /** The link to the enriched file; throws FETTLE_NOT_FOUND, with the status, before the file exists. */
  enrichedFile(id: string, options?: CallOptions): Promise<{ readonly filePath: string }>
  /** Counts since the last call. */
  takeCounts(): HttpCounts
  /** Closes all connections. */
  close(): Promise<void>
}

/** A job is read again after a day at the latest, also when a `Retry-After` is longer. */
const LONGEST_WAIT_MS = 24 * 3_600_000

/** Jobs per page of a search by name, and the pages after which the list counts as endless. */
const PAGE_SIZE = 50
const MAX_PAGES = 200

const unchanged = <T>(reply: T): T => reply

const LONGEST_TEXT = 300
/** Prefix of the names of our own jobs. They identify our jobs, so they are never changed. */
const OWN_PREFIX = 'fettle-'

/** Spells the status as the contract does, and removes our secrets, in case the service put them there: a record is journalled and printed. */
const redactedJob =
  ({ clean, leaks }: Redactor) =>
  (record: JobRecord): JobRecord => {
    const shown = (text: string): string => (text.length > LONGEST_TEXT || leaks(text) ? clean(text) : text)
    if (leaks(record.id)) throw new FettleError('FETTLE_CONTRACT', `the id of a job contains a secret: ${clean(record.id)}`)
    const name = record.name.startsWith(OWN_PREFIX) ? record.name : shown(record.name)
    return { ...record, name, status: shown(spellStatus(record.status)) }
  }

const NO_ENRICHMENTS =
  'If the service has no enrichments, run with enrich: none and without output: the report then has its counts. If the job was deleted, start a new run.'

const FINAL_REFUSALS = { 400: 'FETTLE_REJECTED', 422: 'FETTLE_REJECTED' } as const

async function findJobs(core: Core, name: string, options: CallOptions): Promise<readonly JobRecord[]> {
  const found = new Map<string, JobRecord>()
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { jobName: name, page: String(page), pageSize: String(PAGE_SIZE) }
    const { value } = await core.call('listJobs', { query, read: unchanged, options, subject: `of the name ${name}` })
    const known = found.size
    for (const job of value) found.set(job.id, redactedJob(core.opener.tools.redactor)(job))
    if (value.length < PAGE_SIZE || found.size === known) {
      // The service's filter may match parts of names (contract §5.10), in any order (§2.3).
      const age = (job: JobRecord) => parseWireDate(job.createdAt ?? '') ?? Number.POSITIVE_INFINITY
      return [...found.values()].filter(job => job.name === name).sort((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0))
    }
  }
  throw new FettleError('FETTLE_CONTRACT', `listJobs of the name ${name}: the list has no end after ${MAX_PAGES} pages.`)
}

function upload(
  core: Core,
  id: string,
  file: Upload,
  options: EffectOptions<UploadRecord | null>,
): Promise<Effect<UploadRecord | null>> {
  return core.call('upload', {
    params: { id },
    // Whether the file arrived is read from the job.
    lenient: true,
    read: record => (typeof record?.id === 'string' ? { ...record, id: core.opener.tools.redactor.clean(record.id) } : null),
    options,
    spareMs: SPARE_MS,
    hints: { 413: `The file has ${file.bytes} bytes: send it in parts with job.split.` },
    form: { file, fields: { hasHeader: String(file.hasHeader) } },
  })
}

/** When a job may be read again, by the `Retry-After` of its last reply. */
class JobWaits {
  readonly #notBefore = new Map<string, number>()
  readonly #tools: Core['opener']['tools']

  constructor({ opener }: Core) {
    this.#tools = opener.tools
  }

  async wait(id: string, { signal, withinMs = Number.POSITIVE_INFINITY }: CallOptions): Promise<void> {
    const { clock, deadline, stop } = this.#tools
    const wait = Math.min((this.#notBefore.get(id) ?? 0) - clock.monotonic(), deadline(), withinMs, LONGEST_WAIT_MS)
    this.#notBefore.delete(id)
    if (wait > 0) await waiting([signal, stop], either => clock.sleep(wait, either))
  }

  note(id: string, reply: { status: number; header(name: string): string | null }): void {
    const { clock } = this.#tools
    const retryAfterMs = parseRetryAfter(reply.header('retry-after'), reply.header('date'), clock.now())
    if (reply.status === 200 && retryAfterMs !== null) this.#notBefore.set(id, clock.monotonic() + retryAfterMs)
  }
}

/** Returns a function that estimates the facts of the list once; a failed estimate is made again. Its result is a part of each job. */
function createListEstimate(core: Core, { facts, rows, precision }: NonNullable<ConnectOptions['list']> = {}) {
  let estimated: Promise<ListFacts | null> | null = null
  return async ({ signal, meter }: CallOptions): Promise<Partial<ListFacts & { precision: number }>> => {
    if (precision !== undefined) await core.assertTakesPrecision({ signal, meter })
    const wished = precision === undefined ? {} : { precision }
    if (rows === undefined || facts?.inRegister !== undefined) return { ...facts, ...wished }
    estimated ??= core.estimateList(rows, precision, { signal, meter })
    estimated.catch(() => {
      estimated = null
    })
    return { ...(await estimated), ...facts, ...wished }
  }
}

/** Opens a link; an expired one is requested again, once (contract §14.1). */
async function openFresh<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const isExpired = FettleError.is(error) && error.code === 'FETTLE_FILE_LINK' && (error.status === 403 || error.status === 410)
    if (!isExpired) throw error
    return open()
  }
}

function createJobRequests(core: Core, options: ConnectOptions): JobRequests & Pick<Client, 'listJobs' | 'enrichedFile'> {
  const { redactor } = core.opener.tools
  const shown = redactedJob(redactor)
  const waits = new JobWaits(core)
  const factsOfList = createListEstimate(core, options.list)

  const enrichedFile = async (id: string, call: CallOptions = {}) => {
    const codes = { 400: 'FETTLE_NOT_FOUND' } as const
    const { value } = await core.call('enrichedFile', {
      params: { id },
      query: { fileType: 'csv' },
      read: unchanged,
      options: call,
      codes,
    })
    return value
  }

  return {
    async authenticate(call = {}) {
      await core.openerFor(call).tools.session.token(0, call.signal)
    },
    createJob: async (name, call) =>
      core.call('createJob', {
        json: { name, ...(await factsOfList(call)) },
        // An answer that only its id could be read of is kept.
        read: record => shown({ ...{ name, status: 'created' }, ...record }),
        options: call,
        codes: FINAL_REFUSALS,
        subject: name,
      }),
    async listJobs(query = {}, call = {}) {
      const asText = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]))
      return (await core.call('listJobs', { query: asText, read: unchanged, options: call })).value
    },
    findJobs: (name, call = {}) => findJobs(core, name, call),
    async readJob(id, call = {}) {
      await waits.wait(id, call)
      const onReply = (reply: Parameters<JobWaits['note']>[1]) => waits.note(id, reply)
      return (await core.call('readJob', { params: { id }, read: shown, options: call, onReply })).value
    },
    upload: (id, file, call) => upload(core, id, file, call),
    async setMappings(id, mappings: readonly ColumnMapping[], call = {}) {
      await core.call('setMappings', { params: { id }, json: { mappings }, read: () => null, confirms: true, options: call })
    },
    submit: (id, call) =>
      core.call('submit', {
        params: { id },
        json: {},
        // Journalled for questions to the service's support, so our secrets are removed.
        read: ({ messageId }) => (messageId == null ? null : redactor.clean(messageId)),
        options: call,
      }),
    async setEnrichments(id, tags, call = {}) {
      const enrichments = tags.map(enrichment => ({ enrichment }))
      await core.call('setEnrichments', {
        params: { id },
        json: { enrichments },
        read: () => null,
        confirms: true,
        hints: { 404: NO_ENRICHMENTS, 405: NO_ENRICHMENTS, 501: NO_ENRICHMENTS },
        options: call,
      })
    },
    enrich: (id, call) => core.call('enrich', { params: { id }, json: {}, read: () => null, options: call }),
    enrichedFile,
    async archive(id, call = {}) {
      return (await core.call('archive', { params: { id }, json: {}, read: unchanged<JobRecord>, options: call })).value
    },
    openEnrichedFile: (id, call = {}) =>
      openFresh(async () => openLink((await enrichedFile(id, call)).filePath, core.openerFor(call), call)),
  }
}

/**
 * Creates a client for the service at `url`. Nothing is sent before the first request, which also logs in; the token is kept in
 * memory. Throws FETTLE_PIPELINE_URL for an address that is not allowed.
 *
 * @example
 * const client = connect({ url: 'https://connect.example/v1', username, password })
 * const job = await client.readJob(id)
 */
export function connect(options: ConnectOptions): Client {
  const core = new Core(options)
  const api = createApi(core)
  return {
    api,
    request: createRequest(core),
    ...createCompanyRequests(core, api),
    ...createJobRequests(core, options),
    takeCounts: () => core.takeCounts(),
    close: () => core.close(),
  }
}
