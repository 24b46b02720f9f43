/**
 * A data-cleaning service that shares no code with fettle, written from the published description: jobs, uploads, mappings, statuses
 * and the enriched file. It charges for every enrichment that it starts, also for a second one of a job.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { csvOf, LISTS } from './list.ts'
import type { Answer, Call, Change, Job, Operation, Table } from './variant.ts'

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: value === undefined ? '' : JSON.stringify(value),
})

export const failure = (status: number, headers: Record<string, string> = {}, message = `answer ${status}`): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ correlationId: 'c-1', message, details: '' }),
})

const ROUTES: readonly (readonly [string, RegExp, Operation])[] = [
  ['POST', /^\/v1\/authenticate$/, 'authenticate'],
  ['POST', /^\/v1\/dataCleaning\/jobs$/, 'createJob'],
  ['GET', /^\/v1\/dataCleaning\/jobs$/, 'listJobs'],
  ['GET', /^\/v1\/dataCleaning\/jobs\/([^/]+)$/, 'readJob'],
  ['POST', /^\/v1\/dataCleaning\/jobs\/([^/]+)\/upload$/, 'upload'],
  ['PUT', /^\/v1\/dataCleaning\/jobs\/([^/]+)\/mappings$/, 'setMappings'],
  ['POST', /^\/v1\/dataCleaning\/jobs\/([^/]+)\/submit$/, 'submit'],
  ['PUT', /^\/v1\/dataCleaning\/jobs\/([^/]+)\/enrichments$/, 'setEnrichments'],
  ['POST', /^\/v1\/dataCleaning\/jobs\/([^/]+)\/enrich$/, 'enrich'],
  ['GET', /^\/v1\/dataCleaning\/jobs\/([^/]+)\/enrichedFile$/, 'enrichedFile'],
  ['GET', /^\/(?:v1\/)?files\/([^/]+)\.csv$/, 'file'],
]

const AFTER: Partial<Record<Operation, readonly string[]>> = {
  upload: ['uploaded'],
  setMappings: ['ready'],
  submit: ['matching', 'matching', 'matched', 'aggregating', 'jobMatchingComplete'],
  enrich: ['readyForEnriching', 'enriching', 'enriched', 'enrichmentComplete'],
}

const UNCOUNTED = /^(?:created|uploading|uploadError|uploaded|ready|matching)$/i

export interface ForeignService {
  readonly url: string
  /** Effects that were carried out. */
  readonly effects: Readonly<Record<'createJob' | 'submit' | 'enrich', number>>
  pending(): number
  close(): Promise<void>
}

