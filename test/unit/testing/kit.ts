/** Shared by the tests of the fault server: a small service, a fault server in front of it, and raw requests. */

import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Service, start } from '../../../src/service/server.ts'
import { type FaultServer, type FaultServerOptions, startFaultServer } from '../../../src/testing/index.ts'
import { atFileEnd } from '../../support/file-end.ts'
import { engine } from '../service/engine.ts'
import { logIn, startService } from '../service/kit.ts'

/** The service of a test file, and a token of it: only who breaks a service needs one of its own. */
let shared: Promise<{ service: Service; token: string }> | null = null

async function startShared(): Promise<{ service: Service; token: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fettle-testing-'))
  const service = await start({ users: [], dataDir }, engine, [])
  atFileEnd(async () => {
    shared = null
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { service, token: (await logIn(service)).token }
}

/** A service of this test's own and a fault server in front of it, ended after the test. */
export async function faultyAlone(options: Omit<FaultServerOptions, 'target'> = {}): Promise<Faulty> {
  const service = await startService()
  return { service, server: await front(service, options), token: (await logIn(service)).token }
}

/** The file's service, with a fault server of this test's own in front of it. */
export async function faulty(options: Omit<FaultServerOptions, 'target'> = {}): Promise<Faulty> {
  shared ??= startShared()
  const { service, token } = await shared
  return { service, server: await front(service, options), token }
}

/** What a test works with. */
export interface Faulty {
  readonly service: Service
  readonly server: FaultServer
  readonly token: string
}

async function front(service: Service, options: Omit<FaultServerOptions, 'target'>): Promise<FaultServer> {
  const server = await startFaultServer({ ...options, target: service.url })
  onTestFinished(() => server.close())
  return server
}

/** How a connection ended, or that it stands open after a whole reply, and every byte that came. */
export interface Heard {
  readonly text: string
  readonly ending: 'open' | 'end' | 'ECONNRESET' | 'left'
}

/** What goes out on a bare socket. */
export interface Raw {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Leaves when told to. */
  readonly signal?: AbortSignal
  /** Called when anything comes back. */
  readonly onText?: () => void
}

/** One request on a socket of its own, and all that came back until the reply was whole or the connection ended. */
export function ask(
  server: Pick<FaultServer, 'url'>,
  { method = 'GET', path, token, body, headers = {}, signal, onText }: Raw,
): Promise<Heard> {
  const url = new URL(server.url)
  const lines = {
    host: url.host,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
    ...headers,
  }
  const head = [`${method} ${url.pathname}${path} HTTP/1.1`, ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`)]
  const socket = connect(Number(url.port), url.hostname)
  socket.write(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`)
  let text = ''
  return new Promise(resolve => {
    const finish = (ending: Heard['ending']): void => {
      socket.destroy()
      resolve({ text, ending })
    }
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      onText?.()
      const length = /content-length: (\d+)/i.exec(text)?.[1]
      const isWhole = text.includes('\r\n\r\n') && bodyOf({ text }).length === Number(length ?? -1)
      if (isWhole && !isClosing({ text })) finish('open')
    })
    socket.on('end', () => finish('end'))
    socket.on('error', () => finish('ECONNRESET'))
    signal?.addEventListener('abort', () => finish('left'))
  })
}

type Text = Pick<Heard, 'text'>
export const bodyOf = ({ text }: Text): string => text.slice(text.indexOf('\r\n\r\n') + 4)
export const statusOf = ({ text }: Text): number => Number(text.slice(9, 12))
export const isClosing = ({ text }: Text): boolean => /^connection: close\r$/im.test(text)

export const JOBS = '/dataCleaning/jobs'
let serial = 0
/** A name that no other test of the file gives to a job. */
export const newName = (): string => `job-${++serial}`
export const create = (name = newName()): Pick<Raw, 'method' | 'path' | 'body'> => ({
  method: 'POST',
  path: JOBS,
  body: JSON.stringify({ name }),
})
