/** Sends bytes as they are and collects what comes back until the other side closes: for requests no client library would send. */
import { connect } from 'node:net'

/** What came back, and how it was framed is the test's business. `half` closes our side at once. */
export const sendRaw = (url: string, bytes: string | Buffer, half = false): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', text => {
      answer += text
    })
    socket.on('error', error => (answer === '' ? reject(error) : resolve(answer)))
    socket.on('close', () => resolve(answer))
    if (half) socket.end(bytes)
    else socket.write(bytes)
  })
