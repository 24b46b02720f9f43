/** The data-cleaning operations (contract §5). Each reads the job, checks its status and updates the store. */

import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { ColumnMapping } from '../../contract/index.ts'
import { LIST_FACTS, mayCarryOut, TAGS } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { findProduct } from '../enrichment/tags.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { readsRelativeLinks } from '../http/public-address.ts'
import { type Call, check, createRouter, findUser, routePath } from '../http/route.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { archivedRecord, jobRecord } from './job-record.ts'
import { ENRICHED, readFilter, requireStatus } from './job-rules.ts'
import type { Job } from './jobs-store.ts'
import { uploadRoute } from './upload-route.ts'

type AnyCall = Pick<Call<unknown, unknown>, 'user' | 'id' | 'request' | 'body'>

/** Throws a 400 that names the first invalid element: a repeated mapping, or a column the file does not have. */
function requireMappings(mappings: readonly ColumnMapping[], columns: number | null): void {
  const seen = new Set<string>()
  for (const [index, { mapping, value }] of mappings.entries()) {
    const refuse = (why: string): Error => badRequest('The mappings are not acceptable', `mappings[${index}].${why}`)
    if (seen.has(mapping)) throw refuse(`mapping: ${mapping} occurs twice`)
    seen.add(mapping)
    if (columns !== null && Number(value) >= columns) throw refuse(`value: column ${value} of a file with ${columns} columns`)
  }
}

/** Throws a 400 that names the first unknown or repeated tag (contract §5.7). */
function requireTags(tags: readonly string[]): void {
  for (const [index, tag] of tags.entries()) {
    const refuse = (why: string): Error =>
      badRequest('The enrichments are not acceptable', `enrichments[${index}].enrichment: ${why}`)
    if (findProduct([tag]) === null) throw refuse(`${JSON.stringify(tag.slice(0, 80))} is not a known tag`)
    if (tags.indexOf(tag) !== index) throw refuse(`${tag} occurs twice`)
  }
}

const REMOVED = 'the files of this job were removed: it ended long ago'

const findJob = ({ objects }: AppDeps, { user, id }: Pick<AnyCall, 'user' | 'id'>): Job => objects.job(user, id)

export function jobRoutes(app: FastifyInstance, deps: AppDeps): void {
  recordRoutes(app, deps)
  fileRoutes(app, deps)
  workRoutes(app, deps)
}

/** A job's record: create, list, read, archive. */
function recordRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { jobs, worker, play } = deps

  route('createJob', call =>
    runIdempotent(deps, call, () => {
      const { name, addToPortfolio, inRegister, companyNumbers, precision } = call.body
      const addTo = addToPortfolio === undefined ? undefined : String(addToPortfolio)
      return jobRecord(jobs.create(call.user, name, { addTo, inRegister, companyNumbers, precision }), play, call.request.id)
    }),
  )

  route('listJobs', ({ query, user }) => {
    const filter = readFilter(query)
    return filter === null ? [] : jobs.list(user.id, filter).map(job => jobRecord(job, play))
  })

  route('readJob', call => {
    const job = findJob(deps, call)
    worker.seen(job.id)
    return jobRecord({ ...job, summary: job.summary ?? worker.countsOf(job.id) ?? null }, play, call.request.id)
  })

  route('archive', call => archivedRecord(jobs.change(findJob(deps, call).id, { archived: true }), play))
}

