/**
 * Keeps the process alive when the service closes a connection whose body is read slowly. undici 7 then fails an assertion in a socket
 * event, where it cannot be caught (nodejs/undici#5360; fixed in 8, which needs Node 22). So the paused parser is resumed before the
 * end of the socket is reported; a body cut short still shows as one.
 */
import { Socket } from 'node:net'

interface Parser {
  paused: boolean
  readonly ptr: number | null
  readonly llhttp: { llhttp_resume(ptr: number): void }
  resume(): void
}

const isParser = (value: unknown): value is Parser =>
  typeof value === 'object' && value !== null && 'paused' in value && 'llhttp' in value && 'resume' in value

/**
 * undici's parser of a socket. undici 7 has no public way to it: the symbol is found by its description, and test/unit/client/
 * connector.test.ts fails when a new version changes it.
 */
export function findParser(socket: object): Parser | null {
  const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
  const parser: unknown = symbol === undefined ? null : Reflect.get(socket, symbol)
  return isParser(parser) ? parser : null
}

const ENDS: ReadonlySet<unknown> = new Set(['end', 'error', 'close'])
function resume(parser: Parser): void {
  if (!parser.paused) return
  parser.resume()
  // The socket is closed and will not be read again, so resume() did nothing: resume the parser itself.
  if (!parser.paused || parser.ptr === null) return
  parser.llhttp.llhttp_resume(parser.ptr)
  parser.paused = false
}

/** Wraps a connector of undici: its sockets resume their parser before they report their end. */
export function connectorFactory<To, Result extends readonly unknown[]>(
  connect: (to: To, callback: (...result: Result) => void) => void,
): (to: To, callback: (...result: Result) => void) => void {
  return (to, callback) =>
    connect(to, (...result) => {
      for (const value of result) if (value instanceof Socket) guard(value)
      callback(...result)
    })
}

function guard(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const parser = ENDS.has(event) ? findParser(socket) : null
    if (parser !== null) resume(parser)
    return emit(event, ...args)
  }
}
