/** Serves an enriched file to the holder of its link, without a token (contract §5.8, §14.1). */

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../deps.ts'
import { Refusal } from '../refusal.ts'

const TYPES: Readonly<Record<string, string>> = { csv: 'text/csv; charset=utf-8', json: 'application/json; charset=utf-8' }

interface FileRoute {
  Params: { name: string }
  Querystring: Record<string, unknown>
}

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