/** What a list is, and the file of a job: sample, upload, enriched file. */
function fileRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { play, worker, links, addressOf } = deps

  if (play.matchColumns)
    app.route({
      method: LIST_FACTS.method,
      url: routePath(LIST_FACTS),
      bodyLimit: deps.limits.jsonBytes,
      onRequest: async request => {
        const { role, username } = await findUser(request, deps)
        if (!mayCarryOut(role, LIST_FACTS)) throw new Refusal(403, 'Access forbidden')
        deps.rates.admit('createJob', username)
      },
      handler: ({ body, query }) => {
        const { precision } = check(LIST_FACTS.query, query, 'query')
        return worker.factsOf(check(LIST_FACTS.request, body, 'body'), precision)
      },
    })

  app.register(async scope => uploadRoute(scope, deps))

  route('enrichedFile', async call => {
    const job = findJob(deps, call)
    if (!ENRICHED.includes(job.status)) {
      throw new Refusal(404, 'The enriched file is not ready', `status is ${job.status}; needed is enrichmentComplete`)
    }
    if (job.upload === null) throw new Refusal(404, 'The enriched file was removed', REMOVED)
    if (call.query.fileType === 'json') await worker.json(job.id)
    const name = `${job.id}.${call.query.fileType}`
    const filePath = `${readsRelativeLinks(call.request) ? '' : addressOf(call.request.raw)}/files/${name}?${links.sign(name, call.user)}`
    return { correlationId: call.request.id, filePath }
  })
}

/** Requests that change what a job does: mappings, matching, enrichments. */
function workRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { jobs, worker } = deps

  const setMappings = (call: Call<{ mappings: ColumnMapping[] }, unknown>): unknown => {
    const job = findJob(deps, call)
    const { mappings } = call.body
    requireStatus('setMappings', job.status)
    requireMappings(mappings, job.upload?.columns ?? null)
    jobs.change(job.id, { mappings, status: mappings.length === 0 ? 'uploaded' : 'ready' })
    worker.wake(job.id)
    return mappings
  }
  // One page of the vendor shows a bare array (contract §5.4).
  route('setMappings', setMappings, { adapt: body => (Array.isArray(body) ? { mappings: body } : body) })

  route('submit', call => {
    const job = findJob(deps, call)
    const answer = runIdempotent(deps, call, () => {
      requireStatus('submit', job.status)
      jobs.change(job.id, { status: 'matching' })
      return { messageId: randomUUID() }
    })
    worker.wake(job.id)
    return answer
  })

  route('setEnrichments', call => {
    const job = findJob(deps, call)
    const tags = call.body.enrichments.map(({ enrichment }) => enrichment)
    requireStatus('setEnrichments', job.status)
    requireTags(tags)
    jobs.change(job.id, { enrichments: tags })
    return call.body
  })

  route('enrich', call => {
    const job = findJob(deps, call)
    const answer = runIdempotent(deps, call, () => {
      requireStatus('enrich', job.status)
      if (job.upload === null) throw badRequest('The job cannot be enriched any more', REMOVED)
      // Without a selection: all tags of the smallest product.
      jobs.change(job.id, { status: 'readyForEnriching', enrichments: job.enrichments ?? TAGS.basic })
      return [{}]
    })
    worker.wake(job.id)
    return answer
  })
}

const TYPES: Readonly<Record<string, string>> = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' }

interface FileRoute {
  Params: { name: string }
  Querystring: Record<string, unknown>
}

/** Serves an enriched file to the holder of its link, without a token (contract §5.8, §14.1). */
export function enrichedFileRoute(app: FastifyInstance, { links, objects, files }: AppDeps): void {
  app.get<FileRoute>('/files/:name', async ({ params, query }, reply) => {
    // The signature covers the name, so a valid name was issued here and is not a path.
    const holder = links.check(params.name, query)
    if (holder === null) throw new Refusal(403, 'Access forbidden: the link has expired or is not valid')
    const [id = '', fileType = ''] = params.name.split('.')
    const path = files.enriched(objects.job(holder, id).id, fileType)
    const { size } = await stat(path).catch(error => {
      throw error.code === 'ENOENT' ? new Refusal(404, 'Not found', 'the file was removed') : error
    })
    return reply
      .headers({
        'Content-Type': TYPES[fileType],
        'Content-Length': size,
        'Content-Disposition': `attachment; filename="enriched-${id}.${fileType}"`,
        'Cache-Control': 'no-store',
        'Accept-Ranges': 'none',
      })
      .send(createReadStream(path, { end: Math.max(0, size - 1) }))
  })
}
