/**
 * Routes of import and sync of a portfolio: contract §8 row 45. The file is validated before it is accepted; the importer then
 * applies its rows.
 */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CsvFault } from '../csv/csv.ts'
import { type Form, receive, watchEnvelope } from '../data-cleaning/receive-upload.ts'
import { acceptMultipart, notMultipart } from '../data-cleaning/upload-route.ts'
import type { AppDeps } from '../deps.ts'
import { type Call, nameIgnored, route } from '../http/route.ts'
import type { Need } from '../object-access.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { checkImport, type PendingImport } from './importer.ts'

const FORM: Form = {
  // The schema has the first spelling, the examples the second.
  file: ['importcsv', 'importCsv'],
  fields: { email: { read: text => text, must: 'a text', isRequired: false } },
}

type Kind = PendingImport['kind']
type ImportCall = Pick<Call<unknown, unknown>, 'user' | 'params' | 'request' | 'reply'>

/** `scope` must be a separate scope, because multipart bodies are parsed only there. */
export async function portfolioImportRoutes(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const { objects, limits, clock, imports, importer, importDir } = deps
  await acceptMultipart(scope, limits)
  const place = (id: string): string => join(importDir, `${id}.csv`)

  let arriving = 0

  const receiveFile = async ({ request, reply }: ImportCall): Promise<string> => {
    const envelope = watchEnvelope(request.raw, limits.uploadEnvelopeBytes)
    const parts = request.parts({ limits: { fileSize: limits.importBytes } })
    try {
      const { id, ignored } = await receive(parts, { limits, form: FORM, place, envelope })
      nameIgnored(reply, ignored)
      return place(id)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'FST_REQ_FILE_TOO_LARGE') throw error
      throw new Refusal(413, 'Content Too Large', `importcsv: is larger than ${limits.importBytes} bytes; split it`)
    }
  }

  const accept = async (call: ImportCall, kind: Kind, needs: readonly Need[]): Promise<PendingImport> => {
    const path = await receiveFile(call)
    try {
      await checkImport(path, limits)
      // The portfolio may have been deleted during the upload.
      const { id: portfolio } = objects.portfolioOf(call, ...needs)
      return imports.add({ portfolio, kind, file: basename(path), accepted: clock.now() })
    } catch (error) {
      await rm(path, { force: true })
      throw error instanceof CsvFault ? badRequest('The import is not acceptable', `importcsv: ${error.message}`) : error
    }
  }

  const importOf =
    (kind: Kind, ...needs: readonly Need[]) =>
    async (call: ImportCall): Promise<unknown> => {
      objects.portfolioOf(call, ...needs)
      if (!call.request.isMultipart()) throw notMultipart()
      if (imports.count() + arriving >= limits.imports) {
        const why = `${limits.imports} imports wait or arrive already`
        throw new Refusal(507, 'Insufficient storage', why, { 'Retry-After': '60' })
      }
      arriving += 1
      const { id } = await accept(call, kind, needs).finally(() => {
        arriving -= 1
      })
      importer.wake()
      return { correlationId: call.request.id, status: `Accepted for processing. Import Id ${id}` }
    }
  route(scope, deps, 'importCompanies', importOf('import', 'Add'), { bodyLimit: limits.importBytes })
  route(scope, deps, 'syncCompanies', importOf('sync', 'Add', 'Edit', 'Remove'), { bodyLimit: limits.importBytes })
}