/** A line of CSV by the rules of RFC 4180; the lists have no line breaks in cells. */
function parseCsv(text: string): string[][] {
  return text
    .trimEnd()
    .split('\n')
    .map(line =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
}

function fileOfForm(body: Buffer): string {
  const text = body.toString('utf8')
  const at = text.indexOf('name="jobFile"')
  const from = text.indexOf('\r\n\r\n', at) + 4
  const boundary = text.slice(0, text.indexOf('\r\n'))
  return text.slice(from, text.indexOf(`\r\n${boundary}`, from))
}

export async function startForeignService(changes: readonly Change[]): Promise<ForeignService> {
  const jobs = new Map<string, Job>()
  const counts = new Map<Operation, number>()
  const effects = { createJob: 0, submit: 0, enrich: 0 }
  const list = LISTS[changes.findLast(({ list }) => list !== undefined)?.list ?? 'letters']
  let pending = 0
  let host = ''

  const move = (job: Job, operation: Operation, nth: number): void => {
    const usual = AFTER[operation] ?? []
    const walk = changes.reduce((ahead, { walk }) => walk?.(operation, ahead, nth) ?? ahead, usual)
    job.ahead = [...walk]
    job.status = job.ahead.shift() ?? job.status
  }

  const recordOf = (job: Job) => {
    const found = job.rows.filter(row => companyOf(row) !== null).length
    return {
      id: job.id,
      name: job.name,
      createdAt: '2026-02-07T14:07:10.8766667',
      modifiedAT: '2026-02-07T14:07:11.8766667',
      managingUserId: 123_456_789,
      owningUserId: 123_456_789,
      status: job.status,
      source: 'dataCleaning',
      archived: job.archived,
      ...(UNCOUNTED.test(job.status)
        ? {}
        : {
            jobSummary: {
              totalRows: job.rows.length,
              matched: found,
              manualMatched: 0,
              unmatched: job.rows.length - found,
              duplicates: 0,
            },
          }),
    }
  }

  const companyOf = (row: readonly string[]) => list.find(({ cells }) => row.includes(cells[2] ?? ''))?.company ?? null

  const enrichedTable = (job: Job): Table => {
    const cellOf = (tag: string, row: readonly string[], at: number): string => {
      if (tag === 'general.rowNumber') return String(at + 1)
      const company = companyOf(row)
      if (company === null) return ''
      if (tag === 'general.connectId') return company.id
      if (tag === 'general.companyName') return company.name
      return { 'general.banding': 'A', 'general.pattern': 'AAAAA', 'general.duplicate': 'N' }[tag] ?? ''
    }
    const rows = job.rows.map((row, at) => [...row, ...job.tags.map(tag => cellOf(tag, row, at))])
    return { header: [...job.header, ...job.tags], rows, own: job.header.length }
  }

  const fileOf = (job: Job, nth: number): Buffer => {
    const table = changes.reduce((made, { table }) => table?.(made, nth) ?? made, enrichedTable(job))
    const write =
      changes.findLast(({ text }) => text !== undefined)?.text ?? (({ header, rows }: Table) => csvOf([header, ...rows]))
    return changes.reduce<Buffer>((made, { bytes }) => bytes?.(made, nth) ?? made, Buffer.from(write(table)))
  }

  const needs = (job: Job | null, ...statuses: string[]): Answer | null => {
    if (job === null) return failure(404)
    return statuses.includes(job.status) ? null : failure(409, {}, `the job is ${job.status}`)
  }

  const act = (call: Call, body: Buffer): { value: unknown } | Answer => {
    const { operation, job, nth } = call
    switch (operation) {
      case 'authenticate':
        return { value: { token: `token-${nth}` } }
      case 'createJob': {
        const { name } = JSON.parse(body.toString('utf8')) as { name: string }
        const id = `a1b2c3d4-0000-4000-8000-${String(jobs.size + 1).padStart(12, '0')}`
        const made: Job = { id, name, status: 'created', ahead: [], header: [], rows: [], tags: [], archived: false }
        jobs.set(id, made)
        effects.createJob++
        return { value: recordOf(made) }
      }
      case 'listJobs': {
        const name = call.query.get('jobName') ?? ''
        return {
          value: call.query.get('page') === '1' ? [...jobs.values()].filter(one => one.name.includes(name)).map(recordOf) : [],
        }
      }
      case 'upload': {
        const refused = needs(job, 'created', 'uploaded', 'ready', 'uploadError')
        if (refused !== null || job === null) return refused ?? failure(404)
        const [header = [], ...rows] = parseCsv(fileOfForm(body))
        Object.assign(job, { header, rows })
        move(job, operation, nth)
        return { value: { id: `f-${nth}`, sourceFilename: 'list.csv', hasHeader: true, status: 'uploaded', active: true } }
      }
      case 'setMappings': {
        const refused = needs(job, 'uploaded', 'ready')
        if (refused !== null || job === null) return refused ?? failure(404)
        move(job, operation, nth)
        return { value: (JSON.parse(body.toString('utf8')) as { mappings: unknown }).mappings }
      }
      case 'submit': {
        const refused = needs(job, 'ready')
        if (refused !== null || job === null) return refused ?? failure(404)
        effects.submit++
        move(job, operation, nth)
        return { value: { messageId: 'm-1' } }
      }
      case 'setEnrichments': {
        const refused = needs(job, 'jobMatchingComplete')
        if (refused !== null || job === null) return refused ?? failure(404)
        const asked = JSON.parse(body.toString('utf8')) as { enrichments: { enrichment: string }[] }
        job.tags = asked.enrichments.map(({ enrichment }) => enrichment)
        return { value: asked }
      }
      case 'enrich': {
        if (job === null) return failure(404)
        const isPaid = ['jobMatchingComplete', 'readyForEnriching', 'enriching', 'enriched', 'enrichmentComplete']
        if (!isPaid.includes(job.status)) return failure(409, {}, `the job is ${job.status}`)
        effects.enrich++
        move(job, operation, nth)
        return { value: [{}] }
      }
      default:
        break
    }
    if (job === null) return failure(404)
    if (operation === 'readJob') {
      job.status = job.ahead.shift() ?? job.status
      return { value: recordOf(job) }
    }
    const refused = needs(job, 'enrichmentComplete')
    if (refused !== null) return failure(404)
    if (operation === 'enrichedFile')
      return { value: { correlationId: 'c-2', filePath: `http://${host}/files/${job.id}.csv?sig=a%2Bb` } }
    return { status: 200, headers: { 'content-type': 'text/csv' }, body: fileOf(job, nth) }
  }

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', `http://${host}`)
    const route = ROUTES.find(([method, path]) => method === request.method && path.test(url.pathname))
    const operation = route?.[2] ?? 'readJob'
    const id = route?.[1].exec(url.pathname)?.[1] ?? ''
    const nth = (counts.get(operation) ?? 0) + 1
    counts.set(operation, nth)
    const call: Call = { operation, nth, query: url.searchParams, headers: request.headers, host, job: jobs.get(id) ?? null }
    const isLacking = route === undefined || changes.some(({ lacks }) => lacks?.includes(operation))
    const early = isLacking
      ? failure(404)
      : changes.reduce<Answer | null>((made, { refuse }) => made ?? refuse?.(call) ?? null, null)
    const done = early ?? act(call, Buffer.concat(chunks))
    const plain =
      'value' in done ? json(changes.reduce((value, change) => change.json?.(value, call) ?? value, done.value)) : done
    const answer = early ?? changes.reduce((made, change) => change.answer?.(made, call) ?? made, plain)
    if (changes.some(({ send }) => send?.(answer, call, response) === true)) return
    response.writeHead(answer.status, answer.headers as Record<string, string | string[]>).end(answer.body)
  }

  const server = createServer((request, response) => {
    pending++
    response.once('close', () => pending--)
    respond(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/v1`,
    effects,
    pending: () => pending,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
