/** Starts and stops the embedded service and a fault server in front of it together. */
import { type ServeOptions, type Service, serve } from '../service/index.ts'
import { type FaultServer, type FaultServerOptions, startFaultServer } from './fault-server.ts'

/** A service behind a fault server. */
export interface FaultyService {
  /** Base address of the fault server, for the client. */
  readonly url: string
  readonly username: string
  readonly password: string
  readonly server: FaultServer
  /** The service behind the fault server. */
  readonly service: Service
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the embedded service and a fault server in front of it. Throws as `serve` does.
 *
 * @example
 * await using faulty = await serveWithFaults({ dataDir, registerDir })
 * const armed = faulty.server.arm([{ operation: 'createJob', effect: { kind: 'reset', at: 'reply', carriedOut: true } }])
 * // run your client against faulty.url, then:
 * assert.deepEqual(armed.unconsumed(), [])
 * assert.equal(faulty.server.effects().creates, 1)
 */
export async function serveWithFaults(
  options: ServeOptions & { readonly faults?: Omit<FaultServerOptions, 'target'> },
): Promise<FaultyService> {
  const { faults, ...own } = options
  const service = await serve(own)
  const server = await startFaultServer({ ...faults, target: service.url })
  const close = async (): Promise<void> => {
    await server.close()
    await service.close()
  }
  const { username, password } = service
  return {
    get url() {
      return server.url
    },
    username,
    password,
    server,
    service,
    close,
    [Symbol.asyncDispose]: close,
  }
}
