/**
 * Connections that survive a service which closes while we are behind with reading. undici 7 asserts then that its parser is not
 * held back, from an event of the socket, where nobody can catch it (nodejs/undici#5360, mended in 8, which wants a newer Node):
 * so the parser is let go before it hears of the end. What is lost shows as a file cut short. It knows nothing else of HTTP.
 */
import { Socket } from 'node:net'

/** What there is to know of undici's parser here. */
interface Parser {
  paused: boolean
  readonly ptr: number | null
  readonly llhttp: { llhttp_resume(ptr: number): void }
  resume(): void
}

const isParser = (value: unknown): value is Parser =>
  typeof value === 'object' && value !== null && 'paused' in value && 'llhttp' in value && 'resume' in value

/** The parser that undici hung on a socket, under a symbol of its own. */
function parserOf(socket: object): Parser | null {
  const symbol = Object.getOwnPropertySymbols(socket).find(one => one.description === 'parser')
  const parser: unknown = symbol === undefined ? null : Reflect.get(socket, symbol)
  return isParser(parser) ? parser : null
}

const ENDS: ReadonlySet<unknown> = new Set(['end', 'error', 'close'])
function letGo(parser: Parser): void {
  if (!parser.paused) return
  parser.resume()
  // A socket that is gone is not read again: there is nothing left but the end.
  if (!parser.paused || parser.ptr === null) return
  parser.llhttp.llhttp_resume(parser.ptr)
  parser.paused = false
}

/** A connector of undici's, with sockets whose end finds the parser ready. */
export function connectorFactory<To, Result extends readonly unknown[]>(
  connect: (to: To, callback: (...result: Result) => void) => void,
): (to: To, callback: (...result: Result) => void) => void {
  return (to, callback) =>
    connect(to, (...result) => {
      for (const one of result) if (one instanceof Socket) guard(one)
      callback(...result)
    })
}

function guard(socket: Socket): void {
  const emit = socket.emit.bind(socket)
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const parser = ENDS.has(event) ? parserOf(socket) : null
    if (parser !== null) letGo(parser)
    return emit(event, ...args)
  }
}
