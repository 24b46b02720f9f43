/** Import and sync of a portfolio: contract §8 row 45. The file is read through before it is accepted; its rows are the importer's. */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CsvFault } from '../jobs/csv-text.ts'
import { watchEnvelope } from '../jobs/envelope.ts'
import { type Form, receive } from '../jobs/upload.ts'
import { checkImport } from '../monitoring/import-file.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { PendingImport } from '../store/imports.ts'
import type { Context } from './context.ts'
import type { Need } from './look.ts'
import { type Call, route } from './operation.ts'
import { notMultipart, takeMultipart } from './upload.ts'

const FORM: Form = {
  // The schema says one, the examples the other.
  file: ['importcsv', 'importCsv'],
  fields: { email: { read: text => text, must: 'a text', isRequired: false } },
}

type Kind = PendingImport['kind']
type ImportCall = Pick<Call<unknown, unknown>, 'user' | 'params' | 'request'>

/** Registers both on a scope of its own: only there is a multipart body understood. */
export async function portfolioImportRoutes(scope: FastifyInstance, context: Context): Promise<void> {
  const { look, limits, clock, monitoring } = context
  const { imports, importer, folder } = monitoring
  await takeMultipart(scope, limits)
  const place = (id: string): string => join(folder, `${id}.csv`)

  /** The path of the file, received and read through. */
  const receiveFile = async ({ request }: ImportCall): Promise<string> => {
    const envelope = watchEnvelope(request.raw, limits.uploadEnvelopeBytes)
    const parts = request.parts({ limits: { fileSize: limits.importBytes } })
    const received = receive(parts, { limits, form: FORM, place, onFile: envelope.fileBegins })
    const removed = (): Promise<void> =>
      received.then(
        ({ id }) => rm(place(id), { force: true }),
        () => {},
      )
    try {
      const { id } = await Promise.race([received, envelope.broken])
      envelope.check()
      await checkImport(place(id), limits)
      return place(id)
    } catch (error) {
      void removed()
      if (error instanceof CsvFault) throw badRequest('The import is not acceptable', `importcsv: ${error.message}`)
      if ((error as { code?: unknown }).code !== 'FST_REQ_FILE_TOO_LARGE') throw error
      throw new Refusal(413, 'Content Too Large', `importcsv: is larger than ${limits.importBytes} bytes; split it`)
    }
  }

  const importOf =
    (kind: Kind, ...needs: readonly Need[]) =>
    async (call: ImportCall): Promise<unknown> => {
      const portfolioId = call.params.portfolioId ?? ''
      look.portfolio(call.user, portfolioId, ...needs)
      if (!call.request.isMultipart()) throw notMultipart()
      if (imports.count() >= limits.imports) {
        throw new Refusal(507, 'Insufficient storage', `${limits.imports} imports wait already`, { 'Retry-After': '60' })
      }
      const path = await receiveFile(call)
      // The portfolio may have gone while its file arrived.
      const portfolio = look.portfolio(call.user, portfolioId, ...needs)
      const { id } = imports.add({ portfolio: portfolio.id, kind, file: basename(path), accepted: clock.now() })
      importer.wake()
      return { correlationId: call.request.id, status: `Accepted for processing. Import Id ${id}` }
    }
  route(scope, context, 'importCompanies', importOf('import', 'Add'), { bodyLimit: limits.importBytes })
  route(scope, context, 'syncCompanies', importOf('sync', 'Add', 'Edit', 'Remove'), { bodyLimit: limits.importBytes })
}
