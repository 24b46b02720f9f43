/** A receiver of messages that loses, delays and refuses. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Taken {
  readonly url: string
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[]
}

export type Answer = number | 'lose' | 'never' | { readonly status: number; readonly retryAfter: string }

/** Answers the attempts in turn, and with 204 after that. */
export async function receiver(atEnd: (end: () => void) => void, ...answers: Answer[]): Promise<Taken> {
  const requests: Taken['requests'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    requests.push({ headers: request.headers, body })
    const answer = answers.shift() ?? 204
    if (answer === 'lose') request.socket.destroy()
    else if (typeof answer === 'number') response.writeHead(answer).end()
    else if (answer !== 'never') response.writeHead(answer.status, { 'retry-after': answer.retryAfter }).end()
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path`, requests }
}

export const bodies = ({ requests }: Taken) => requests.map(({ body }) => JSON.parse(body))
